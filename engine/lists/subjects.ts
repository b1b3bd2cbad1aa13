import type { GlobalFacts, PermissionFacts, ScopeFacts, SubjectFacts } from '../../table/decision/facts.ts';
import { isRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgePrefix, edgesBetween, GLOBAL, partitionOf } from '../../table/keys.ts';
import type { Page, Range } from '../../table/read/query.ts';
import type { Engine } from '../engine.ts';
import {
  type CheckedPermission,
  GLOBAL_FACTS,
  needOwnedEffects,
  needPermission,
  needScope,
  needSubject,
} from '../needs.ts';
import { mayAllow, readFacts } from './facts.ts';
import type { ListOptions, Pager, Step } from './page.ts';
import { given } from './permissions.ts';
import { type ListReader, type Source, walkSources } from './sources.ts';

/** A subject, and the tie by which it was found. */
interface Candidate {
  readonly subject: string;
  readonly tie: string;
}

/** Where a permission may be allowed from: the scopes of the path, and the roles that allow it there. */
interface Origin {
  readonly path: readonly ScopeFacts[];
  readonly root: string;
  readonly allowing: ReadonlySet<string>;
  /** Of these, the roles that can be held everywhere. */
  readonly everywhere: readonly string[];
  /** Groups of the path that carry one of these roles. */
  readonly groups: ReadonlySet<string>;
}

/** The scopes of the longest path, the permission with its owned effects and what holds everywhere: 20 keys. */
const SUBJECTS_AT_ONCE = 80;

/**
 * Who may use a permission at a scope. Candidates are those who hold a role that allows it in one of the ways
 * that count here, and the administrators; each is decided as a check would. All of it is read from the base
 * table, strongly consistent.
 */
export const subjectLists =
  (reader: ListReader, engine: Pick<Engine, 'checkMany'>, fill: Pager) =>
  async (permission: string, scope: string, options: ListOptions = {}): Promise<Page<string>> => {
    let origin: Origin | undefined;
    const page = await fill<Candidate>({
      name: ['subjects', permission, scope],
      options,
      together: SUBJECTS_AT_ONCE,
      steps: async function* (from): AsyncGenerator<Step<Candidate>> {
        origin = await originOf(reader, permission, scope);
        if (!origin) return;
        for await (const { value, place } of walkSources(reader, sourcesIn(origin), from)) {
          yield value === undefined ? { place } : { candidate: value, place };
        }
      },
      decide: async (candidates) => {
        const known = await readFacts<SubjectFacts[]>(
          reader,
          ...candidates.map(({ subject }) => needSubject(subject)),
        );
        // Whoever is tied in several ways is shown by one of them, which is the same on every page.
        const isShown = candidates.map(({ tie }, position) => {
          const facts = known[position];
          return facts?.active === true && tie === tieOf(facts, origin as Origin);
        });
        const requests = candidates
          .filter((_, position) => isShown[position])
          .map(({ subject }) => ({ subject, permission, scope }));
        const decisions = requests.length > 0 ? await engine.checkMany(requests, given(options)) : [];
        let next = 0;
        return isShown.map((shown) => shown && decisions[next++]?.allowed === true);
      },
    });
    return { ...page, items: page.items.map(({ subject }) => subject) };
  };

