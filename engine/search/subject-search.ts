import {
  type GlobalItem,
  type ScopeItem,
  type SubjectItem,
  subjectWith,
} from '../../table/decision/items.ts';
import { mayBeSubjectType } from '../../table/entities/scope-types.ts';
import {
  formatRef,
  isBuiltInSubject,
  isSubjectNode,
  parseRef,
  REGISTERED_SUBJECT,
  type Ref,
  readSubject,
  SUBJECT_NODES,
} from '../../table/identifiers.ts';
import { allOf, subjectsOf } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import {
  GLOBAL as EVERYWHERE,
  edgePrefix,
  edgesBetween,
  edgesOnward,
  parseKey,
  partitionOf,
} from '../../table/keys.ts';
import { OWNERSHIP } from '../../table/partition-queries.ts';
import type { Page, Range } from '../../table/reader.ts';
import { NO_GLOBAL } from '../decision-input.ts';
import { holdingsOf } from '../effective-roles.ts';
import type { Engine } from '../engine.ts';
import { withGroupRoles } from '../group-roles.ts';
import {
  type CheckedPermission,
  GLOBAL,
  GLOBAL_ID,
  GROUP_ROLES,
  groupRolesId,
  type ItemId,
  MEMBERSHIPS,
  membershipsId,
  PERMISSION,
  SCOPE,
  SUBJECT,
  TENANT_EFFECTS,
  type TenantEffects,
  tenantEffectsId,
} from '../items.ts';
import { mayAllow, permissionEffects } from '../permission-effects.ts';
import { readItems } from '../read-items.ts';
import { decideAll, type ListOptions, type Pager, type Position, type Step } from './page.ts';
import { type SearchReader, type Source, sourcesOf, walkSources } from './sources.ts';

export interface SubjectListOptions extends ListOptions {
  /** List only subjects of this type, such as `user`. */
  readonly type?: string | undefined;
}

/** A subject, and the grant by which it was found. */
interface Candidate {
  readonly subject: string;
  readonly foundBy: string;
}

/** The path of the scope, and the roles that may allow the permission there. */
interface Origin {
  readonly path: readonly ScopeItem[];
  readonly root: string;
  readonly global: GlobalItem;
  readonly allowing: ReadonlySet<string>;
  /** The global ones among `allowing`: they may be granted globally. */
  readonly globalRoles: ReadonlySet<string>;
  /** Groups on the path that carry a role in `allowing`, but for those at scopes whose groups stand apart. */
  readonly groups: ReadonlySet<string>;
  /** Whether one of them is a group of everyone. */
  readonly isEveryone: boolean;
}

/**
 * Subjects decided together. The longest path, the permission, the effects and the global item take 20 of 100
 * keys.
 */
const SUBJECTS_AT_ONCE = 80;

/**
 * Subject search: who may use a permission at a scope. The candidates are all subjects with a grant on the
 * path whose role may allow it, and the administrators; each is decided as by `check`. Their reads are strongly
 * consistent reads of the base table. Where a group of everyone carries such a role, they are all subjects as well,
 * listed from an index, so that one created just now may be missing.
 */
export const createSubjectSearch =
  (reader: SearchReader, engine: Pick<Engine, 'checkMany'>, fill: Pager) =>
  async (permission: string, scope: string, options: SubjectListOptions): Promise<Page<string>> => {
    const { type } = options;
    const couldBe = type === undefined || isSubjectType(type);
    let origin: Origin | undefined;
    const page = await fill<Candidate>({
      name: ['subjects', permission, scope, type ?? ''],
      options,
      together: SUBJECTS_AT_ONCE,
      steps: async function* (from): AsyncGenerator<Step<Candidate>> {
        if (couldBe) origin = await readOrigin(reader, permission, scope);
        if (!origin) return;
        const { path } = origin;
        // The groups of that scope have come back into its item: the list begins anew.
        const isThere = path.some(({ ref, groupsApart }) => groupsApart && ref === from?.apart);
        const begun = isThere ? from : undefined;
        if (!begun) yield* walkSources(reader, sourcesIn(origin, type), from?.apart ? undefined : from);
        yield* walkGroupsApart(reader, origin, type, begun);
      },
      decide: async (candidates, work) => {
        const ids = candidates.map(({ subject }) => ({ kind: SUBJECT, id: subject }));
        const items = await withGroupsOn(
          origin as Origin,
          reader,
          ids,
          await readItems<SubjectItem[]>(reader, ...ids),
        );
        // A subject with several grants is shown at one of them, the same one on every page.
        const isShown = candidates.map(({ foundBy }, position) => {
          const item = items[position];
          if (!item?.active) return false;
          const shown = shownBy(item, origin as Origin);
          // A member may be listed elsewhere than the scope says that was read before (ADR 0003): the check decides.
          return shown === undefined ? foundBy.startsWith(byGroup('')) : foundBy === shown;
        });
        const requests = candidates
          .filter((_, position) => isShown[position])
          .map(({ subject }) => ({ subject, permission, scope }));
        const decisions =
          requests.length === 0 ? [] : await decideAll(engine, requests, options, work, 'subject search');
        let next = 0;
        return isShown.map((shown) => (shown ? decisions[next++] : undefined));
      },
    });
    return { ...page, items: page.items.map(({ subject }) => subject) };
  };

