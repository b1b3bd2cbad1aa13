import type { CheckRequest, TokenGroups } from '../../engine/index.ts';
import type { ScopeItem, SubjectItem } from '../../table/decision/items.ts';
import { batchesOf } from '../../table/reader.ts';
import { createHoldings, pathOf, type State } from '../access-difference/state.ts';
import { remembered } from '../remembered.ts';

/** Whether a permission is held: whatever conditions say, or only as they may say. */
export type Verdict = 'no' | 'may' | 'certain';

/** What a subject holds at a scope, from one instant to the next. All instants in epoch milliseconds. */
export interface Timeline {
  readonly scope: string;
  /** The same for all who hold the same. */
  readonly text: string;
  /** From when on; ascending. Before the first of them nothing is said. */
  readonly from: readonly number[];
  /** For each of these instants, for each permission. */
  readonly verdicts: readonly (readonly Verdict[])[];
}

/** What is held at an instant. */
export const verdictsAt = ({ from, verdicts }: Timeline, at: number): readonly Verdict[] =>
  verdicts[from.findLastIndex((each) => each <= at)] ?? NOTHING;
const NOTHING: readonly Verdict[] = [];

/** Questions of one call to the engine. */
const AT_ONCE = 1_000;

/**
 * Decides at every instant at which something of a subject begins. What ends begins nothing, but another decision may.
 *
 * @param at the first instant
 * @param spend is told of decisions before they are made; may throw
 */
export function createTimelines(
  state: State,
  permissions: readonly string[],
  at: number,
  spend: (decisions: number) => void,
) {
  const known = new Map<string, Timeline>();

  const placeOf = remembered(async (scope: string) => {
    const path = await pathOf(state, scope);
    return { path, textOf: createHoldings(path, false) };
  });

  async function decide(requests: readonly CheckRequest[]): Promise<readonly Verdict[]> {
    const verdicts: Verdict[] = [];
    for (const some of batchesOf(requests, AT_ONCE)) {
      spend(some.length);
      const { decisions } = await state.engine.checkMany(some);
      for (const [position, { allowed, reason }] of decisions.entries())
        if (reason === 'condition_failed') verdicts.push('may');
        else if (!allowed) verdicts.push('no');
        // Nobody knows who shows such a token.
        else verdicts.push(some[position]?.groups ? 'may' : 'certain');
    }
    return verdicts;
  }

  return async (subject: string, scope: string, groups?: TokenGroups): Promise<Timeline> => {
    const { path, textOf } = await placeOf(scope);
    const item = state.subject(subject);
    const everyone = path.flatMap((each) => each.everyone ?? []);
    const token = groups && [scope, groups.issuer, ...groups.ids];
    const text = JSON.stringify([textOf(subject, item), everyone, token]);
    const found = known.get(text);
    if (found) return { ...found, scope };
    const from = instantsOf(item, path, at);
    const verdicts = await decide(
      from.flatMap((instant) =>
        permissions.map((permission) => ({ subject, permission, scope, at: instant, groups })),
      ),
    );
    const rows = from.map((_, n) => verdicts.slice(n * permissions.length, (n + 1) * permissions.length));
    const made = { scope, text, from, verdicts: rows };
    known.set(text, made);
    return made;
  };
}

/** When decisions about a subject may begin to differ at a scope, until the subject ends. */
function instantsOf(
  subject: SubjectItem | undefined,
  path: readonly ScopeItem[],
  at: number,
): readonly number[] {
  if (!subject) return [];
  const all = new Set([at]);
  for (const { ref } of path)
    for (const { start, end } of subject.assignments.get(ref) ?? [])
      for (const each of [start, end]) if (each > at && each < subject.endsAt) all.add(each);
  return [...all].sort((a, b) => a - b);
}
