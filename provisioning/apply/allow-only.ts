import { isAllowOnly } from '../edges/allow-only.ts';
import { isOfOperators } from '../operator-permissions.ts';
import type { Change } from './compare.ts';
import { type Entry, keyOf, without } from './entry.ts';
import type { Problem } from './problem.ts';

type Entries = ReadonlyMap<string, Entry>;

/** Whether roles and groups are allow-only in the end, as far as that is known, and which of them only then become it. */
function marksIn(desired: Entries, current: Entries) {
  const of = (kind: string, id: unknown) => {
    const key = keyOf({ kind, identity: { id } });
    return { now: current.get(key), wanted: desired.get(key) };
  };
  const isMarked = (kind: string, id: unknown): boolean => {
    const { now, wanted } = of(kind, id);
    return [now, wanted].some((entry) => entry && isAllowOnly(entry.values));
  };
  return {
    isMarked,
    /** Whether it is known and not allow-only. */
    isOther: (id: unknown): boolean => {
      const { now, wanted } = of('role', id);
      return (now ?? wanted) !== undefined && !isMarked('role', id);
    },
    becomes: (kind: 'role' | 'group', id: unknown): boolean => {
      const { now } = of(kind, id);
      return now !== undefined && !isAllowOnly(now.values) && isMarked(kind, id);
    },
  };
}

/**
 * A role that is there becomes allow-only when all that it denies is gone. What another one, or a group, may have of it
 * only then comes after that, in the phase `mark`; so does what stands for such a group in tokens.
 */
export function afterMarks(
  changes: readonly Change[],
  desired: Entries,
  current: Entries,
): readonly Change[] {
  const { isMarked, becomes } = marksIn(desired, current);
  return changes.flatMap((change): readonly Change[] => {
    const { verb, entry, input } = change;
    const { kind, identity } = entry;
    if (kind === 'group-role' && verb === 'create')
      return isMarked('group', identity.group) && becomes('role', identity.role)
        ? [{ ...change, phase: 'mark' }]
        : [change];
    if (kind === 'external-group' && verb === 'create')
      return becomes('group', input.group) ? [{ ...change, phase: 'mark' }] : [change];
    const { id } = identity;
    if (kind !== 'role' || !becomes('role', input.parent)) return [change];
    if (!isMarked('role', id) || becomes('role', id)) return [change];
    if (verb === 'change') return [{ ...change, phase: 'mark' }];
    const { parent, ...alone } = input;
    const later: Change = {
      verb: 'change',
      entry,
      command: 'role.update',
      input: { id, parent },
      before: alone,
      phase: 'mark',
    };
    return [{ ...change, input: alone }, later];
  });
}

/**
 * What allow-only roles and groups must not have in the end.
 *
 * @param kept what only the table has, and keeps
 * @param prune whether what follows from what the manifest leaves out counts
 */
export function allowOnlyProblems(
  desired: Entries,
  current: Entries,
  kept: readonly Entry[],
  prune: boolean,
): readonly Problem[] {
  const { isMarked, isOther } = marksIn(desired, current);
  return [...desired.values(), ...kept].flatMap((entry): readonly Problem[] => {
    const { kind, identity, label, path, implied } = entry;
    const now = current.get(keyOf(entry))?.values;
    const { effect, parent } = { ...now, ...(prune ? implied : {}), ...without(entry.values) };
    if (kind === 'role-permission' && effect === 'DENY' && isMarked('role', identity.role))
      return [{ path, message: `${label}: an allow-only role denies nothing` }];
    if (kind === 'role-permission' && isOfOperators(identity.permission) && isMarked('role', identity.role))
      return [{ path, message: `${label}: an allow-only role holds no permission of operators` }];
    if (kind === 'group-role' && isMarked('group', identity.group) && isOther(identity.role))
      return [{ path, message: `${label}: an allow-only group carries only allow-only roles` }];
    if (kind === 'role' && isMarked('role', identity.id) && isOther(parent))
      return [
        { path: [...path, 'parent'], message: `${label}: an allow-only role inherits only from such roles` },
      ];
    return [];
  });
}
