/** One kind of call, and how many of it went out. `index` is null for the base table. */
export interface Operation {
  readonly operation: string;
  readonly index: string | null;
  readonly calls: number;
}

interface Call {
  readonly operation: string;
  readonly index?: string | undefined;
}

const nameOf = ({ operation, index }: Call): string => [operation, index ?? ''].join(' ').trim();

/** Counts calls by operation and index, in the order in which each first went out. */
export function tally(calls: readonly Call[]): readonly Operation[] {
  const counts = new Map<string, Operation>();
  for (const call of calls) {
    const name = nameOf(call);
    const { operation, index = null } = call;
    counts.set(name, { operation, index, calls: (counts.get(name)?.calls ?? 0) + 1 });
  }
  return [...counts.values()];
}

/** Of several tallies, put one after the other, the most of each kind. */
export function mostOf(tallies: readonly Operation[]): readonly Operation[] {
  const most = new Map<string, Operation>();
  for (const each of tallies) {
    const name = nameOf({ ...each, index: each.index ?? undefined });
    if ((most.get(name)?.calls ?? 0) < each.calls) most.set(name, each);
  }
  return [...most.values()];
}

/** Names of calls in order; of a list that takes several pages or partitions the Query is named once. */
export const namesOf = (calls: readonly Call[]): readonly string[] =>
  calls.map(nameOf).filter((name, place, names) => !name.startsWith('Query') || name !== names[place - 1]);

/** What must have gone out: all that is declared, or its first reads when they found nothing. */
export const expectedNames = (
  declared: readonly string[],
  actual: readonly string[],
  foundNothing: boolean,
): readonly string[] => declared.slice(0, foundNothing ? Math.max(1, actual.length) : declared.length);

/** Whether an answer says that there is nothing. */
export const isNothing = (answer: unknown): boolean =>
  answer === undefined ||
  (typeof answer === 'object' &&
    answer !== null &&
    'items' in answer &&
    Array.isArray(answer.items) &&
    answer.items.length === 0);
