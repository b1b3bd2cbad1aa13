import {
  Attribute,
  type Entry,
  externalAttribute,
  formatExternalGroup,
  formatInterval,
  invariantAttribute,
  licenseAttribute,
  moduleAttribute,
  propertyAttribute,
  roleAttribute,
  subscriptionAttribute,
} from '../../table/decision/attributes.ts';
import { changesEntries, entryChanges, newItem } from '../../table/decision/entries.ts';
import { defined } from '../../table/defined.ts';
import { DAY_MS } from '../../table/entities/entity.ts';
import { SESSION_DAYS } from '../../table/entities/records.ts';
import { isScopeType } from '../../table/entities/registry.ts';
import { formatRef, isSubjectNode, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  decisionKey,
  externalGroupsKey,
  GLOBAL,
  globalKey,
  invariantsKey,
  isSameKey,
  type Key,
} from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { ownerOf, subject } from '../edges/rights.ts';
import { optionalText, textOf } from '../nodes/nodes.ts';
import { hasProperties } from '../nodes/properties.ts';
import type { Node } from '../plan.ts';

/**
 * What nodes say in decision items. Writes are the difference of what a node says before and after; checks and repairs
 * compare with it.
 */

const ifText = (item: Item, attribute: string) => optionalText(item, attribute) ?? undefined;

/** Whether access counts in this status. What has no status is neither open by it nor closed. */
export const isOpen = (status: unknown): boolean => status === 'active' || status === 'trial';
export const isClosed = (status: unknown): boolean => status !== undefined && !isOpen(status);

/**
 * The status while a deletion or a move is in progress denies everything. A user is active only if the connection that made
 * the user says so too: an operator's suspension and that of the connection are two.
 */
function statusOf({ deletingSince, movingTo, status, sourceActive }: Item): unknown {
  if (deletingSince !== undefined) return 'deleting';
  if (movingTo !== undefined) return 'moving';
  return sourceActive === false && status === 'active' ? 'inactive' : status;
}

const values = (at: Key, of: Readonly<Record<string, unknown>>): readonly Entry[] =>
  Object.entries(of).map(([attribute, value]) => ({ at, attribute, value }));

const decidedProperties = ({ properties }: Item): unknown =>
  hasProperties(properties) ? properties : undefined;

/** Until when a credential counts, and when it goes; nothing where that cannot be read. */
const untilEnd = (end: number, endsAt?: unknown) =>
  Number.isNaN(end) ? {} : { endsAt: endsAt ?? new Date(end).toISOString(), ttl: Math.floor(end / 1_000) };

/**
 * Entries of a node. One without a value says that there is none. Throws `damaged_item` where an attribute that it needs
 * is not there.
 */
