import { entityOf } from '../../table/entities/registry.ts';
import { identityOf } from '../../table/keys.ts';
import { guardKeyOf } from '../nodes/guards.ts';
import type { Row } from './entry.ts';
import { SCOPE_KINDS } from './phase.ts';
import type { Problem } from './problem.ts';
import type { State } from './state.ts';
import type { Step } from './steps.ts';
import { WORDS } from './words.ts';

/** The unique values of a node: each with its field, and as the table has it once. */
const uniqueOf = (kind: string, row: Row) =>
  (entityOf(kind)?.guards ?? []).flatMap((guard) => {
    const key = guardKeyOf(guard, row);
    return key ? [{ field: guard.field, value: identityOf(key) }] : [];
  });

/** Who has a unique value; `isThere`: in the table, and not only by a step. */
interface Owner {
  readonly node: string;
  readonly label: string;
  readonly isThere: boolean;
}

/** Steps that take a unique value that another node of the manifest has until a later step, as when two exchange it. */
export function takenTooEarly(
  steps: readonly Step[],
  { current }: Pick<State, 'current'>,
): readonly Problem[] {
  const rows = new Map<string, Row>();
  const owners = new Map<string, Owner>();
  const keep = (kind: string, row: Row, owner: Owner): void => {
    rows.set(owner.node, row);
    for (const { value } of uniqueOf(kind, row)) owners.set(value, owner);
  };
  const leave = (kind: string, node: string): void => {
    for (const { value } of uniqueOf(kind, rows.get(node) ?? {}))
      if (owners.get(value)?.node === node) owners.delete(value);
  };
  for (const { kind, identity, values, label } of current)
    keep(kind, values, { node: `${kind}:${identity.id}`, label, isThere: true });
  return steps.flatMap(({ verb, kind, label, input, path }): readonly Problem[] => {
    const node = `${kind}:${input.id}`;
    const row = { ...rows.get(node), ...input };
    leave(kind, node);
    if (verb === 'remove') {
      // What is below it goes as well.
      if (SCOPE_KINDS.has(kind)) owners.clear();
      return [];
    }
    const problems = uniqueOf(kind, row).flatMap(({ field, value }): readonly Problem[] => {
      const owner = owners.get(value);
      const before = owner?.isThere ? ', or change that one in an apply before' : '';
      const message = `is that of ${owner?.label} then: give another one${before}`;
      return owner ? [{ path: [...path, WORDS[field] ?? field], message }] : [];
    });
    keep(kind, row, { node, label, isThere: false });
    return problems;
  });
}