/** The subjects, with what stands apart of them and of the scopes on the path: up to two calls more. */
async function withGroupsOn(
  { path }: Origin,
  reader: SearchReader,
  ids: readonly ItemId[],
  subjects: readonly (SubjectItem | null)[],
): Promise<readonly (SubjectItem | null)[]> {
  const parts = subjects.map((subject, position) =>
    subject?.groupsApart
      ? path.map(({ ref }) => ({ kind: MEMBERSHIPS, id: membershipsId(String(ids[position]?.id), ref) }))
      : [],
  );
  const read = [...(await readItems<(readonly string[])[]>(reader, ...parts.flat()))];
  const whole = subjects.map((subject, position) => {
    const groups = read.splice(0, parts[position]?.length);
    return subject?.groupsApart
      ? subjectWith(subject, { groupsAt: new Map(path.map(({ ref }, n) => [ref, groups[n] ?? []])) })
      : subject;
  });
  return withGroupRoles(reader, path, whole);
}

/** Undefined if nobody can be allowed: the scope or the permission does not exist or is inactive. */
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
  const allowing = mayAllow(permissionEffects({ name, permission, tenantEffects }, place));
  const isAllowing = (role: string): boolean => allowing.has(role);
  const groups = path.flatMap((each) => [...each.groups].filter(([, roles]) => roles.some(isAllowing)));
  const carrying = new Set(groups.map(([group]) => group));
  return {
    path,
    root,
    global,
    allowing,
    globalRoles: new Set([...global.roles.keys()].filter(isAllowing)),
    groups: carrying,
    isEveryone: path.some(({ everyone }) => everyone !== undefined && carrying.has(everyone)),
  };
}

const ADMIN = 'admin';
const GRANT = 'grant';
const EVERYONE = 'everyone';
const byGlobalRole = (role: string): string => `role ${role}`;
const byGroup = (group: string): string => `group ${group}`;
const byAssignment = (scope: string, role: string): string => `assignment ${scope} ${role}`;

/**
 * The grant at which a subject is shown; undefined if it has none. The check decides whether it is in force.
 */
function shownBy(subject: SubjectItem, origin: Origin): string | undefined {
  const { path, allowing, globalRoles } = origin;
  if (subject.isAdmin) return ADMIN;
  const everyone = new Set(path.map((scope) => scope.everyone));
  const found: string[] = [];
  for (const holding of holdingsOf(subject, { scopes: path })) {
    if (!allowing.has(holding.role)) continue;
    if (holding.kind === 'group') {
      if (!everyone.has(holding.group)) found.push(byGroup(holding.group));
    } else if (holding.kind === 'assignment') found.push(byAssignment(holding.scope, holding.role));
    else if (holding.kind === 'grant') found.push(GRANT);
    else if (globalRoles.has(holding.role)) found.push(byGlobalRole(holding.role));
  }
  // Whoever has a grant of their own is found by it, without the index.
  return found.sort()[0] ?? (origin.isEveryone ? EVERYONE : undefined);
}

const isSubjectType = (type: string): boolean => isBuiltInSubject(type) || mayBeSubjectType(type);

const isOf = (subject: string, type: string | undefined): boolean =>
  type === undefined || subject.startsWith(`${type}:`);

/** The edges of a node to subjects, or to those of one type. */
function subjectsAt(ref: Ref, type: string | undefined): Range {
  const partition = partitionOf(ref);
  if (type === undefined) return { partition, between: edgesBetween(...SUBJECT_NODES) };
  const prefix = isBuiltInSubject(type) ? edgePrefix(type) : `${edgePrefix(REGISTERED_SUBJECT)}${type}:`;
  return { partition, prefix };
}
const edgesAt = (ref: string, kind: string): Range => ({
  partition: partitionOf(parseRef(ref, 'scope')),
  prefix: edgePrefix(kind),
});

