import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
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
import { decisionKey, globalKey, type Key, permissionRef } from '../../table/keys.ts';
import { parsePermissionName } from '../../table/permission-name.ts';
import { openNewTable } from '../harness/engine.ts';
import { chainOf, rolesWith, type World } from './world.ts';

/** The department of every user, for conditions. */
export const DEPARTMENT = 'sales';

/** When all items were written: long ago, for an item within the coherence margin is read twice. */
const WRITTEN_AT = Date.now() - 3_600_000;

export const decisionItem = (key: Key, fields: Readonly<Record<string, unknown>> = {}): Item => ({
  ...key,
  Type: 'Decision',
  [Attribute.version]: FORMS.usual,
  [Attribute.writtenAt]: WRITTEN_AT,
  [Attribute.writeId]: 'bench',
  ...fields,
});

/**
 * The decision items that commands would write for this model.
 *
 * @param when the condition of every effect; without one all effects always count
 */
export function decisionItems(world: World, when?: string): readonly Item[] {
  const ofRef = (ref: string, fields: Readonly<Record<string, unknown>>): Item =>
    decisionItem(decisionKey(parseRef(ref, 'ref')), { status: 'active', ...fields });
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
    return decisionItem(decisionKey(permissionRef(parsePermissionName(page, 'page'))), {
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
    decisionItem(globalKey(), {
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

/** A new table with these items. */
export async function writeTable(endpoint: string, table: string, items: Iterable<Item>) {
  const opened = await openNewTable(endpoint, table);
  let puts: object[] = [];
  const write = async (): Promise<void> => {
    const command = new BatchWriteCommand({ RequestItems: { [table]: puts } });
    const { UnprocessedItems = {} } = await opened.client.send(command);
    if (Object.keys(UnprocessedItems).length > 0) throw new Error('the table did not take all items');
    puts = [];
  };
  for (const Item of items) {
    puts.push({ PutRequest: { Item } });
    if (puts.length === AT_ONCE) await write();
  }
  if (puts.length > 0) await write();
  return opened;
}
