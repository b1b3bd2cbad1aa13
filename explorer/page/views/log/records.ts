import { changedFields, nameIn, subjectOf } from '../../../../provisioning/index.ts';
import { isObject } from '../../json.ts';
import type { Item } from '../../load-page.ts';
import { holds } from '../../parts/rows.ts';
import { SUBJECT_TYPES } from '../../registry.ts';

/** Audit records as audit.list answers them, read for people. */

/** How a field differs before and after. */
export interface FieldChange {
  readonly name: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** As text; undefined where there is none. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const sideOf = (value: unknown): Item => (isObject(value) ? value : {});

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const textIn = (value: unknown): string | undefined => (value === undefined ? undefined : textOf(value));

/** What differs before and after, by field. */
export const changesOf = (record: Item): readonly FieldChange[] =>
  changedFields(record).map(({ name, before, after }) => ({
    name,
    kind: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    before: textIn(before),
    after: textIn(after),
  }));

/** What is shown by itself; everything else of a record is among its details. */
const SHOWN = new Set([
  'id',
  'timestamp',
  'actor',
  'action',
  'entityType',
  'entityId',
  'before',
  'after',
  'tenant',
  'userId',
]);

/** What else a record says, such as its operation and where the request came from. */
export const detailsOf = (record: Item): readonly (readonly [name: string, text: string])[] =>
  Object.entries(record).flatMap(([name, value]) =>
    SHOWN.has(name) ? [] : [[name, textOf(value)] as const],
  );

/** The entity of a record as its type and id. */
export const entityOf = ({ entityType, entityId }: Item): string =>
  `${textOf(entityType)}:${textOf(entityId)}`;

/** A part of what an entity is called: text, or a reference that may have a name. */
export type Part = { readonly text: string } | { readonly ref: string };

/** The ends of edges, in the order in which people say them. */
const ENDS = ['user', 'group', 'role', 'permission', 'scope', 'key'] as const;
/** What an edge leads between says where it is, except for these. */
const AT_SCOPE = new Set(['assignment', 'grant', 'setting', 'subscription']);

const isText = (value: unknown): value is string => typeof value === 'string';

/** What the entity of a record is called: its name, or the ends of an edge. */
export function partsOf(record: Item): readonly Part[] {
  const attributes = { ...sideOf(record.before), ...sideOf(record.after) };
  const name = nameIn(attributes);
  if (name !== undefined) return [{ text: name }];
  const type = textOf(record.entityType);
  const ends = ENDS.flatMap((end): Part[] => {
    const value = attributes[end];
    if (!isText(value) || (end === 'scope' && !AT_SCOPE.has(type))) return [];
    if (end === 'permission' || end === 'key') return [{ text: value }];
    if (end === 'scope') return [{ ref: value }];
    return [{ ref: end === 'user' ? subjectOf(value) : `${end}:${value}` }];
  });
  if (ends.length > 0) return ends;
  return [{ ref: entityOf(record) }];
}

/** Who acted, where that is a subject; any text may be an actor. */
export const actorRef = ({ actor, userId }: Item): string | undefined => {
  if (!isText(actor)) return undefined;
  if (actor.includes(':')) return actor;
  return userId === actor ? subjectOf(actor) : undefined;
};

/** What is asked of another view about the entity of a record. */
export interface Asked {
  readonly to: 'map' | 'why';
  readonly state: Readonly<Record<string, string>>;
}

const SUBJECTS = new Set([...SUBJECT_TYPES, 'subject']);
const PERMISSIONS = new Set(['page', 'permission']);

/** Where an entity can be looked at: a scope on the map, everything that decides in Why. Undefined for others. */
export function linkedTo(record: Item): Asked | undefined {
  const attributes = { ...sideOf(record.before), ...sideOf(record.after) };
  const type = textOf(record.entityType);
  const id = textOf(record.entityId);
  // Scopes alone have ancestors.
  if (attributes.ancestors !== undefined) return { to: 'map', state: { scope: `${type}:${id}` } };
  if (SUBJECTS.has(type)) return { to: 'why', state: { subject: id.includes(':') ? id : `${type}:${id}` } };
  if (PERMISSIONS.has(type)) return { to: 'why', state: { permission: id } };
  const { user, permission, scope } = attributes;
  if (isText(user))
    return { to: 'why', state: { subject: subjectOf(user), ...(isText(scope) ? { scope } : {}) } };
  if (isText(permission) && !permission.includes('*')) return { to: 'why', state: { permission } };
  return isText(scope) && scope.includes(':') ? { to: 'map', state: { scope } } : undefined;
}

/** What records have to have, each a part of it in whatever case. */
export interface Filters {
  /** Who made the change: not the actor of a question, which goes along from view to view. */
  readonly by?: string | undefined;
  readonly entity?: string | undefined;
  readonly action?: string | undefined;
}

/** @param calledOf what the entity of a record is called, with names */
export const kept = (
  records: readonly Item[],
  { by, entity, action }: Filters,
  calledOf: (record: Item) => string,
): readonly Item[] =>
  records.filter(
    (record) =>
      holds(record.actor === undefined ? '' : textOf(record.actor), by) &&
      holds(textOf(record.action), action) &&
      (holds(entityOf(record), entity) || holds(calledOf(record), entity)),
  );
