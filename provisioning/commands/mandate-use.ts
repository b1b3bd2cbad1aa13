import * as z from 'zod';
import { createEngine, type Question } from '../../engine/index.ts';
import { Attribute } from '../../table/decision/attributes.ts';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { GatehouseError, invalid, limitExceeded, stale } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { identityOf, type Key, mandateUsesKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { isMap } from '../../table/value.ts';
import type { Action, Expected } from '../../table/write/action.ts';
import { writeCommand } from '../command.ts';
import { tenantOf } from '../kinds/node-kind.ts';
import { loadNode } from '../nodes/nodes.ts';
import { readScopeRef } from '../nodes/scope-types.ts';
import { fits } from '../nodes/steps.ts';
import type { OneTransaction } from '../plan.ts';
import { readAs } from '../read-as.ts';

/**
 * The use of a mandate with a budget (ADR 0048): it is decided, and counted in one transaction, on condition that every
 * item on which the decision rests is as it was read. So no use is counted that was not allowed, and none is allowed that
 * was not counted. The record of the operation is the receipt: the same operation again gets the same one.
 */

/** Audit records, and the record of the operation. */
const MORE = 2;

/** A reader that keeps what it has read of each item last. It reads by key alone: a list could not be a condition. */
function recording(reader: Reader): {
  readonly reader: Pick<Reader, 'get' | 'getMany' | 'getSnapshot'>;
  readonly asRead: () => readonly Action[];
} {
  const read = new Map<string, { readonly key: Key; readonly item: Item | undefined }>();
  return {
    reader: readAs(reader, (key, item) => {
      read.set(identityOf(key), { key, item });
      return item;
    }),
    /** The conditions that all of it is still so. */
    asRead: () => [...read.values()].map(({ key, item }) => unchanged(key, item)),
  };
}

/** Each write of an item on which decisions rest has a stamp of its own. */
const unchanged = (key: Key, item: Item | undefined): Action => ({
  kind: 'check',
  key,
  when: {
    exists: item !== undefined,
    ...(item
      ? {
          equals: {
            [Attribute.writtenAt]: item[Attribute.writtenAt] as Expected,
            [Attribute.writeId]: item[Attribute.writeId] as Expected,
          },
        }
      : {}),
  },
  failure: () => stale('what the decision rests on'),
});

interface Budget {
  readonly uses?: number;
  readonly sum?: number;
  readonly of?: string;
}

/** What a budget allows in all, and what this use takes of it; undefined for an amount that is none. */
function takenOf({ uses, sum = 0, of = '' }: Budget, properties: Readonly<Record<string, unknown>>) {
  if (uses !== undefined) return { most: uses, taken: 1 };
  const amount = Object.hasOwn(properties, of) ? properties[of] : undefined;
  const isAmount = typeof amount === 'number' && Number.isSafeInteger(amount) && amount >= 0;
  return { most: sum, taken: isAmount ? amount : undefined };
}

/** What is used up. Throws `damaged_item` where that cannot be read: nothing is allowed then. */
async function usedOf(reader: Reader, key: Key): Promise<number> {
  const used = (await reader.get(key))?.used ?? 0;
  if (typeof used === 'number' && Number.isSafeInteger(used) && used >= 0) return used;
  throw new GatehouseError('damaged_item', `${key.PK} / ${key.SK} has no count`, { field: 'used' });
}

export const useCommand = writeCommand({
  name: 'mandate.use',
  summary:
    'Decides whether an actor may do something for a subject by a mandate with a budget, and counts it in the same transaction. The answer to an allow is a receipt; the same operation gets the same one again. A refusal has its reason and counts nothing.',
  input: z.strictObject({
    mandate: field.id,
    subject: field.subjectRef,
    actor: field.subjectRef,
    permission: field.permissionName,
    scope: field.ref,
    properties: field.passed
      .optional()
      .describe('properties of the action, with the amount where the budget is a sum'),
  }),
  contends: true,
  plan: async (
    planning,
    { mandate: id, subject, actor, permission, scope, properties = {} },
  ): Promise<OneTransaction> => {
    const node = await loadNode(planning, 'mandate', id, 'mandate');
    await readScopeRef(planning.reader, scope, 'scope');
    const { budget } = node.item;
    if (!isMap(budget)) throw invalid('mandate', 'mandate: it has no budget: ask for a decision instead');
    const entity = { entity: node.ref, tenant: tenantOf(ENTITIES.mandate, node.item) };
    const refused = (reason: string): OneTransaction => ({
      actions: [],
      result: { mandate: id, allowed: false, reason },
      audit: { ...entity, kept: true },
    });

    const read = recording(planning.reader);
    const now = Date.parse(planning.now);
    const engine = createEngine({
      reader: read.reader,
      clock: { now: () => now },
      ttlMs: 0,
      keepDecisions: false,
    });
    const question: Question = {
      subject,
      permission,
      scope,
      given: { action: { properties } },
      actor: { subject: actor, mandate: `mandate:${id}` },
      isCounted: true,
    };
    const { decision } = await engine.checkAsked(() => question, { consistency: 'strong' });
    if (!decision?.allowed) return refused(decision?.reason ?? 'mandate_unknown');

    const { most, taken } = takenOf(budget as Budget, properties);
    if (taken === undefined) return refused('budget_amount');
    const key = mandateUsesKey(id);
    const used = await usedOf(planning.reader, key);
    if (used + taken > most) return refused('budget_spent');
    const count: Action = {
      kind: 'update',
      key,
      set: { Type: 'MandateUses', ttl: node.item.ttl as number },
      add: { used: taken },
      when: { atMost: { used: most - taken } },
      failure: () => stale('the budget', 'mandate'),
    };
    const actions = [...read.asRead(), count];
    if (!fits(actions, planning.splits, MORE))
      throw limitExceeded('the decision rests on more items than one transaction holds', 'scope');
    const use = planning.operation ?? planning.newId();
    return {
      actions,
      result: { mandate: id, use, remaining: most - used - taken, allowed: true },
      audit: {
        ...entity,
        acting: { actor, onBehalfOf: subject, mandate: `mandate:${id}` },
        after: { use, subject, actor, permission, scope, taken },
      },
    };
  },
});
