import { useState } from 'preact/hooks';
import type { Decision, Explanation, Sentence as Said } from '../../../../engine/index.ts';
import { type Called, useAnswer } from '../../calls.ts';
import { useClient, useNow } from '../../client.ts';
import type { Question } from '../../parts/asked.ts';
import { reasonText } from '../../parts/decision.tsx';
import { type Days, dateText, instantText } from '../../parts/instant.ts';
import { Problem } from '../../parts/problem.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { type Span, Timeline } from '../../parts/timeline.tsx';
import { useInstant, When } from '../../parts/when.tsx';
import { axisOf, instantsOf, type Mark, marksOf, partsOf, rangeOf } from './periods.ts';

export interface OverTimeProps {
  /** The question, without its instant. */
  readonly question: Question | undefined;
  readonly explanation: Explanation | undefined;
}

/** The instant of the question, and the decision before and after it. */
export function OverTime({ question, explanation }: OverTimeProps) {
  const now = useNow();
  const { at, choose } = useInstant();
  const marks = explanation ? marksOf(explanation) : [];
  const outside = useOutermost(at, rangeOf(marks, now));
  const range = rangeOf(marks, now, outside);
  const parts = partsOf(range, marks);
  const covered = { start: range.start, end: parts.at(-1)?.end ?? range.end };
  const asked = explanation ? question : undefined;
  return (
    <>
      <When now={now} range={covered}>
        {asked && <Strip question={asked} parts={parts} range={covered} marks={marks} now={now} />}
      </When>
      {marks.length > 0 && <Marks marks={marks} onChoose={choose} />}
    </>
  );
}

/** Instants outside of a range that were asked about: the range keeps them, so that a slider does not jump. */
function useOutermost(at: number | undefined, { start, end }: Days): readonly number[] {
  const [outside, setOutside] = useState<readonly number[]>([]);
  const isOutside = at !== undefined && (at < start || at > end);
  const isKept = at === undefined || (at >= Math.min(...outside) && at <= Math.max(...outside));
  if (isOutside && !isKept) setOutside([...outside, at]);
  return outside;
}

interface StripProps {
  readonly question: Question;
  readonly parts: readonly Days[];
  readonly range: Days;
  readonly marks: readonly Mark[];
  readonly now: number;
}

/** Labels of an axis; on a narrow screen there is room for every other one. */
const MOST_LABELS = 5;

/** The decision over a range of time: one check for each part in which it cannot change. */
function Strip({ question, parts, range, marks, now }: StripProps) {
  const { value, isLoading, error, retry } = useDecisions(question, parts);
  const decisions = isLoading || !value ? [] : value;
  const spans = parts.map(({ start, end }, position): Span => {
    const decision = decisions[position];
    const [name, sign] = !decision
      ? ['not asked', '']
      : decision.allowed
        ? ['allowed', '✓']
        : ['refused', '✕'];
    const text = `${name} from ${instantText(start)} until ${instantText(end)}`;
    const why = decision ? `: ${reasonText(decision.reason)}` : '';
    return { start, end, class: name.replace(' ', '-'), sign, text: `${text}${why}` };
  });
  return (
    <>
      {error && <Problem of={error} retry={retry} />}
      <Timeline
        {...range}
        rows={[{ label: 'The decision over time', spans }]}
        marks={instantsOf(marks)}
        now={now}
        axis={new Map(axisOf(range, MOST_LABELS).map((at) => [at, MONTH.format(at)]))}
      />
    </>
  );
}

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** The decision at the start of each part. Asked anew only when the question, the parts or the table change. */
function useDecisions(question: Question, parts: readonly Days[]): Called<readonly Decision[]> {
  const { send } = useClient();
  return useAnswer(JSON.stringify([question, parts]), async () => {
    const replies = await Promise.all(parts.map(({ start }) => send('check', { ...question, at: start })));
    const failed = replies.find((reply) => !reply.ok);
    return failed ?? { ok: true, result: replies.flatMap((reply) => (reply.ok ? reply.result : [])) };
  });
}

/** Marks that are shown at once. */
const FEW = 6;

interface MarksProps {
  readonly marks: readonly Mark[];
  readonly onChoose: (at: number) => void;
}

/** What begins and ends, each a click from its instant. */
function Marks({ marks, onChoose }: MarksProps) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? marks : marks.slice(0, FEW);
  return (
    <ul class="plain why-marks" aria-label="What begins and ends">
      {shown.map((mark) => (
        <li key={JSON.stringify(mark)}>
          <button type="button" title={instantText(mark.at)} onClick={() => onChoose(mark.at)}>
            {dateText(mark.at)}
          </button>{' '}
          <Sentence of={saidOf(mark)} />
        </li>
      ))}
      {marks.length > FEW && (
        <li>
          <button type="button" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : `Show ${marks.length - FEW} more`}
          </button>
        </li>
      )}
    </ul>
  );
}

/** What begins, or ends. */
function saidOf({ of, isStart }: Mark): Said {
  const verb = isStart ? ' begins' : ' ends';
  switch (of.kind) {
    case 'subject':
      return [`the subject${verb}`];
    case 'assignment':
      return ['role ', of.role, ' at ', of.scope, verb];
    case 'token_group':
      return ['the token that names group ', of.group, verb];
    case 'subscription':
      return [`subscription to ${of.module} at `, of.scope, verb];
    case 'license':
      return ['licence for ', of.enterprise, ' at ', of.scope, verb];
  }
}
