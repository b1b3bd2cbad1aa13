import type { LiveEvent } from '../../../service/index.ts';
import { holds } from '../../parts/rows.ts';
import type { NameOf } from '../../refs.ts';

/** The most events that are kept: those of the stream's own memory. */
export const MOST_EVENTS = 500;

/**
 * The newest events, newest first. The numbers of a stream rise: one that does not is of a stack that was started anew, and
 * what was known is of the one before.
 *
 * @param arrived in the order of the stream
 */
export function withEvents(known: readonly LiveEvent[], arrived: readonly LiveEvent[]): readonly LiveEvent[] {
  const events = [...known].reverse();
  for (const event of arrived) {
    const last = events.at(-1);
    if (last !== undefined && event.id <= last.id) events.length = 0;
    events.push(event);
  }
  return events.slice(-MOST_EVENTS).reverse();
}

/** What became of a request: `none` is an answer without a decision. */
export type Outcome = 'allowed' | 'refused' | 'fault' | 'none';

export function outcomeOf(event: LiveEvent): Outcome {
  if (event.kind === 'request') return 'none';
  if (event.fault !== undefined) return 'fault';
  return event.allowed ? 'allowed' : 'refused';
}

/** Why, in one code: the reason of a decision, the code of a fault, the status of an answer without a decision. */
export function reasonOf(event: LiveEvent): string {
  if (event.kind === 'request') return String(event.status);
  return event.fault ?? event.reason ?? '';
}

/** What events are kept by: the names in the address. */
export const FILTERS = ['outcome', 'reason', 'who', 'what', 'text'] as const;

/** A text is found in references and in names, in any case of its letters. */
export type Filter = { readonly [F in (typeof FILTERS)[number]]?: string | undefined };

/** @param nameOf the name of a reference; undefined if it has none, or it is not known yet */
export const matching = (
  events: readonly LiveEvent[],
  { outcome, reason, who: wanted, what, text }: Filter,
  nameOf: NameOf,
): readonly LiveEvent[] =>
  events.filter((event) => {
    const asked = event.kind === 'decision' ? event : undefined;
    const line = event.kind === 'decision' ? event.request : event;
    // Who nobody knows has no reference.
    const [subject, actor, scope] = [asked?.subject, asked?.actor?.subject, asked?.scope].map((ref) =>
      ref ? `${ref}\n${nameOf(ref) ?? ''}` : '',
    );
    const who = `${subject}\n${actor}`;
    const { permission = '' } = asked ?? {};
    const all = [
      who,
      asked?.actor?.mandate,
      permission,
      scope,
      event.source,
      line && `${line.method} ${line.path}`,
      reasonOf(event),
    ];
    return (
      (!outcome || outcomeOf(event) === outcome) &&
      (!reason || reasonOf(event) === reason) &&
      holds(who, wanted) &&
      holds(permission, what) &&
      holds(all.join('\n'), text)
    );
  });

export type Summary = ReturnType<typeof summaryOf>;

export function summaryOf(events: readonly LiveEvent[]) {
  const reasons = new Map<string, { reason: string; outcome: Outcome; count: number }>();
  const times: number[] = [];
  let calls = 0;
  for (const event of events) {
    const [outcome, reason] = [outcomeOf(event), reasonOf(event)];
    const key = `${outcome} ${reason}`;
    const counted = reasons.get(key) ?? { reason, outcome, count: 0 };
    counted.count += 1;
    reasons.set(key, counted);
    if (event.kind !== 'decision') continue;
    times.push(event.milliseconds);
    calls += event.calls ?? 0;
  }
  times.sort((a, b) => a - b);
  const middle = Math.floor(times.length / 2);
  const upper = times[middle] ?? 0;
  const median = times.length % 2 === 1 ? upper : ((times[middle - 1] ?? 0) + upper) / 2;
  return {
    /** How many events have each reason, the most frequent one first. */
    reasons: [...reasons.values()].sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
    /** Of the decisions, in milliseconds; undefined if there are none. */
    time: times.length === 0 ? undefined : { median, worst: times.at(-1) ?? 0 },
    /** DynamoDB calls of the decisions together. */
    calls,
    decisions: times.length,
  };
}
