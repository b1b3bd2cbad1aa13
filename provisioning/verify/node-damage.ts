import type * as z from 'zod';
import { BY_SCOPE } from '../../table/decision/split.ts';
import { INDEXES } from '../../table/entities/entity.ts';
import { PLAIN_ENTITIES } from '../../table/entities/registry.ts';
import { FORM, FORMS } from '../../table/form.ts';
import { formatRef, isRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import { OWNERSHIP, ownedRef } from '../../table/partition-queries.ts';
import type { Value } from '../../table/write/action.ts';
import { canonical } from '../canonical.ts';
import { nodeAt } from '../commands/node-kinds.ts';
import { partsOf } from '../edges/rights.ts';
import { inPlainWords } from '../issues.ts';
import { idsOf, itemTypeOf, type NodeKind } from '../kinds/node-kind.ts';
import { indexAttributes } from '../nodes/index-attributes.ts';
import { attempt, type Found, isInstant, isPast } from './relation.ts';

/** Damage of a node that can be seen without other items. */
export interface Damage {
  readonly attribute: string;
  readonly expected: string;
  /** The right value, where it can be derived; `be: undefined`: to be removed. */
  readonly should?: { readonly be: Value | undefined };
}

/** What is expected of an attribute that no command gives; undefined where its value is right. */
type Check = (value: unknown, item: Item) => string | undefined;
type Checks = Readonly<Record<string, Check>>;
const must =
  (isRight: (value: unknown) => boolean, expected: string): Check =>
  (value) =>
    isRight(value) ? undefined : expected;
const may =
  (check: Check): Check =>
  (value, item) =>
    value === undefined ? undefined : check(value, item);
const ANY: Check = () => undefined;
const NONE = must((value) => value === undefined, 'none');
const INSTANT = must(isInstant, 'an instant');
const BOOLEAN = must((value) => typeof value === 'boolean', 'true or false');
const TEXT = must((value) => typeof value === 'string', 'a text');
const REFERENCE = must((value) => typeof value === 'string' && isRef(value), 'a reference');
const HASH = must((value) => typeof value === 'string' && /^[\w-]{43}$/.test(value), 'a hash');
/** A user whom a connection made has its id and what it says of the user; another one has neither. */
const BOTH = 'both of source and sourceActive';

const INDEX_KEYS = Object.values(INDEXES).flatMap((index) => [`${index}PK`, `${index}SK`]);
const OF_ALL: Checks = {
  ...Object.fromEntries(
    ['PK', 'SK', 'Type', FORM, 'id', 'rev', 'ttl', ...INDEX_KEYS].map((name) => [name, ANY]),
  ),
  createdAt: INSTANT,
  updatedAt: INSTANT,
  deletingSince: may(INSTANT),
};
const OF_PLACE: Checks = { ancestors: ANY, root: ANY, movingTo: may(REFERENCE), [BY_SCOPE]: may(TEXT) };
const OF_SUBJECT: Checks = { roles: ANY, isAdmin: ANY };
/** The attribute of each kind that repeats a root: of the scope, or of the connection, that it names. */
export const ROOT_OF: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    PLAIN_ENTITIES.flatMap(({ type, hangsOn: [owner] = [], inTenant }) =>
      owner !== undefined && inTenant?.tenant === 'root' ? [[type, owner]] : [],
    ),
  ),
  group: 'scope',
  subscription: 'scope',
  license: 'account',
  mandate: 'scopes',
  'scim-credential': 'connection',
  'scim-user': 'connection',
  'scim-group': 'connection',
};
const OWN: Readonly<Record<string, Checks>> = {
  user: {
    ...OF_SUBJECT,
    source: (value, { sourceActive }) =>
      typeof value === 'string' || (value === undefined && sourceActive === undefined) ? undefined : BOTH,
    sourceActive: (value, { source }) =>
      typeof source === 'string' && typeof value !== 'boolean' ? BOTH : undefined,
  },
  'technical-user': OF_SUBJECT,
  subject: OF_SUBJECT,
  group: { source: ANY, [BY_SCOPE]: may(TEXT) },
  'external-group': { groupScope: ANY },
  role: { isSystem: ANY },
  permission: { module: ANY, action: ANY, resource: ANY },
  session: { sessionStart: INSTANT },
  token: {
    revoked: BOOLEAN,
    revokedAt: ANY,
    revokedBy: ANY,
    issuedAt: INSTANT,
    expiresAt: INSTANT,
    hash: (value, item) => (item.tokenType === 'api' ? HASH : NONE)(value, item),
  },
  mandate: {
    status: must((value) => value === 'active' || value === 'ended', 'active or ended'),
    endedAt: (value, item) => (item.status === 'ended' ? INSTANT : NONE)(value, item),
    hash: may(HASH),
  },
  'scim-connection': { lastCredential: ANY },
  'scim-credential': { hash: HASH },
  'scim-user': { made: BOOLEAN },
};
const isPlace = ({ behaviour }: NodeKind): boolean => behaviour.asRead?.includes('ancestors') === true;

/** Whether these are references. */
export const isPath = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string' && isRef(each));

/** What is looked at in each node of a kind, made once: nodes are looked at by the thousand. */
interface Looked {
  /** Attributes that commands give, and what is found where there is none. */
  readonly given: readonly (readonly [attribute: string, schema: z.ZodType, ifNone: readonly Damage[]])[];
  /** Those that no command gives. */
  readonly own: readonly (readonly [attribute: string, check: Check])[];
  readonly known: ReadonlySet<string>;
}
const LOOKED = new WeakMap<NodeKind, Looked>();

