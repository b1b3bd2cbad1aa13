import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  Attribute,
  conditionAttribute,
  groupAttribute,
  propertyAttribute,
  roleAttribute,
} from '../../table/decision/attributes.ts';
import { FORMS } from '../../table/form.ts';
import { parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { apiRevisionKey, decisionKey, globalKey, type Key, permissionRef } from '../../table/keys.ts';
import { parsePermissionName } from '../../table/permission-name.ts';
import { chainOf, rolesWith, type World } from './world.ts';

/** The revision item of the routes of an API. */
export const revisionOf = (api: string, writtenAt: number): Item =>
  itemsAt(writtenAt)(apiRevisionKey(api), {});

/** The department of every user, for conditions. */
export const DEPARTMENT = 'sales';

/** Makes decision items of one instant. */
export const itemsAt =
  (writtenAt: number) =>
  (key: Key, fields: Readonly<Record<string, unknown>>): Item => ({
    ...key,
    Type: 'Decision',
    [Attribute.version]: FORMS.usual,
    [Attribute.writtenAt]: writtenAt,
    [Attribute.writeId]: 'bench',
    ...fields,
  });

/**
 * The decision items that commands would write for this model.
 *
 * @param when the condition of every effect; without one all effects always count
 */
export function decisionItems(world: World, writtenAt: number, when?: string): readonly Item[] {
  const item = itemsAt(writtenAt);
  const ofRef = (ref: string, fields: Readonly<Record<string, unknown>>): Item =>
    item(decisionKey(parseRef(ref, 'ref')), { status: 'active', ...fields });
  const scopes = world.places.map(({ ref }) => {
    const groups = world.groups.filter(({ place }) => place === ref);
    const [, ...ancestors] = chainOf(world.places, ref);
    return ofRef(ref, {
      [Attribute.ancestors]: ancestors,
      ...Object.fromEntries(groups.map(({ id, roles }) => [groupAttribute(id), new Set(roles)])),
    });
  });
  const pages = world.pages.map((page) => {
    const roles = rolesWith(world, page);
    return item(decisionKey(permissionRef(parsePermissionName(page, 'page'))), {
      [Attribute.registered]: true,
      ...effectsOf(roles, when),
    });
  });
  return [
    ...world.users.map(({ ref, groups }) =>
      ofRef(ref, {
        [Attribute.groups]: new Set(groups),
        ...(when === undefined ? {} : { [Attribute.properties]: { department: DEPARTMENT } }),
      }),
    ),
    ...scopes,
    ...pages,
    item(globalKey(), {
      ...Object.fromEntries(world.roles.map(({ id }) => [roleAttribute(id), ''])),
      ...(when === undefined ? {} : { [propertyAttribute('subject:user', 'department')]: 'string stored' }),
    }),
  ];
}

function effectsOf(roles: readonly string[], when: string | undefined): Readonly<Record<string, unknown>> {
  if (when !== undefined)
    return Object.fromEntries(roles.map((role) => [conditionAttribute(role), { effect: 'ALLOW', when }]));
  return roles.length > 0 ? { [Attribute.allow]: new Set(roles) } : {};
}

/** Limit of one BatchWriteItem. */
const AT_ONCE = 25;

export async function writeItems(
  client: DynamoDBDocumentClient,
  table: string,
  items: readonly Item[],
): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const puts = items.slice(from, from + AT_ONCE).map((Item) => ({ PutRequest: { Item } }));
    const write = new BatchWriteCommand({ RequestItems: { [table]: puts } });
    const { UnprocessedItems = {} } = await client.send(write);
    if (Object.keys(UnprocessedItems).length > 0) throw new Error('the table did not take all items');
  }
}
