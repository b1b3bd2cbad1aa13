import { isScopeType } from '../../table/entities/registry.ts';
import { formatRef, isSubjectNode, parseRef, type Ref } from '../../table/identifiers.ts';
import { decisionKey, identityOf, isOfDecision, nodeKey, parseKey, permissionRef } from '../../table/keys.ts';
import { readPermissionName } from '../../table/permission-name.ts';
import { COHERENCE_MARGIN_MS } from '../../table/timing.ts';
import { canonical } from '../canonical.ts';
import { kindOf } from '../commands/node-kinds.ts';
import { EDGE_LABELS, edgeOf, nameOfEdge } from '../edges/edges-beside.ts';
import { entriesOfNode } from '../kinds/entries.ts';
import type { NodeKind } from '../kinds/node-kind.ts';
import { personalOf } from '../pseudonyms.ts';
import type { ChangeRecord } from '../replay/record.ts';
import { attempt } from '../verify/relation.ts';
import type { Attributes } from '../visible.ts';

/** What stands in the table now, in the place of attributes. */
export const NOW = 'now';
type Value = Attributes | undefined | typeof NOW;

interface Change {
  readonly at: string;
  readonly before: Attributes | undefined;
  readonly after: Attributes | undefined;
}

/** A node or an edge that was changed since the instant. */
export interface ChangedEntity {
  readonly of:
    | { readonly kind: NodeKind; readonly ref: Ref }
    | { readonly label: string; readonly some: Attributes };
  /** What it may have been at the instant: several where changes are within the margin of it, the earliest first. */
  readonly values: readonly Value[];
  /** What the last record says that it is now; undefined: nothing. */
  readonly last: Change;
  /** Decision items of which it says something, by identity. */
  readonly items: ReadonlySet<string>;
}

export interface ChangedEntities {
  readonly entities: ReadonlyMap<string, ChangedEntity>;
  /** Decision items of which the records do not say all, and why. */
  readonly unsure: ReadonlyMap<string, string>;
}

const OTHERS: readonly string[] = [
  'group',
  'role',
  'page',
  'permission',
  'module',
  'property',
  'subscription',
  'license',
  'external-group',
  'mandate',
  'resource-type',
  'scope-type',
  'subject-type',
];
/** The kind of a node that decides; undefined for others. */
const decidingKind = (type: string): NodeKind | undefined =>
  isScopeType(type) || isSubjectNode({ type }) || OTHERS.includes(type) ? kindOf(type) : undefined;

/** What other commands change of a node, or repeat. */
const REPEATED: ReadonlySet<string> = new Set([
  'createdAt',
  'updatedAt',
  'ancestors',
  'isAdmin',
  'lastLoginAt',
  'isByScope',
]);

/** Whether what a change leaves is what the next one finds. */
export function isFollowedBy({ after }: Change, next: Attributes | undefined, type: string): boolean {
  // A deletion and a move in steps repeat their record.
  if (next?.deletingSince !== undefined || next?.movingTo !== undefined) return true;
  if (after === undefined || next === undefined) return after === next;
  const skipped = new Set([...REPEATED, ...personalOf(type), ...(isSubjectNode({ type }) ? ['roles'] : [])]);
  return Object.keys(after).every(
    (name) => skipped.has(name) || canonical(after[name]) === canonical(next[name]),
  );
}