/** All subjects, or those of one type. */
const everySubject = (type: string | undefined): readonly Source<Candidate>[] =>
  (type === undefined ? SUBJECT_KINDS.map((kind) => allOf(kind)) : [subjectsOf(type)]).flatMap((query) =>
    sourcesOf(query, (item) => {
      const key = parseKey(item);
      return key?.form === 'node' && isSubjectNode(key)
        ? { subject: formatRef(key), foundBy: EVERYONE }
        : undefined;
    }),
  );
const SUBJECT_KINDS = ['subject', 'technical-user', 'user'] as const;

/** Edges of one label. They name a user by id and other subjects by reference. */
const edgeSource = (
  type: string | undefined,
  range: Range,
  label: string,
  foundBy: (edge: Item) => string | undefined,
): Source<Candidate> => ({
  range,
  read: (edge) => {
    const { Type, user } = edge;
    if (Type !== label || typeof user !== 'string') return undefined;
    const [subject, found] = [formatRef(readSubject(user, 'user')), foundBy(edge)];
    return found === undefined || !isOf(subject, type) ? undefined : { subject, foundBy: found };
  },
});

/** The members of a group. */
const membersOf = (group: string, type: string | undefined): Source<Candidate> =>
  edgeSource(type, subjectsAt({ type: 'group', id: group }, type), 'Membership', () => byGroup(group));

/** Groups of a scope that are listed, and whose roles are read, together. */
const GROUPS_AT_ONCE = 100;

/**
 * The members of the groups of scopes whose groups stand apart: scope by scope, group by group, since they may be too
 * many to be known beforehand. A place names both.
 */
async function* walkGroupsApart(
  reader: SearchReader,
  { path, allowing }: Origin,
  type: string | undefined,
  from: Position | undefined,
): AsyncGenerator<Step<Candidate>> {
  let begun = from;
  for (const { ref, groupsApart } of path) {
    if (!groupsApart || allowing.size === 0 || (begun && begun.apart !== ref)) continue;
    const partition = partitionOf(parseRef(ref, 'scope'));
    const query = { ranges: [{ partition, between: edgesOnward('group', begun?.group) }] };
    for (let cursor: string | undefined; ; ) {
      const page = await reader.list({ ...query, limit: GROUPS_AT_ONCE, cursor });
      const groups = page.items.flatMap(({ Type, SK }) =>
        Type === OWNERSHIP ? [SK.slice(edgePrefix('group').length)] : [],
      );
      const read = await readItems<(readonly string[])[]>(
        reader,
        ...groups.map((group) => ({ kind: GROUP_ROLES, id: groupRolesId(group) })),
      );
      for (const [position, group] of groups.entries()) {
        const place = { apart: ref, group };
        const within: Position | undefined = begun?.group === group ? begun : undefined;
        if (read[position]?.some((role) => allowing.has(role)))
          for await (const step of walkSources(reader, [membersOf(group, type)], within))
            yield { ...step, place: { ...step.place, ...place } };
        else yield { place };
      }
      cursor = page.cursor;
      if (cursor === undefined) break;
    }
    begun = undefined;
  }
}

/** Where the candidates are: of all types, or of one. Those by groups that stand apart are elsewhere. */
function sourcesIn(
  { path, root, allowing, globalRoles, groups, isEveryone }: Origin,
  type: string | undefined,
): readonly Source<Candidate>[] {
  const source = (range: Range, label: string, foundBy: (edge: Item) => string | undefined) =>
    edgeSource(type, range, label, foundBy);
  const isAllowing = (role: unknown): boolean => typeof role === 'string' && allowing.has(role);
  const byGrant = ({ roles }: Item) => (Array.isArray(roles) && roles.some(isAllowing) ? GRANT : undefined);
  const ofUsers = source(edgesAt(root, 'user'), 'TenantGrant', byGrant);
  const ofOthers = source(edgesAt(root, 'grant'), 'TenantGrant', byGrant);
  return [
    source(subjectsAt(EVERYWHERE, type), 'Admin', () => ADMIN),
    ...[...globalRoles].map((id) =>
      source(subjectsAt({ type: 'role', id }, type), 'GlobalRole', () => byGlobalRole(id)),
    ),
    ...[...groups].map((id) => membersOf(id, type)),
    // Without an allowing role, no assignment and no tenant grant can allow.
    ...(allowing.size === 0
      ? []
      : [
          ...path.map(({ ref }) =>
            source(edgesAt(ref, 'assignment'), 'Assignment', ({ role }) =>
              isAllowing(role) ? byAssignment(ref, String(role)) : undefined,
            ),
          ),
          ...(type === undefined ? [ofUsers, ofOthers] : [type === 'user' ? ofUsers : ofOthers]),
        ]),
    ...(isEveryone ? everySubject(type) : []),
  ];
}
