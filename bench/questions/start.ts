import { duration, median, nanosecondsOf, type Question, ratio, text } from './answer.ts';

const ELAPSED = 'elapsed, from the start of the process';
const LIMITED = '0.3 of a processor after INIT, as Lambda gives for 512 MB';

const STAGES: Readonly<Record<string, string>> = {
  'startup.empty': 'Node without a handler',
  'startup.loaded': 'the function is loaded',
  'startup.init': 'INIT ends: loaded and warm',
  'startup.first': 'the first answer',
};
const DECISIONS: Readonly<Record<string, string>> = {
  'startup.cold': 'the first decision',
  'startup.second': "another user's, same reads",
  'startup.again': 'the same again, cached',
  'startup.cold-limited': 'first, 0.3 of a processor',
  'startup.second-limited': "another user's, 0.3 of one",
  'startup.again-limited': 'again, 0.3 of a processor',
};

/** What a new copy of the function takes until it answers. */
export const start: Question = {
  name: 'start',
  topics: ['startup'],
  answer: ({ of }) => {
    const bars = (names: Readonly<Record<string, string>>) =>
      Object.entries(names).flatMap(([id, name]) => {
        const figure = of(id);
        return figure ? [{ name, value: nanosecondsOf(figure) }] : [];
      });
    const row = (what: string, figure: string | undefined, how: string) => ({
      what,
      figure,
      how,
      topic: 'startup',
    });
    return {
      sentences: [
        text`**${median(of('startup.init'))} of INIT, and then a first decision like any other that reads as much**: it takes ${ratio(of('startup.cold'), 'second')} another one's time, and ${ratio(of('startup.cold-limited'), 'second-limited')} with 0.3 of a processor.`,
        text`From the start of its process to its first answer the function takes ${ratio(of('startup.processor'), 'processor-empty')} the processor time of an empty Node process.`,
      ],
      chart: {
        label: 'From the start of the process to the first answer, and the first decisions.',
        panels: [
          { title: 'From the start of the process until', show: duration, bars: bars(STAGES) },
          { title: 'Decisions', show: duration, bars: bars(DECISIONS) },
        ],
        notes: [
          'Medians, elapsed, on two processors. Lambda adds what fetching and unpacking the function takes.',
        ],
      },
      rows: [
        row('Node without a handler', median(of('startup.empty')), ELAPSED),
        row('the function is loaded', median(of('startup.loaded')), ELAPSED),
        row('INIT ends: loaded and warm', median(of('startup.init')), ELAPSED),
        row('the first answer', median(of('startup.first')), ELAPSED),
        row(
          '… beside an empty Node process',
          ratio(of('startup.first'), 'empty'),
          'elapsed, in the same round',
        ),
        row(
          '… the same in processor time',
          ratio(of('startup.processor'), 'processor-empty'),
          'in the same round',
        ),
        row(
          "the first decision, another user's",
          text`${median(of('startup.cold'))}, ${median(of('startup.second'))}`,
          'elapsed, with as many reads of the embedded engine',
        ),
        row(
          '… with 0.3 of a processor',
          text`${median(of('startup.cold-limited'))}, ${median(of('startup.second-limited'))}`,
          LIMITED,
        ),
        row(
          'the deployed file',
          text`${median(of('startup.bytes'))}`,
          'as the stack bundles it, not compressed',
        ),
      ],
    };
  },
};