/** What was changed since an instant, as it was then. @param at epoch milliseconds */
export function entitiesAt(records: readonly ChangeRecord[], at: number): ChangedEntities {
  const known = new Map<string, { of: ChangedEntity['of']; type: string; changes: Change[] }>();
  const unsure = new Map<string, string>();
  const doubt = (items: Iterable<string>, why: string) => {
    for (const item of items) unsure.set(item, why);
  };
  const note = (name: string, type: string, of: ChangedEntity['of'], change: Change) => {
    const found = known.get(name) ?? { of, type, changes: [] };
    known.set(name, found);
    found.changes.push(change);
  };
  const noteEdge = (label: string, change: Change) => {
    const some = change.before ?? change.after ?? {};
    note(nameOfEdge({ label, before: some }), '', { label, some }, change);
  };

  const from = new Date(at - COHERENCE_MARGIN_MS).toISOString();
  for (const record of records) {
    if (record.at < from) continue;
    const { action, entity, before, after, edges } = record;
    const change = { at: record.at, before, after };
    if (action === 'audit.create') continue;
    if (action === 'verify.repair') {
      doubt((record.repaired ?? []).map(identityOf), `verify repaired it on ${record.at}`);
      continue;
    }
    const label = EDGE_LABELS[entity.type];
    const kind = decidingKind(entity.type);
    if (label && (before ?? after)) noteEdge(label, change);
    // A step of `user.erase` that is about the log, and one of a template, say nothing of the node.
    else if (kind && (before || after?.id !== undefined || after?.name !== undefined || after?.createdAt))
      note(identityOf(nodeKey(entity)), entity.type, { kind, ref: entity }, change);
    for (const { label: beside, before, after } of edges ?? [])
      noteEdge(beside, { at: record.at, before, after });
    for (const name of record.made ?? []) {
      const ref = nodeNamed(name);
      const made = decidingKind(ref.type);
      const creation = { ...change, before: undefined, after: {} };
      if (made) note(identityOf(nodeKey(ref)), ref.type, { kind: made, ref }, creation);
    }
    if (!edges)
      doubt(itemsBeside(record), `a record of ${record.at} does not say which edges changed with it`);
  }

  const entities = new Map<string, ChangedEntity>();
  const until = new Date(at + COHERENCE_MARGIN_MS).toISOString();
  for (const [name, { of, type, changes }] of known) {
    inChain(changes, type);
    const last = changes.at(-1) as Change;
    const values: Value[] = [changes[0]?.before];
    changes.every(
      (change, n) => change.at <= until && values.push(changes[n + 1] ? changes[n + 1]?.before : NOW),
    );
    const items = new Set(
      changes.flatMap(({ before, after }) => [...itemsOf(of, before), ...itemsOf(of, after)]),
    );
    entities.set(name, { of, values, last, items });
    const gap = changes.find(
      (change, n) => n > 0 && !isFollowedBy(changes[n - 1] as Change, change.before, type),
    );
    if (gap) doubt(items, `the records before ${gap.at} do not lead to what it was then`);
  }
  return { entities, unsure };
}

/** Clocks of two writers differ: what the one leaves is what the other finds. */
function inChain(changes: Change[], type: string): void {
  for (let pass = 1; pass < changes.length; pass++)
    for (let n = 1; n < changes.length; n++) {
      const [a, b] = [changes[n - 1] as Change, changes[n] as Change];
      const isWithinMargin = Date.parse(b.at) - Date.parse(a.at) <= COHERENCE_MARGIN_MS;
      if (isWithinMargin && !isFollowedBy(a, b.before, type) && isFollowedBy(b, a.before, type))
        [changes[n - 1], changes[n]] = [b, a];
    }
}

/** The decision items of which a node or an edge says something. */
export function itemsOf(of: ChangedEntity['of'], value: Attributes | undefined): readonly string[] {
  if (value === undefined) return [];
  if ('label' in of)
    return (attempt(() => edgeOf(of.label, value).entries) ?? []).map(({ at }) => identityOf(at));
  const { ref } = of;
  const own = [decisionKey(ref)].filter((key) => isOfDecision(parseKey(key)));
  const said = attempt(() => entriesOfNode({ ref, item: { ...nodeKey(ref), ...value } })) ?? [];
  return [...own, ...said.map(({ at }) => at)].map(identityOf);
}

const nodeNamed = (name: string): Ref => {
  const colon = name.indexOf(':');
  return { type: name.slice(0, colon), id: name.slice(colon + 1) };
};

/** Of a record from before edges were kept: the decision items in which those may have stood that changed with it. */
function itemsBeside({ action, entity, before, after, made }: ChangeRecord): readonly string[] {
  if (action === 'tenant.onboard' && !made) return [identityOf(decisionKey(entity))];
  if (entity.type === 'scim-user') {
    const user = entity.id.slice(entity.id.indexOf(':') + 1);
    return [identityOf(decisionKey({ type: 'user', id: user }))];
  }
  if (action === 'role-template.apply' && Array.isArray(after?.given))
    return after.given.flatMap((text) => {
      const name = readPermissionName(String(text));
      return identityOf(name ? decisionKey(permissionRef(name)) : decisionKey(entity));
    });
  const kind = decidingKind(entity.type);
  if (!kind || !before || after !== undefined) return [];
  // Its role may have come from anywhere: who holds the scope's roles is in its own item.
  const scope = entity.type === 'group' ? [decisionKey(parseRef(String(before.scope), 'scope'))] : [];
  return [...itemsOf({ kind, ref: entity }, before), ...scope.map(identityOf)];
}

/** As messages name a entity. */
export const entityName = ({ of }: ChangedEntity): string =>
  'ref' in of
    ? formatRef(of.ref)
    : `${of.label} ${['user', 'group', 'role', 'permission', 'scope']
        .flatMap((name) => (typeof of.some[name] === 'string' ? [of.some[name]] : []))
        .join(' ')}`;
