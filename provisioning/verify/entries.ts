import { type Place, placeOf } from '../../table/decision/apart.ts';
import {
  Attribute,
  formatInterval,
  licenseAttribute,
  moduleAttribute,
  propertyAttribute,
  roleAttribute,
  type Entry as Said,
  subscriptionAttribute,
} from '../../table/decision/attributes.ts';
import { DAY_MS } from '../../table/entities/entity.ts';
import { SESSION_DAYS } from '../../table/entities/records.ts';
import { isScopeType } from '../../table/entities/registry.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, globalKey, type Key, nodeKey, parseKey } from '../../table/keys.ts';
import { readEdge } from '../edges/read-edge.ts';
import { ownerOf, subject } from '../edges/rights.ts';
import { optionalText, textOf } from '../nodes/nodes.ts';
import { hasProperties } from '../nodes/properties.ts';

/**
 * An entry that a node or an edge requires in a decision item, where it stands: `apart` where the part of the item that
 * holds it stands apart. Both directions are checked: a decision item may lack an entry, and it may hold one without a
 * source.
 */
export interface Entry extends Said, Partial<Omit<Place, keyof Said>> {}

const ifText = (item: Item, attribute: string) => optionalText(item, attribute) ?? undefined;
const counts = ({ status }: Item): boolean => status === 'active' || status === 'trial';

/** The status while a deletion or a move is in progress denies everything. */
const statusOf = (item: Item): unknown =>
  item.deletingSince !== undefined ? 'deleting' : item.movingTo !== undefined ? 'moving' : item.status;

const values = (at: Key, of: Readonly<Record<string, unknown>>): readonly Entry[] =>
  Object.entries(of).flatMap(([attribute, value]) => (value === undefined ? [] : [{ at, attribute, value }]));

const decidedProperties = ({ properties }: Item): unknown =>
  hasProperties(properties) ? properties : undefined;

/** Entries of a node. Throws `damaged_item` where an attribute that it needs is not there. */
function entriesOfNode(ref: Ref, item: Item): readonly Entry[] {
  const at = decisionKey(ref);
  const closing = item.deletingSince !== undefined;
  switch (ref.type) {
    case 'user':
    case 'technical-user':
    case 'subject':
      return values(at, { status: statusOf(item), endsAt: item.endsAt, properties: decidedProperties(item) });
    case 'page':
    case 'permission':
      return values(at, {
        registered: closing ? undefined : true,
        module: ref.type === 'page' ? item.module : undefined,
      });
    case 'module':
      return item.soldBySubscription === true ? values(globalKey(), { [moduleAttribute(ref.id)]: true }) : [];
    case 'resource-type': {
      const { permission, actions, scope } = item;
      return closing ? [] : values(at, { permission, actions, scope });
    }
    case 'property':
      return closing
        ? []
        : values(globalKey(), {
            [propertyAttribute(textOf(item, 'of'), textOf(item, 'name'))]:
              `${textOf(item, 'type')} ${textOf(item, 'source')}`,
          });
    case 'subscription':
    case 'license': {
      if (!counts(item)) return [];
      const validity = formatInterval(ifText(item, 'startDate'), ifText(item, 'endDate'));
      return ref.type === 'license'
        ? values(decisionKey(parseRef(textOf(item, 'account'), 'account')), {
            [licenseAttribute(textOf(item, 'enterprise'), ref.id)]: validity,
          })
        : values(decisionKey(parseRef(textOf(item, 'scope'), 'scope')), {
            [subscriptionAttribute(textOf(item, 'module'), ref.id)]: validity,
          });
    }
    case 'session': {
      const end = Date.parse(textOf(item, 'sessionStart')) + SESSION_DAYS * DAY_MS;
      if (Number.isNaN(end)) return [];
      return values(at, {
        subject: formatRef(subject(textOf(item, 'user'))),
        status: item.status,
        endsAt: item.sessionEnd ?? new Date(end).toISOString(),
        ttl: Math.floor(end / 1_000),
      });
    }
    case 'token': {
      const end = Date.parse(textOf(item, 'expiresAt'));
      if (Number.isNaN(end)) return [];
      return values(at, {
        subject: formatRef(subject(textOf(item, 'user'))),
        hash: item.hash,
        status: item.revoked === false ? 'active' : 'revoked',
        endsAt: item.expiresAt,
        ttl: Math.floor(end / 1_000),
      });
    }
    case 'group':
      // It stays until the group itself goes: no other one can take its place before.
      return item.everyone === true
        ? [
            {
              at: decisionKey(parseRef(textOf(item, 'scope'), 'scope')),
              attribute: Attribute.everyone,
              member: ref.id,
              value: ref.id,
            },
          ]
        : [];
    case 'role': {
      const owner = ownerOf(textOf(item, 'scope'));
      // Only an item with folded roles says it (folded-roles.ts).
      if (closing)
        return owner ? [{ at: decisionKey(owner), attribute: Attribute.closing, member: ref.id }] : [];
      return values(owner ? decisionKey(owner) : globalKey(), {
        [roleAttribute(ref.id)]: ifText(item, 'parent') ?? '',
      });
    }
    default:
      if (!isScopeType(ref.type)) return [];
      return values(at, {
        status: statusOf(item),
        combination: item.combination,
        ancestors: item.ancestors,
        enterprise: item.enterprise,
        properties: decidedProperties(item),
      });
  }
}

/** A group in the place of an edge's own: its entries do not depend on which it is. */
export const ANY_GROUP: Item = { ...nodeKey({ type: 'group', id: 'any' }), Type: 'Group' };

/** Entries of an edge, by any of its items; `groupNode` carries the role. */
export function entriesOfEdge(item: Item, groupNode: Item | undefined): readonly Entry[] {
  if (item.Type === 'GroupRole' && (!groupNode || groupNode.deletingSince !== undefined)) return [];
  return (readEdge(item)?.entries ?? []).flatMap((entry): readonly Entry[] => {
    const { at, attribute, value } = entry;
    if (value instanceof Set) return [...value].map((member) => ({ at, attribute, member }));
    return value === undefined && entry.member === undefined ? [] : [placeOf(entry) ?? entry];
  });
}

/**
 * The entries of a node or an edge.
 *
 * @param groupNode of an edge of a group: the group
 */
export function entriesOfItem(item: Item, groupNode: Item | undefined): readonly Entry[] {
  const parsed = parseKey(item);
  return parsed?.form === 'node' && parsed.type !== 'grant'
    ? entriesOfNode({ type: parsed.type, id: parsed.id }, item)
    : entriesOfEdge(item, groupNode);
}