function lookedAt(kind: NodeKind): Looked {
  const made = LOOKED.get(kind);
  if (made) return made;
  const { entity } = kind;
  const shape = entity.attributes.shape as Record<string, z.ZodType>;
  const own: Checks = {
    ...OF_ALL,
    ...(isPlace(kind) ? OF_PLACE : {}),
    ...(entity.type in ROOT_OF ? { root: ANY } : {}),
    ...OWN[entity.type],
  };
  const looked: Looked = {
    given: Object.entries(shape)
      .filter(([attribute]) => !entity.naturalKey?.includes(attribute) && attribute !== entity.typeFrom)
      .map(([attribute, schema]) => {
        const isFilled = entity.defaults?.[attribute] !== undefined || entity.filledIn?.includes(attribute);
        const ifNone = isFilled
          ? [{ attribute, expected: 'a value' }]
          : damageByForm(attribute, schema, undefined);
        return [attribute, schema, ifNone];
      }),
    own: Object.entries(own),
    known: new Set([...Object.keys(own), ...Object.keys(shape)]),
  };
  LOOKED.set(kind, looked);
  return looked;
}

function damageByForm(attribute: string, schema: z.ZodType, value: unknown): readonly Damage[] {
  const parsed = schema.safeParse(value, { error: inPlainWords });
  if (!parsed.success) return [{ attribute, expected: parsed.error.issues[0]?.message ?? 'another form' }];
  if (parsed.data === value) return [];
  const right = canonical(parsed.data);
  return right === canonical(value) ? [] : [{ attribute, expected: right }];
}

/** Attributes with values that no command accepts: nothing else in the table holds them. */
export function damageOf(kind: NodeKind, ref: Ref, item: Item): readonly Damage[] {
  const found: Damage[] = [];
  const { given, own, known } = lookedAt(kind);
  for (const [attribute, schema, ifNone] of given) {
    const value = item[attribute];
    found.push(...(value === undefined ? ifNone : damageByForm(attribute, schema, value)));
  }
  for (const attribute of Object.keys(item))
    if (!known.has(attribute)) found.push({ attribute, expected: 'no such attribute' });
  for (const [attribute, check] of own) {
    const expected = check(item[attribute], item);
    if (expected !== undefined) found.push({ attribute, expected });
  }
  // A form was taken off before.
  if (FORM in item) found.push({ attribute: FORM, expected: 'a form', should: { be: FORMS.usual } });
  // The rest can be derived from the key.
  return [...found, ...keyDamage(kind, ref, item)];
}

/** What follows from the node's key, and from its own attributes. */
function keyDamage({ entity }: NodeKind, ref: Ref, item: Item): readonly Damage[] {
  const wanted: Record<string, Value | undefined> = {
    Type: itemTypeOf(entity),
    id: ref.id,
    ...(entity.naturalKey || entity.typeFrom
      ? attempt(() => idsOf(entity, ref) as Record<string, string>)
      : {}),
    ...(entity.type === 'permission' ? partsOf(ref.id) : {}),
    ...(entity.type === 'role' ? { isSystem: !isRef(String(item.scope)) } : {}),
  };
  const found: Damage[] = Object.entries(wanted)
    .filter(([attribute, value]) => canonical(item[attribute]) !== canonical(value))
    .map(([attribute, value]) => ({ attribute, expected: canonical(value), should: { be: value } }));
  if (item.roles !== undefined && OWN[entity.type]?.roles && !(item.roles instanceof Set))
    found.push({ attribute: 'roles', expected: 'a set', should: { be: undefined } });
  return found;
}

/** Whether what a scope says of its place agrees: its path begins with its parent and ends at its root. */
export const isPlaced = (ref: Ref, { ancestors, parent, root }: Item): boolean =>
  isPath(ancestors) && ancestors[0] === parent && (ancestors.at(-1) ?? formatRef(ref)) === root;

/** Whether all given attributes of a node are valid, so that other items can be derived from it. */
export function isSound(item: Item): boolean {
  const node = nodeAt(item);
  if (!node) return true;
  // The rest of the path of a scope is checked against its ancestors.
  if (isPlace(node.kind) && !isPlaced(node.ref, item)) return false;
  return damageOf(node.kind, node.ref, item).every(({ should }) => should !== undefined);
}

/**
 * Whether a node, or a copy of one, is past its time-to-live, whether DynamoDB has deleted it or not. One that should have
 * none, or a later one, is damaged.
 */
export function isExpired(item: Found, now: number): boolean {
  if (!item || !isPast(item, now)) return false;
  const node = attempt(() => nodeAt(item.Type === OWNERSHIP ? nodeKey(ownedRef(item)) : item));
  return (
    node !== undefined &&
    isPast(
      attempt(() => indexAttributes(node.kind.entity, node.ref, item)),
      now,
    )
  );
}

/** Index keys and time-to-live that are not what they must be: a value to set, undefined to remove. */
export function indexDamage(
  { entity }: NodeKind,
  ref: Ref,
  item: Item,
): Readonly<Record<string, Value | undefined>> {
  const wanted = attempt(() => indexAttributes(entity, ref, item));
  if (!wanted) return {};
  const wrong = [...INDEX_KEYS, 'ttl'].filter((name) => item[name] !== wanted[name]);
  return Object.fromEntries(wrong.map((name) => [name, wanted[name]]));
}
