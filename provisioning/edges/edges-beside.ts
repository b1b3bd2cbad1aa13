import { formatRef, isSubjectNode, type Ref } from '../../table/identifiers.ts';
import { GLOBAL, identityOf, nodeKey, parseKey } from '../../table/keys.ts';
import { type Action, keyOf } from '../../table/write/action.ts';
import type { AuditEntry } from '../plan.ts';
import type { Attributes } from '../visible.ts';
import type { Edge } from './edge.ts';
import { readEdge } from './read-edge.ts';

/**
 * What a transaction changes beside what its audit entries are about: edges that go with a node, or that a template
 * gives, memberships that a connection suspends, as `edges`; nodes that an onboarding makes, by reference, as `made`. It
 * is read off the actions, so that no command can forget it. A record of before this has none where it would need it.
 */
export interface ChangedEdge {
  /** `Type` of its items. */
  readonly label: string;
  readonly before?: Attributes;
  readonly after?: Attributes;
}

/** The kinds of edges that decide, by the type of the entity in an audit record: `Type` of their items. */
export const EDGE_LABELS: Readonly<Record<string, string>> = {
  membership: 'Membership',
  'group-role': 'GroupRole',
  'role-permission': 'RolePermission',
  assignment: 'Assignment',
  grant: 'TenantGrant',
  'global-role': 'GlobalRole',
  admin: 'Admin',
};

/** Of an item that is read for its attributes alone. */
const ANY_KEY = nodeKey({ type: 'edge', id: 'any' });

/** The edge that has these attributes. Throws `damaged_item` where one is missing. */
export const edgeOf = (label: string, of: Attributes): Edge =>
  readEdge({ ...of, ...ANY_KEY, Type: label }) as Edge;

/** Which edge stands at a key, where it is that of its first item. */
function labelAt(parsed: ReturnType<typeof parseKey>): string | undefined {
  if (parsed?.form !== 'edge') return undefined;
  const [to] = parsed.to;
  if (isSubjectNode(parsed)) {
    if (parsed.kind === 'assignment') return 'Assignment';
    if (to?.type === GLOBAL.type) return 'Admin';
    return to?.type === 'group' ? 'Membership' : to?.type === 'role' ? 'GlobalRole' : undefined;
  }
  if (parsed.type === 'group') return to?.type === 'role' ? 'GroupRole' : undefined;
  if (parsed.type === 'role')
    return to?.type === 'page' || to?.type === 'permission' ? 'RolePermission' : undefined;
  return to && isSubjectNode(to) && parsed.kind !== 'assignment' ? 'TenantGrant' : undefined;
}

/** What an action on the first item of an edge does to the edge; undefined where it only looks at it. */
function changeBy(label: string, action: Action): ChangedEdge | undefined {
  if (action.kind === 'put')
    return action.item.Type === label
      ? { label, after: plain(edgeOf(label, action.item).attributes) }
      : undefined;
  // Only the first item has the condition that all attributes are as they were read.
  const before = action.when?.equals;
  if (action.kind === 'check' || (before?.user ?? before?.role) === undefined) return undefined;
  if (action.kind === 'delete') return { label, before: plain(before ?? {}) };
  const after: Record<string, unknown> = { ...before, ...action.set };
  for (const name of action.remove ?? []) delete after[name];
  return { label, before: plain(before ?? {}), after: plain(after) };
}

const plain = (of: Attributes): Attributes =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined));

/** The key by which an edge is known, of what it is before or after. */
export const nameOfEdge = ({ label, before, after }: ChangedEdge): string =>
  identityOf(edgeOf(label, before ?? after ?? {}).keys[0]);

/** Whose records say which edges went or changed with it, were it none. */
const saysEdges = ({ entity, before, after }: AuditEntry): boolean =>
  entity.type === 'scim-user' ||
  (before !== undefined && after === undefined && EDGE_LABELS[entity.type] === undefined);

/** Audit entries with what is changed beside them: each edge at an entry of one of its ends. */
export function withBeside(
  entries: readonly AuditEntry[],
  actions: readonly Action[],
): readonly AuditEntry[] {
  if (entries.length === 0) return entries;
  const own = new Set(
    entries.flatMap(({ entity, before, after }) => {
      const label = EDGE_LABELS[entity.type];
      const of = before ?? after;
      return label && of ? [nameOfEdge({ label, before: of })] : [];
    }),
  );
  const beside = new Map<AuditEntry, ChangedEdge[]>(entries.filter(saysEdges).map((entry) => [entry, []]));
  const whole = entries.filter(({ after }) => after?.createdAt !== undefined);
  const named = new Set(whole.map(({ entity }) => formatRef(entity)));
  const made: string[] = [];
  for (const action of actions) {
    const key = keyOf(action);
    const parsed = parseKey(key);
    if (parsed?.form === 'node' && action.kind === 'put' && action.when?.exists === false)
      if (parsed.type !== 'grant' && !named.has(formatRef(parsed))) made.push(formatRef(parsed));
    const label = labelAt(parsed);
    if (label === undefined || own.has(identityOf(key))) continue;
    const change = changeBy(label, action);
    if (!change) continue;
    const isEnd = ({ entity }: AuditEntry) =>
      endsOf(change).some((end) => formatRef(end) === formatRef(entity));
    const entry = entries.find(isEnd) ?? (entries[0] as AuditEntry);
    beside.set(entry, [...(beside.get(entry) ?? []), change]);
  }
  return entries.map((entry, position) => {
    const edges = beside.get(entry);
    const more = { ...(edges ? { edges } : {}), ...(position === 0 && made.length > 0 ? { made } : {}) };
    return Object.keys(more).length > 0 ? { ...entry, details: { ...entry.details, ...more } } : entry;
  });
}

const endsOf = ({ label, before, after }: ChangedEdge): readonly Ref[] =>
  edgeOf(label, before ?? after ?? {}).ends.map(({ ref }) => ref);