/** Undefined when nobody can be allowed: the place or the permission is not there, or is closed. */
async function originOf(reader: ListReader, text: string, scope: string): Promise<Origin | undefined> {
  const [permission, first, global] = await readFacts<[CheckedPermission, ScopeFacts, GlobalFacts]>(
    reader,
    needPermission(text),
    needScope(scope),
    GLOBAL_FACTS,
  );
  if (!permission?.registered || !first?.active) return undefined;
  const root = first.ancestors.at(-1) ?? first.ref;
  const [owned, ...above] = await readFacts<[PermissionFacts, ...ScopeFacts[]]>(
    reader,
    needOwnedEffects(root, text),
    ...first.ancestors.map(needScope),
  );
  const path = [first, ...above].filter((each) => each?.active) as readonly ScopeFacts[];
  if (path.length <= first.ancestors.length) return undefined;
  const own = path.at(-1)?.roles ?? new Map();
  const effects = { permission, global: global?.roles ?? new Map(), own, owned };
  const allowing = new Set(
    [...effects.own.keys(), ...effects.global.keys()].filter((role) => mayAllow(role, effects)),
  );
  const carries = (roles: readonly string[]) => roles.some((role) => allowing.has(role));
  const groups = path.flatMap((each) => [...each.groups].filter(([, roles]) => carries(roles)));
  return {
    path,
    root,
    allowing,
    everywhere: [...effects.global.keys()].filter((role) => allowing.has(role)).sort(),
    groups: new Set(groups.map(([group]) => group)),
  };
}

const ADMIN = 'admin';
const GRANT = 'grant';
const globalTie = (role: string): string => `role ${role}`;
const groupTie = (group: string): string => `group ${group}`;
const assignmentTie = (scope: string, role: string): string => `assignment ${scope} ${role}`;

/** The tie by which a subject is shown; undefined when it has none. Whether it counts now is for the check. */
function tieOf(
  facts: SubjectFacts,
  { path, root, allowing, everywhere, groups }: Origin,
): string | undefined {
  if (facts.isAdmin) return ADMIN;
  const role = everywhere.find((each) => facts.globalRoles.includes(each));
  if (role !== undefined) return globalTie(role);
  const group = [...facts.groups].sort().find((each) => groups.has(each));
  if (group !== undefined) return groupTie(group);
  for (const { ref } of path) {
    const held = (facts.assignments.get(ref) ?? []).map((each) => each.role).sort();
    const assigned = held.find((each) => allowing.has(each));
    if (assigned !== undefined) return assignmentTie(ref, assigned);
  }
  return facts.grants.get(root)?.some((each) => allowing.has(each)) ? GRANT : undefined;
}

const SUBJECTS = ['technical-user', 'user'];
const subjectsAt = (ref: Ref): Range => ({ partition: partitionOf(ref), between: edgesBetween(...SUBJECTS) });
const edgesAt = (ref: string, type: string): Range => ({
  partition: partitionOf(parseRef(ref, 'scope')),
  prefix: edgePrefix(type),
});

/** Reads edges of one kind: each names its subject, a user by id and a technical user by reference. */
const source = (range: Range, label: string, tie: (edge: Item) => string | undefined): Source<Candidate> => ({
  range,
  read: (edge) => {
    const { Type, user } = edge;
    if (Type !== label || typeof user !== 'string') return undefined;
    const found = tie(edge);
    return found === undefined ? undefined : { subject: isRef(user) ? user : `user:${user}`, tie: found };
  },
});

function sourcesIn({ path, root, allowing, everywhere, groups }: Origin): readonly Source<Candidate>[] {
  const isAllowing = (role: unknown): boolean => typeof role === 'string' && allowing.has(role);
  const byGrant = ({ roles }: Item) => (Array.isArray(roles) && roles.some(isAllowing) ? GRANT : undefined);
  return [
    source(subjectsAt(GLOBAL), 'Admin', () => ADMIN),
    ...everywhere.map((id) => source(subjectsAt({ type: 'role', id }), 'GlobalRole', () => globalTie(id))),
    ...[...groups].map((id) => source(subjectsAt({ type: 'group', id }), 'Membership', () => groupTie(id))),
    // Without a role that allows, nobody's assignment or grant can.
    ...(allowing.size === 0
      ? []
      : [
          ...path.map(({ ref }) =>
            source(edgesAt(ref, 'assignment'), 'Assignment', ({ role }) =>
              isAllowing(role) ? assignmentTie(ref, String(role)) : undefined,
            ),
          ),
          source(edgesAt(root, 'user'), 'TenantGrant', byGrant),
          source(edgesAt(root, 'grant'), 'TenantGrant', byGrant),
        ]),
  ];
}
