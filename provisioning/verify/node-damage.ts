import type * as z from 'zod';
import { BY_SCOPE } from '../../table/decision/split.ts';
import { FORM, FORMS } from '../../table/form.ts';
import { isRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import type { Value } from '../../table/write/action.ts';
import { canonical } from '../canonical.ts';
import { nodeAt } from '../commands/node-kinds.ts';
import { partsOf } from '../edges/rights.ts';
import { inPlainWords } from '../issues.ts';
import { idsOf, type NodeKind } from '../kinds/node-kind.ts';
import { indexAttributes } from '../nodes/index-attributes.ts';
import { attempt, isInstant } from './relation.ts';

/** Damage of a node that can be seen without other items. */
export interface Damage {
  readonly attribute: string;
  readonly expected: string;
  /** The right value, where it can be derived; `be: undefined`: to be removed. */
  readonly should?: { readonly be: Value | undefined };
}

/** Attributes that nodes have beside those that commands give. */
const DERIVED: ReadonlySet<string> = new Set([
  'PK',
  'SK',
  'Type',
  FORM,
  'id',
  'rev',
  'ttl',
  'createdAt',
  'updatedAt',
  'deletingSince',
  'GSI1PK',
  'GSI1SK',
  'GSI2PK',
  'GSI2SK',
  'GSI3PK',
  'GSI3SK',
]);
const SCOPE = ['ancestors', 'root', 'movingTo', BY_SCOPE];
const OWN: Readonly<Record<string, readonly string[]>> = {
  user: ['roles', 'isAdmin', 'source', 'sourceActive'],
  'technical-user': ['roles', 'isAdmin'],
  subject: ['roles', 'isAdmin'],
  group: ['root', 'source', BY_SCOPE],
  'external-group': ['groupScope'],
  role: ['isSystem'],
  permission: ['module', 'action', 'resource'],
  subscription: ['root'],
  license: ['root'],
  tool: ['root'],
  token: ['revoked', 'revokedAt', 'revokedBy', 'hash'],
  mandate: ['root', 'status', 'endedAt', 'hash'],
  'scim-connection': ['lastCredential'],
  'scim-credential': ['root', 'hash'],
  'scim-user': ['root', 'made'],
  'scim-group': ['root'],
};
const isPlace = ({ behaviour }: NodeKind): boolean => behaviour.asRead?.includes('ancestors') === true;

/** Whether these are references. */
export const isPath = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string' && isRef(each));

/** Attributes with values that no command accepts: nothing else in the table holds them. */
export function damageOf({ entity, ...kind }: NodeKind, ref: Ref, item: Item): readonly Damage[] {
  const found: Damage[] = [];
  const shape = entity.attributes.shape as Record<string, z.ZodType>;
  for (const [attribute, schema] of Object.entries(shape)) {
    const value = item[attribute];
    if (entity.naturalKey?.includes(attribute) || attribute === entity.typeFrom) continue;
    const isFilled = entity.defaults?.[attribute] !== undefined || entity.filledIn?.includes(attribute);
    if (value === undefined && isFilled) found.push({ attribute, expected: 'a value' });
    else {
      const parsed = schema.safeParse(value, { error: inPlainWords });
      if (!parsed.success)
        found.push({ attribute, expected: parsed.error.issues[0]?.message ?? 'another form' });
      else if (canonical(parsed.data) !== canonical(value))
        found.push({ attribute, expected: canonical(parsed.data) });
    }
  }
  const own = new Set([...(OWN[entity.type] ?? []), ...(isPlace({ entity, ...kind }) ? SCOPE : [])]);
  for (const attribute of Object.keys(item)) {
    if (!DERIVED.has(attribute) && !own.has(attribute) && !(attribute in shape))
      found.push({ attribute, expected: 'no such attribute' });
  }
  for (const attribute of ['createdAt', 'updatedAt']) {
    if (!isInstant(item[attribute])) found.push({ attribute, expected: 'an instant' });
  }
  // A form was taken off before.
  if (FORM in item) found.push({ attribute: FORM, expected: 'a form', should: { be: FORMS.usual } });
  if (item[BY_SCOPE] !== undefined && typeof item[BY_SCOPE] !== 'string')
    found.push({ attribute: BY_SCOPE, expected: 'a text' });
  if (item.deletingSince !== undefined && !isInstant(item.deletingSince))
    found.push({ attribute: 'deletingSince', expected: 'an instant' });
  if (isPlace({ entity, ...kind })) {
    if (item.movingTo !== undefined && !(typeof item.movingTo === 'string' && isRef(item.movingTo)))
      found.push({ attribute: 'movingTo', expected: 'a reference' });
  }
  if (entity.type === 'token') found.push(...tokenDamage(item));
  if (entity.type === 'mandate') found.push(...mandateDamage(item));
  if (entity.type === 'scim-credential' && !isHash(item.hash))
    found.push({ attribute: 'hash', expected: 'a hash' });
  if (entity.type === 'scim-user' && typeof item.made !== 'boolean')
    found.push({ attribute: 'made', expected: 'true or false' });
  if (entity.type === 'user') found.push(...sourceDamage(item));
  if (entity.type === 'session' && !isInstant(item.sessionStart))
    found.push({ attribute: 'sessionStart', expected: 'an instant' });
  // The rest can be derived from the key.
  return [...found, ...keyDamage({ entity, ...kind }, ref, item)];
}

const isHash = (value: unknown): boolean => typeof value === 'string' && /^[\w-]{43}$/.test(value);

/** A user whom a connection made has its id and what it says of the user; another one has neither. */
function sourceDamage({ source, sourceActive }: Item): readonly Damage[] {
  const [isMade, isSaid] = [typeof source === 'string', typeof sourceActive === 'boolean'];
  if (isMade ? isSaid : source === undefined && sourceActive === undefined) return [];
  return [{ attribute: isMade ? 'sourceActive' : 'source', expected: 'both of source and sourceActive' }];
}

function tokenDamage(item: Item): readonly Damage[] {
  const found: Damage[] = [];
  if (typeof item.revoked !== 'boolean') found.push({ attribute: 'revoked', expected: 'true or false' });
  for (const attribute of ['issuedAt', 'expiresAt']) {
    if (!isInstant(item[attribute])) found.push({ attribute, expected: 'an instant' });
  }
  if (item.tokenType === 'api' ? !isHash(item.hash) : item.hash !== undefined)
    found.push({ attribute: 'hash', expected: item.tokenType === 'api' ? 'a hash' : 'none' });
  return found;
}

function mandateDamage({ status, endedAt, hash }: Item): readonly Damage[] {
  const found: Damage[] = [];
  const isOver = status === 'ended';
  if (!isOver && status !== 'active') found.push({ attribute: 'status', expected: 'active or ended' });
  if (isOver ? !isInstant(endedAt) : endedAt !== undefined)
    found.push({ attribute: 'endedAt', expected: isOver ? 'an instant' : 'none' });
  if (hash !== undefined && !isHash(hash)) found.push({ attribute: 'hash', expected: 'a hash' });
  return found;
}

/** What follows from the node's key, and from its own attributes. */
function keyDamage({ entity }: NodeKind, ref: Ref, item: Item): readonly Damage[] {
  const wanted: Record<string, Value | undefined> = {
    Type: entity.label,
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
  if (item.roles !== undefined && OWN[entity.type]?.includes('roles') && !(item.roles instanceof Set))
    found.push({ attribute: 'roles', expected: 'a set', should: { be: undefined } });
  return found;
}

/** Whether all given attributes of a node are valid, so that other items can be derived from it. */
export function isSound(item: Item): boolean {
  const node = nodeAt(item);
  if (!node) return true;
  // The path of a scope is checked against its ancestors.
  if (isPlace(node.kind) && !isPath(item.ancestors)) return false;
  return damageOf(node.kind, node.ref, item).every(({ should }) => should !== undefined);
}

/** Index keys and time-to-live that are not what they must be: a value to set, undefined to remove. */
export function indexDamage(
  { entity }: NodeKind,
  ref: Ref,
  item: Item,
): Readonly<Record<string, Value | undefined>> {
  const wanted = attempt(() => indexAttributes(entity, ref, item));
  if (!wanted) return {};
  const names = [...['1', '2', '3'].flatMap((n) => [`GSI${n}PK`, `GSI${n}SK`]), 'ttl'];
  return Object.fromEntries(
    names.filter((name) => item[name] !== wanted[name]).map((name) => [name, wanted[name]]),
  );
}
