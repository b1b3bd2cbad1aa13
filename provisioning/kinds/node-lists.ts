import * as z from 'zod';
import type { Entity } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES, type EntityType } from '../../table/entities/registry.ts';
import { allOf } from '../../table/patterns/lists.ts';
import type { PageInput } from '../../table/patterns/pattern.ts';
import { pageOf } from '../../table/patterns/reads.ts';
import { ownedBy } from '../../table/patterns/stretches.ts';
import { type Command, readCommand } from '../command.ts';
import { readScopeRef } from '../nodes/scope-types.ts';
import { labelOf } from './node-kind.ts';

/** Input fields of every list. */
export const pageFields = { limit: field.limit.optional(), cursor: field.cursor.optional() };

/** Of lists by time: from an instant on, until before another. */
export const periodFields = { from: field.instant.optional(), until: field.instant.optional() };

/** The list of all nodes of a kind, from the index; it follows the table by a moment. */
export function listAllCommand(type: EntityType): Command {
  const entity: Entity = ENTITIES[type];
  return readCommand({
    name: `${type}.list`,
    summary: `Lists every ${labelOf(entity)}, page by page.`,
    input: z.strictObject(pageFields),
    run: async ({ reader }, page) => pageOf(reader, allOf(type), page),
  });
}

/** The list of what hangs on one scope, named by the field `by`, or of all. */
export function listOwnedCommand(type: EntityType, by: string): Command {
  return readCommand({
    name: `${type}.list`,
    summary: `Lists every ${labelOf(ENTITIES[type])}, of one ${by} or all, page by page.`,
    input: z.strictObject({ [by]: field.ref.optional(), ...pageFields }),
    run: async ({ reader }, { [by]: owner, ...page }: Readonly<Record<string, unknown>> & PageInput) => {
      const query =
        typeof owner === 'string' ? ownedBy(await readScopeRef(reader, owner, by), type) : allOf(type);
      return pageOf(reader, query, page);
    },
  });
}
