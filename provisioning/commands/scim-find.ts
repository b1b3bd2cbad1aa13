import * as z from 'zod';
import type { Entity, Guard } from '../../table/entities/entity.ts';
import { notFound } from '../../table/errors.ts';
import { type Key, nodeKey } from '../../table/keys.ts';
import { ownedBy } from '../../table/partition-queries.ts';
import { type Command, readCommand } from '../command.ts';
import { by, listCommand } from '../kinds/lists.ts';
import { guardKeyOf, ownerOf } from '../nodes/guards.ts';
import { connectionRef } from '../nodes/scim-links.ts';
import { type Attributes, visible } from '../visible.ts';

/** Lists what hangs on a connection. */
export const listOfConnectionCommand = ({ type, attributes }: Entity, what: string): Command =>
  listCommand({
    name: `${type}.list`,
    summary: `Lists every ${what} of a connection, page by page.`,
    by: [
      by({ connection: attributes.shape.connection as z.ZodType<string> }, ({ connection }) =>
        ownedBy(connectionRef(connection), type),
      ),
    ],
  });

/** Finds what a connection says of a user or a group: one GetItem for the look-up, and one for what it leads to. */
export function findLinkCommand(entity: Entity, what: 'user' | 'group', summary: string): Command {
  const { type, guards } = entity;
  const shape = entity.attributes.shape as Readonly<Record<string, z.ZodType>>;
  const fields = guards.map(({ field }) => field);
  const wanted = Object.fromEntries(fields.map((name) => [name, (shape[name] as z.ZodType).optional()]));
  return readCommand({
    name: `${type}.find`,
    summary,
    input: z
      .strictObject({ connection: shape.connection as z.ZodType, ...wanted })
      .refine(
        (given) => fields.filter((name) => given[name as 'connection'] !== undefined).length === 1,
        `give exactly one of ${fields.join(' and ')}`,
      ),
    run: async ({ reader }, given: Attributes) => {
      const guard = guards.find(({ field }) => given[field] !== undefined) as Guard;
      const found = await reader.get(guardKeyOf(guard, given) as Key);
      const item = found && (await reader.get(nodeKey(ownerOf(found, entity))));
      // A key may hold less than the whole of an externalId.
      const isIt = item && (guard.field !== 'externalId' || item.externalId === given.externalId);
      if (!isIt) throw notFound(guard.field, `this ${what} of the connection`);
      return visible(item);
    },
  });
}
