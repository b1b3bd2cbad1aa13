import { useState } from 'preact/hooks';
import type { Decision, Explanation, Sentence as Said } from '../../../../engine/index.ts';
import { useLoaded } from '../../calls.ts';
import { useClient } from '../../client.ts';
import type { Question } from '../../parts/asked.ts';
import { reasonText } from '../../parts/decision.tsx';
import { type Days, dateText, instantText } from '../../parts/instant.ts';
import { Sentence } from '../../parts/sentence.tsx';
import { When } from '../../parts/when.tsx';
import { axisOf, type Mark, marksOf, partsOf, rangeOf } from './timeline.ts';

export interface OverTimeProps {
  /** The question, without its instant. */
  readonly question: Question | undefined;
  readonly explanation: Explanation | undefined;
  readonly at: number | undefined;
  readonly problem: string | undefined;
  readonly onChoose: (at: number | undefined) => void;
}

/** The instant of the question, and the decision before and after it. */
export function OverTime({ question, explanation, at, problem, onChoose }: OverTimeProps) {
  const { now } = useClient().about;
  const marks = explanation ? marksOf(explanation) : [];
  const outside = useOutermost(at, rangeOf(marks, now));
  const range = rangeOf(marks, now, outside);
  const parts = partsOf(range, marks);
  const covered = { start: range.start, end: parts.at(-1)?.end ?? range.end };
  const asked = explanation ? question : undefined;
  return (
    <>
      <When at={at} now={now} onChoose={onChoose} range={covered} problem={problem}>
        {asked && <Strip question={asked} parts={parts} range={covered} marks={marks} now={now} />}
      </When>
      {marks.length > 0 && <Marks marks={marks} onChoose={onChoose} />}
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
  const decisions = useDecisions(question, parts);
  const share = (at: number): string =>
    `${(((at - range.start) / (range.end - range.start)) * 100).toFixed(3)}%`;
  const inside = (at: number): boolean => at >= range.start && at <= range.end;
  // Near the end a label would be cut off where there is little room.
  const isLate = (at: number): boolean => at > range.start + (range.end - range.start) * 0.8;
  return (
    <div class="why-strip">
      <ol aria-label="The decision over time">
        {parts.map(({ start, end }, position) => {
          const decision = decisions[position];
          const words = decision === undefined ? 'not asked' : decision.allowed ? 'allowed' : 'refused';
          const why = decision === undefined ? '' : `: ${reasonText(decision.reason)}`;
          const text = `${words} from ${instantText(start)} until ${instantText(end)}${why}`;
          return (
            <li key={start} class={words.replace(' ', '-')} style={{ flexGrow: end - start }} title={text}>
              <span aria-hidden="true">{decision === undefined ? '' : decision.allowed ? '✓' : '✕'}</span>
              <span class="visually-hidden">{text}</span>
            </li>
          );
        })}
      </ol>
      <div class="why-axis" aria-hidden="true">
        {marks
          .filter(({ at }) => inside(at))
          .map(({ at, isStart }) => (
            <span key={`${at} ${isStart}`} class="mark" style={{ insetInlineStart: share(at) }} />
          ))}
        <span class="now" style={{ insetInlineStart: share(now) }} />
        {axisOf(range, MOST_LABELS).map((at, position) => (
          <span
            key={at}
            class={`label${isLate(at) ? ' late' : ''}${position % 2 === 1 ? ' minor' : ''}`}
            style={{ insetInlineStart: share(at) }}
          >
            {MONTH.format(at)}
          </span>
        ))}
      </div>
    </div>
  );
}

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** The decision at the start of each part. Asked anew only when the question, the parts or the table change. */
function useDecisions(question: Question, parts: readonly Days[]): readonly (Decision | undefined)[] {
  const { send } = useClient();
  const { value, isLoading } = useLoaded(JSON.stringify([question, parts]), () =>
    Promise.all(
      parts.map(async ({ start }) => {
        const reply = await send('check', { ...question, at: start });
        return reply.ok ? reply.result : undefined;
      }),
    ),
  );
  return isLoading || !value ? [] : value;
}

/** Marks that are shown at once. */
const FEW = 6;

/** What begins and ends, each a click from its instant. */
function Marks({ marks, onChoose }: Pick<OverTimeProps, 'onChoose'> & { readonly marks: readonly Mark[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? marks : marks.slice(0, FEW);
  return (
    <ul class="why-marks" aria-label="What begins and ends">
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
    case 'subscription':
      return [`subscription to ${of.module} at `, of.scope, verb];
    case 'license':
      return ['licence for ', of.enterprise, ' at ', of.scope, verb];
  }
}
