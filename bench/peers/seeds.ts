import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgeKey, edgePrefix, type Key, nodeKey, partitionOf } from '../../table/keys.ts';
import { chainOf, type Question, type World } from '../model/world.ts';

/**
 * The flow of seed 003: the user's groups at the place, each group's roles, each role with the page. Its
 * items are edges only. It reads eventually consistently, DynamoDB's default, at half the units.
 */
const group = (id: string) => ({ type: 'group', id });
const role = (id: string) => ({ type: 'role', id });
const page = (id: string) => ({ type: 'page', id });

export function seedItems(world: World): readonly Item[] {
  const placeOf = new Map(world.groups.map(({ id, place }) => [id, place]));
  return [
    ...world.places.map(({ ref }) => ({
      ...nodeKey(parseRef(ref, 'ref')),
      chain: chainOf(world.places, ref),
    })),
    ...world.users.flatMap(({ ref, groups }) =>
      groups.map((id) => ({
        ...edgeKey(parseRef(ref, 'ref'), group(id)),
        groupId: id,
        place: placeOf.get(id),
      })),
    ),
    ...world.groups.flatMap(({ id, roles }) =>
      roles.map((roleId) => ({ ...edgeKey(group(id), role(roleId)), roleId })),
    ),
    ...world.roles.flatMap(({ id, pages }) =>
      pages.map((name) => ({ ...edgeKey(role(id), page(name)), permission: 'ALLOW' })),
    ),
  ];
}

export type Ask = (question: Question) => Promise<boolean>;

export function createSeedFlow(client: DynamoDBDocumentClient, table: string, isNested: boolean): Ask {
  const get = async (key: Key): Promise<Item | undefined> =>
    (await client.send(new GetCommand({ TableName: table, Key: { ...key } }))).Item as Item | undefined;
  const query = async (partition: string, prefix: string, at?: string): Promise<readonly Item[]> => {
    const filter = at === undefined ? {} : { FilterExpression: 'place = :place' };
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'PK = :partition AND begins_with(SK, :prefix)',
        ...filter,
        ExpressionAttributeValues: {
          ':partition': partition,
          ':prefix': prefix,
          ...(at === undefined ? {} : { ':place': at }),
        },
      }),
    );
    return Items as Item[];
  };

  /**
   * At a nested place the groups of its ancestors count too. The place's item names them and is read in
   * parallel.
   */
  async function groupsOf({ subject, scope }: Question): Promise<readonly string[]> {
    const memberships = (at?: string) =>
      query(partitionOf(parseRef(subject, 'subject')), edgePrefix('group'), at);
    const textsOf = (items: readonly Item[]) => items.map(({ groupId }) => String(groupId));
    if (!isNested) return textsOf(await memberships(scope));
    const [items, place] = await Promise.all([memberships(), get(nodeKey(parseRef(scope, 'scope')))]);
    const chain = (place?.chain ?? []) as readonly unknown[];
    return textsOf(items.filter(({ place: own }) => chain.includes(own)));
  }
  const rolesOf = async (id: string): Promise<readonly string[]> =>
    (await query(partitionOf(group(id)), edgePrefix('role'))).map(({ roleId }) => String(roleId));
  const opens = async (id: string, name: string): Promise<boolean> =>
    (await get(edgeKey(role(id), page(name))))?.permission === 'ALLOW';

  /** Step by step, the reads of a step in parallel, each role read once. */
  return async (question) => {
    const groups = await groupsOf(question);
    const roles = new Set((await Promise.all(groups.map(rolesOf))).flat());
    const found = await Promise.all([...roles].map((id) => opens(id, question.permission)));
    return found.includes(true);
  };
}
