import type { GlobalItem, ScopeItem, SubjectItem } from '../../table/decision/items.ts';
import { isRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { GLOBAL as EVERYWHERE, edgePrefix, edgesBetween, partitionOf } from '../../table/keys.ts';
import type { Page, Range } from '../../table/reader.ts';
import { NO_GLOBAL } from '../decision-input.ts';
import { holdingsOf } from '../effective-roles.ts';
import type { Engine } from '../engine.ts';
import {
  type CheckedPermission,
  GLOBAL,
  GLOBAL_ID,
  PERMISSION,
  SCOPE,
  SUBJECT,
  TENANT_EFFECTS,
  type TenantEffects,
  tenantEffectsId,
} from '../items.ts';
import { permissionEffects } from '../permission-effects.ts';
import { readItems } from '../read-items.ts';
import { decisionOptions, type ListOptions, type Pager, type Step } from './page.ts';
import { type SearchReader, type Source, walkSources } from './sources.ts';

/** A subject, and the holding by which it was found. */
interface Candidate {
  readonly subject: string;
  readonly foundBy: string;
}

/** Where a permission may be allowed from: the scopes of the path, and the roles that may allow it there. */
interface Origin {
  readonly path: readonly ScopeItem[];
  readonly root: string;
  readonly global: GlobalItem;
  readonly allowing: ReadonlySet<string>;
  /** Of these, the global ones: they can be held everywhere. */
  readonly globalRoles: ReadonlySet<string>;
  /** Groups of the path that carry one of these roles. */
  readonly groups: ReadonlySet<string>;
}

/** The scopes of the longest path, the permission with the effects of its root and what holds everywhere: 20 keys. */
const SUBJECTS_AT_ONCE = 80;

/**
 * Subject search: who may use a permission at a scope. Candidates are those who hold a role that may allow it in one of
 * the ways that count here, and the administrators; each is decided as a check would. All of it is read from the base
 * table, strongly consistent.
 */
export const createSubjectSearch =
  (reader: SearchReader, engine: Pick<Engine, 'checkMany'>, fill: Pager) =>
  async (permission: string, scope: string, options: ListOptions = {}): Promise<Page<string>> => {
    let origin: Origin | undefined;
    const page = await fill<Candidate>({
      name: ['subjects', permission, scope],
      options,
      together: SUBJECTS_AT_ONCE,
      steps: async function* (from): AsyncGenerator<Step<Candidate>> {
        origin = await readOrigin(reader, permission, scope);
        if (!origin) return;
        for await (const { value, place } of walkSources(reader, sourcesIn(origin), from)) {
          yield value === undefined ? { place } : { candidate: value, place };
        }
      },
      decide: async (candidates) => {
        const ids = candidates.map(({ subject }) => ({ kind: SUBJECT, id: subject }));
        const items = await readItems<SubjectItem[]>(reader, ...ids);
        // Who is found by several holdings is shown by one of them, which is the same on every page.
        const isShown = candidates.map(({ foundBy }, position) => {
          const item = items[position];
          return item?.active === true && foundBy === shownBy(item, origin as Origin);
        });
        const requests = candidates
          .filter((_, position) => isShown[position])
          .map(({ subject }) => ({ subject, permission, scope }));
        if (requests.length === 0) return isShown;
        const { decisions } = await engine.checkMany(requests, decisionOptions(options));
        let next = 0;
        return isShown.map((shown) => shown && decisions[next++]?.allowed === true);
      },
    });
    return { ...page, items: page.items.map(({ subject }) => subject) };
  };

/** Undefined when nobody can be allowed: the scope or the permission is not there, or is closed. */
async function readOrigin(reader: SearchReader, name: string, scope: string): Promise<Origin | undefined> {
  const [permission, first, everywhere] = await readItems<[CheckedPermission, ScopeItem, GlobalItem]>(
    reader,
    { kind: PERMISSION, id: name },
    { kind: SCOPE, id: scope },
    { kind: GLOBAL, id: GLOBAL_ID },
  );
  if (!permission?.registered || !first?.active) return undefined;
  const root = first.ancestors.at(-1) ?? first.ref;
  const [tenantEffects, ...above] = await readItems<[TenantEffects, ...ScopeItem[]]>(
    reader,
    { kind: TENANT_EFFECTS, id: tenantEffectsId(root, name) },
    ...first.ancestors.map((id) => ({ kind: SCOPE, id })),
  );
  const path = [first, ...above].filter((each) => each?.active) as readonly ScopeItem[];
  if (path.length <= first.ancestors.length) return undefined;
  const global = everywhere ?? NO_GLOBAL;
  const place = { scopes: path, global };
  const { allow: allowing } = permissionEffects({ name, permission, tenantEffects }, place);
  const isAllowing = (role: string): boolean => allowing.has(role);
  const groups = path.flatMap((each) => [...each.groups].filter(([, roles]) => roles.some(isAllowing)));
  return {
    path,
    root,
    global,
    allowing,
    globalRoles: new Set([...global.roles.keys()].filter(isAllowing)),
    groups: new Set(groups.map(([group]) => group)),
  };
}

const ADMIN = 'admin';
const GRANT = 'grant';
const byGlobalRole = (role: string): string => `role ${role}`;
const byGroup = (group: string): string => `group ${group}`;
const byAssignment = (scope: string, role: string): string => `assignment ${scope} ${role}`;

/** By which holding a subject is shown; undefined when it has none. Whether that is in force is for the check. */
function shownBy(subject: SubjectItem, { path, allowing, globalRoles }: Origin): string | undefined {
  if (subject.isAdmin) return ADMIN;
  const found: string[] = [];
  for (const holding of holdingsOf(subject, { scopes: path })) {
    if (!allowing.has(holding.role)) continue;
    if (holding.kind === 'group') found.push(byGroup(holding.group));
    else if (holding.kind === 'assignment') found.push(byAssignment(holding.scope, holding.role));
    else if (holding.kind === 'grant') found.push(GRANT);
    else if (globalRoles.has(holding.role)) found.push(byGlobalRole(holding.role));
  }
  return found.sort()[0];
}

const SUBJECTS = ['technical-user', 'user'];
const subjectsAt = (ref: Ref): Range => ({ partition: partitionOf(ref), between: edgesBetween(...SUBJECTS) });
const edgesAt = (ref: string, type: string): Range => ({
  partition: partitionOf(parseRef(ref, 'scope')),
  prefix: edgePrefix(type),
});

/** Reads edges of one kind: each names its subject, a user by id and a technical user by reference. */
const source = (
  range: Range,
  label: string,
  foundBy: (edge: Item) => string | undefined,
): Source<Candidate> => ({
  range,
  read: (edge) => {
    const { Type, user } = edge;
    if (Type !== label || typeof user !== 'string') return undefined;
    const found = foundBy(edge);
    return found === undefined ? undefined : { subject: isRef(user) ? user : `user:${user}`, foundBy: found };
  },
});

function sourcesIn({ path, root, allowing, globalRoles, groups }: Origin): readonly Source<Candidate>[] {
  const isAllowing = (role: unknown): boolean => typeof role === 'string' && allowing.has(role);
  const byGrant = ({ roles }: Item) => (Array.isArray(roles) && roles.some(isAllowing) ? GRANT : undefined);
  return [
    source(subjectsAt(EVERYWHERE), 'Admin', () => ADMIN),
    ...[...globalRoles].map((id) =>
      source(subjectsAt({ type: 'role', id }), 'GlobalRole', () => byGlobalRole(id)),
    ),
    ...[...groups].map((id) => source(subjectsAt({ type: 'group', id }), 'Membership', () => byGroup(id))),
    // Without a role that allows, nobody's assignment or grant can.
    ...(allowing.size === 0
      ? []
      : [
          ...path.map(({ ref }) =>
            source(edgesAt(ref, 'assignment'), 'Assignment', ({ role }) =>
              isAllowing(role) ? byAssignment(ref, String(role)) : undefined,
            ),
          ),
          source(edgesAt(root, 'user'), 'TenantGrant', byGrant),
          source(edgesAt(root, 'grant'), 'TenantGrant', byGrant),
        ]),
  ];
}