export function entriesOfNode({ ref, item }: Node): readonly Entry[] {
  const at = decisionKey(ref);
  const closing = item.deletingSince !== undefined;
  switch (ref.type) {
    case 'user':
    case 'technical-user':
    case 'subject': {
      const { endsAt, mandateOptional } = item;
      return values(at, {
        status: statusOf(item),
        endsAt,
        properties: decidedProperties(item),
        mandateOptional: mandateOptional === true ? true : undefined,
      });
    }
    case 'page':
    case 'permission':
      return values(at, {
        registered: closing ? undefined : true,
        module: ref.type === 'page' ? item.module : undefined,
      });
    case 'module':
      return item.soldBySubscription === true ? values(globalKey(), { [moduleAttribute(ref.id)]: true }) : [];
    case 'resource-type': {
      const { permission, actions, scope } = closing ? ({} as Partial<Item>) : item;
      return values(at, { permission, actions, scope });
    }
    case 'property': {
      const declared = `${textOf(item, 'type')} ${textOf(item, 'source')}`;
      const attribute = propertyAttribute(textOf(item, 'of'), textOf(item, 'name'));
      return values(globalKey(), { [attribute]: closing ? undefined : declared });
    }
    case 'subscription':
    case 'license': {
      const validity = isOpen(item.status)
        ? formatInterval(ifText(item, 'startDate'), ifText(item, 'endDate'))
        : undefined;
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
      return values(at, {
        subject: formatRef(subject(textOf(item, 'user'))),
        status: item.status,
        ...untilEnd(end, item.sessionEnd),
      });
    }
    case 'token':
      return values(at, {
        subject: formatRef(subject(textOf(item, 'user'))),
        hash: item.hash,
        status: item.revoked === false ? 'active' : 'revoked',
        ...untilEnd(Date.parse(textOf(item, 'expiresAt'))),
      });
    case 'mandate': {
      const { subject, actor, permissions, scopes, when, budget, hash, endsAt } = item;
      return values(at, {
        subject,
        actor,
        permissions,
        scopes,
        when,
        hash,
        status: statusOf(item),
        budget: budget === undefined ? undefined : true,
        ...untilEnd(Date.parse(textOf(item, 'endsAt')), endsAt),
      });
    }
    case 'group':
      // It stays until the group itself goes: no other one can take its place before.
      return item.everyone === true
        ? values(decisionKey(parseRef(textOf(item, 'scope'), 'scope')), { [Attribute.everyone]: ref.id })
        : [];
    case 'external-group': {
      const root = parseRef(textOf(item, 'scope'), 'scope');
      return values(externalGroupsKey(root, textOf(item, 'issuer')), {
        [externalAttribute(textOf(item, 'externalId'), ref.id)]: closing
          ? undefined
          : formatExternalGroup({ group: textOf(item, 'group'), scope: textOf(item, 'groupScope') }),
      });
    }
    case 'invariant': {
      const root = parseRef(textOf(item, 'scope'), 'scope');
      const { name, separate, within, never, except } = item;
      const said = { name, ...defined({ separate, within, never, except }) };
      return [
        {
          at: invariantsKey(root),
          attribute: invariantAttribute(ref.id),
          value: closing ? undefined : said,
        },
        { at: invariantsKey(GLOBAL), attribute: Attribute.rootsWithInvariants, member: formatRef(root) },
      ];
    }
    case 'role': {
      const owner = ownerOf(textOf(item, 'scope'));
      const at = owner ? decisionKey(owner) : globalKey();
      const parent = closing ? undefined : (ifText(item, 'parent') ?? '');
      return [
        { at, attribute: roleAttribute(ref.id), value: parent },
        // Only an item with folded roles says it (table/decision/folded-roles.ts).
        ...(closing && owner ? [{ at, attribute: Attribute.closing, member: ref.id }] : []),
      ];
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

/** Whether the decision item of a node begins with it. */
const begins = ({ type }: Ref): boolean =>
  isSubjectNode({ type }) || isScopeType(type) || ['token', 'session', 'mandate'].includes(type);

/** What the creation of a node writes to decision items. */
export function createEntries(node: Node): readonly Action[] {
  const own = decisionKey(node.ref);
  const entries = entriesOfNode(node);
  if (begins(node.ref)) return [newItem(node.ref, entries)];
  return entryChanges(
    [],
    entries.filter(({ at, value, member }) => (value ?? member) !== undefined || isSameKey(at, own)),
  );
}

/**
 * What a change of a node writes to decision items.
 *
 * @param changes what is given for the node: that is written whether it differs or not, since another command may be
 * changing it. Whatever else says something there must be as it was read.
 */
export function changeEntries(before: Node, after: Item, changes: object = {}): readonly Action[] {
  const entries = entriesOfNode({ ...before, item: after });
  return entryChanges(entriesOfNode(before), entries, new Set(Object.keys(changes))).filter(changesEntries);
}

/** What the deletion of a node writes to decision items. */
export function removeEntries(node: Node): readonly Action[] {
  const { type } = node.ref;
  if (begins(node.ref) || type === 'page' || type === 'permission')
    return [{ kind: 'delete', key: decisionKey(node.ref) }];
  // The item of a resource type stays, without a mapping: that it is absent would count as true at any time, also beside
  // items from before the deletion (engine/item-cache.ts).
  return entryChanges(entriesOfNode(node), []);
}
