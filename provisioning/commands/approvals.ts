import * as z from 'zod';
import { sha256 } from '../../table/bytes.ts';
import * as field from '../../table/entities/fields.ts';
import { conflict, GatehouseError, invalid, notFound } from '../../table/errors.ts';
import { formatRef, isSafeText, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { approvalKey } from '../../table/keys.ts';
import { canonical } from '../canonical.ts';
import { type Command, readCommand, type WriteCommand, writeCommand } from '../command.ts';
import { readInput } from '../input.ts';
import { textOf } from '../nodes/nodes.ts';
import { readScopeRef } from '../nodes/scope-types.ts';
import { allApprovals, decidedBefore, decideRequest } from '../operators/approval.ts';
import { placesKept } from '../operators/places.ts';
import type { Plan, Planning } from '../plan.ts';
import { withoutHidden } from '../visible.ts';

/**
 * Two-person approval (ADR 0045): dangerous commands wait here until another operator carries them out. A request is
 * `open`, then `rejected`, or `running` while a command of several steps is under way, and `done`.
 */
const id = z
  .string()
  .min(1)
  .max(128)
  .refine(isSafeText, 'holds # or control characters')
  .describe('id of the request: that of its operation');

/** A request as people see it: without secrets, which stay in the table until it is carried out. */
const shown = (item: Item): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(
    ['id', 'command', 'requestedBy', 'requestedAt', 'expiresAt', 'status', 'digest'].map((name) => [
      name,
      item[name],
    ]),
  ),
  input: withoutHidden(JSON.parse(textOf(item, 'input'))),
});

const isWaiting =
  (now: string) =>
  ({ status, expiresAt }: Item): boolean =>
    status === 'open' && now < String(expiresAt);

/** Whether all that a request concerns is this tenant. */
const isOf =
  (tenant: Ref) =>
  (item: Item): boolean =>
    placesKept(item).every((place) => place !== undefined && formatRef(place) === formatRef(tenant));

const list = readCommand({
  name: 'approval.list',
  summary:
    'Lists the commands that wait for approval, of one tenant or all, page by page. Secrets in their inputs are left out.',
  input: z.strictObject({
    tenant: field.ref.optional(),
    limit: field.limit.optional(),
    cursor: field.cursor.optional(),
  }),
  run: async ({ reader, now }, { tenant, limit, cursor }) => {
    const ofTenant = tenant === undefined ? () => true : isOf(await readScopeRef(reader, tenant, 'tenant'));
    const waits = isWaiting(now);
    const page = await reader.list({
      ...allApprovals((item) => waits(item) && ofTenant(item)),
      limit,
      cursor,
    });
    return { ...page, items: page.items.map(shown) };
  },
});

/** The operator who decides, and the request. */
async function load(planning: Planning, request: string): Promise<{ operator: string; item: Item }> {
  const { operator, reader } = planning;
  if (operator === undefined)
    throw invalid('command', 'there are no approvals where operators are not verified (OPERATORS)');
  const item = await reader.get(approvalKey(request));
  if (!item) throw notFound('id', 'this request');
  return { operator, item };
}

function refuseUndecidable(item: Item, now: string): void {
  if (item.status !== 'open') throw conflict('id', decidedBefore(item));
  if (!(now < textOf(item, 'expiresAt')))
    throw conflict('id', 'this request is older than 24 hours: the command has to be sent again');
}

const reject = writeCommand({
  name: 'approval.reject',
  summary: 'Rejects a command that waits for approval, or withdraws it.',
  input: z.strictObject({ id }),
  plan: async (planning, { id: request }) => {
    const { operator, item } = await load(planning, request);
    refuseUndecidable(item, planning.now);
    const changes = { status: 'rejected', decidedAt: planning.now };
    const result = { ...shown(item), status: 'rejected', decidedBy: operator };
    const places = placesKept(item);
    return {
      actions: [decideRequest({ id: request, operator, from: 'open', changes })],
      result,
      audit: {
        entity: { type: 'approval', id: request },
        tenant: places.length === 1 ? places[0] : undefined,
        details: { requestedBy: item.requestedBy, requested: item.command },
      },
    };
  },
});

/** What was recorded, as its command takes it. */
async function recorded(
  item: Item,
  commands: ReadonlyMap<string, Command>,
): Promise<{ command: WriteCommand; input: unknown }> {
  const damaged = () => new GatehouseError('damaged_item', 'the request cannot be read', { field: 'id' });
  const name = textOf(item, 'command');
  const command = commands.get(name);
  const given: unknown = JSON.parse(textOf(item, 'input'));
  if (command?.kind !== 'write' || item.digest !== (await sha256(canonical([name, given])))) throw damaged();
  return { command, input: readInput(command.input, given) };
}

/** Carries out requests for `commands`. */
const approveCommand = (commands: ReadonlyMap<string, Command>): Command =>
  writeCommand({
    name: 'approval.approve',
    summary:
      'Carries out a command that waits for approval, as another operator than the one who sent it. `result` is what the command answers. Sent again by the same operator, it goes on, or answers as the first time.',
    inSteps: true,
    compares: true,
    input: z.strictObject({ id }),
    plan: async (planning, { id: request }, again): Promise<Plan> => {
      const { operator, item } = await load(planning, request);
      const requestedBy = textOf(item, 'requestedBy');
      const isMine = item.decidedBy === operator;
      if (item.status === 'done' && isMine)
        return { actions: [], result: JSON.parse(textOf(item, 'answer')), audit: [] };
      const isRunning = item.status === 'running' && isMine;
      if (!isRunning) refuseUndecidable(item, planning.now);
      if (requestedBy === operator)
        throw new GatehouseError('not_permitted', 'another operator than the one who asked has to approve', {
          field: 'id',
        });
      const { command, input } = await recorded(item, commands);
      const asPart = (plan: Plan, from: 'open' | 'running'): Plan => {
        const { next, result, shownOnce } = plan;
        const answer = { id: request, command: command.name, requestedBy, result };
        const record = decideRequest({
          ...{ id: request, operator, from },
          changes: next
            ? { status: 'running', decidedAt: planning.now }
            : { status: 'done', decidedAt: planning.now, answer: JSON.stringify(answer) },
        });
        return {
          ...plan,
          result: answer,
          ...(shownOnce ? { shownOnce: { result: { ...result, ...shownOnce } } } : {}),
          audit: [plan.audit].flat().map((entry) => ({
            ...entry,
            command: entry.command ?? command.name,
            details: { ...entry.details, requestedBy, approval: request },
          })),
          ...{ record, requestedBy },
          ...(next ? { next: (more) => next(more).then((one) => asPart(one, 'running')) } : {}),
        };
      };
      return asPart(await command.plan(planning, input as never, again), isRunning ? 'running' : 'open');
    },
  });

/** `commands` are those that can wait for approval. */
export const approvalCommands = (commands: ReadonlyMap<string, Command>): readonly Command[] => [
  list,
  approveCommand(commands),
  reject,
];
