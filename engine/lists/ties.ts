import type { PermissionFacts, RoleTable, ScopeFacts, SubjectFacts } from '../../table/decision/facts.ts';
import { parseRef } from '../../table/identifiers.ts';
import { edgesFrom } from '../../table/patterns/stretches.ts';
import { type CheckedPermission, needOwnedEffects, needScope } from '../needs.ts';
import { mayAllow, readFacts } from './facts.ts';
import type { Found, ListReader } from './sources.ts';

export interface Tied {
  readonly subject: string;
  readonly who: SubjectFacts;
  readonly permission: CheckedPermission;
  /** The permission's name. */
  readonly text: string;
  readonly global: RoleTable;
  readonly at: number;
}

/** Scopes looked at together. */
const AT_ONCE = 50;

/**
 * The highest scopes at which a subject holds a role that allows a permission: by assignment, by a group, by a
 * grant in a root. None is below another, so that what is below them is walked once.
 *
 * @param after the scope that came last on the page before
 */
export async function* tiesOf(
  reader: ListReader,
  { subject, who, permission, text, global, at }: Tied,
  after: string | undefined,
): AsyncGenerator<Found<string>> {
  const memberships =
    who.groups.length > 0 ? await reader.listAll(edgesFrom(parseRef(subject, 'subject'), 'group')) : [];
  const tied = new Set([
    ...who.assignments.keys(),
    ...who.grants.keys(),
    ...memberships.map(({ scope }) => String(scope)),
  ]);
  const known = new Map<string, ScopeFacts | null>();
  const effects = new Map<string, PermissionFacts | null>();
  /** Reads what is not known yet of these scopes. */
  const learn = async (refs: readonly string[]): Promise<void> => {
    const unknown = [...new Set(refs)].filter((ref) => !known.has(ref));
    const facts = await readFacts<ScopeFacts[]>(reader, ...unknown.map(needScope));
    for (const [position, ref] of unknown.entries()) known.set(ref, facts[position] ?? null);
  };
  const learnEffects = async (roots: readonly string[]): Promise<void> => {
    const unknown = [...new Set(roots)].filter((root) => !effects.has(root));
    const facts = await readFacts<PermissionFacts[]>(
      reader,
      ...unknown.map((root) => needOwnedEffects(root, text)),
    );
    for (const [position, root] of unknown.entries()) effects.set(root, facts[position] ?? null);
  };

  const rootOf = ({ ref, ancestors }: ScopeFacts): string => ancestors.at(-1) ?? ref;

  /** Whether the subject holds a role there that allows the permission. */
  function holds(ref: string): boolean {
    const scope = known.get(ref);
    if (!scope) return false;
    const root = rootOf(scope);
    const own = known.get(root)?.roles ?? new Map();
    const roles = [
      ...who.groups.flatMap((group) => scope.groups.get(group) ?? []),
      ...(who.assignments.get(ref) ?? [])
        .filter(({ start, end }) => start <= at && at < end)
        .map(({ role }) => role),
      ...(root === ref ? (who.grants.get(root) ?? []) : []),
    ];
    return roles.some((role) =>
      mayAllow(role, { permission, global, own, owned: effects.get(root) ?? null }),
    );
  }

  const rest = [...tied].sort().filter((ref) => after === undefined || ref > after);
  for (let start = 0; start < rest.length; start += AT_ONCE) {
    const refs = rest.slice(start, start + AT_ONCE);
    await learn(refs);
    const found = refs.flatMap((ref) => known.get(ref) ?? []);
    const roots = found.map(rootOf);
    // The path of each as well: what is closed above is closed below.
    await Promise.all([learn(found.flatMap(({ ancestors }) => ancestors)), learnEffects(roots)]);
    for (const { ref, active, ancestors } of found) {
      const isOpen = active && ancestors.every((above) => known.get(above)?.active);
      const isTop = !ancestors.some((above) => tied.has(above) && holds(above));
      const place = { tie: ref };
      yield isOpen && isTop && holds(ref) ? { value: ref, place } : { place };
    }
  }
}
