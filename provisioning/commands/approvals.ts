import * as z from 'zod';
import { sha256 } from '../../table/bytes.ts';
import * as field from '../../table/entities/fields.ts';
import { conflict, GatehouseError, invalid, notFound, stale } from '../../table/errors.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { approvalKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { canonical } from '../canonical.ts';
import { type Command, readCommand, type WriteCommand, writeCommand } from '../command.ts';
import { inCurrentNames } from '../former-names.ts';
import { label, readInput } from '../input.ts';
import { PAGE } from '../kinds/lists.ts';
import { textOf } from '../nodes/nodes.ts';
import { readScopeRef } from '../nodes/scope-types.ts';
import {
  allApprovals,
  decidedBefore,
  decideRequest,
  EXPIRED,
  fits,
  isExpired,
} from '../operators/approval.ts';
import { withoutSecrets } from '../operators/parts.ts';
import { placesKept } from '../operators/places.ts';
import type { AuditEntry, Plan, Planning, Requested } from '../plan.ts';
import { revealed } from '../pseudonyms.ts';

/**
 * Two-person approval (ADR 0038): dangerous commands wait here until another operator carries them out. A request is
 * `open`, then `rejected`, or `running` while a command of several steps is under way, then `done`, or `ended` where
 * somebody has ended it between two steps.
 */
const id = label.describe('id of the request: that of its operation');

const SHOWN = ['id', 'command', 'requestedBy', 'requestedAt', 'expiresAt', 'status', 'decidedBy', 'digest'];

/** A request as people see it, without its input. */
const described = (item: Item): Readonly<Record<string, unknown>> =>
  Object.fromEntries(SHOWN.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));

/** A request with its input, without secrets: they stay in the table until it is decided. */
const shown = (item: Item): Readonly<Record<string, unknown>> => ({
  ...described(item),
  input: withoutSecrets(textOf(item, 'command'), JSON.parse(textOf(item, 'input'))),
});

const isUndecided = ({ status }: Item): boolean => status === 'open' || status === 'running';

/** Whether all that a request concerns is in these tenants. */
const isOf = (tenants: readonly Ref[]): ((item: Item) => boolean) => {
  const known = new Set(tenants.map(formatRef));
  return (item) => placesKept(item).every((place) => place !== undefined && known.has(formatRef(place)));
};

const list = readCommand({
  name: 'approval.list',
  summary:
    'Lists the commands that wait for approval or are under way, of one or several tenants or all, page by page. Secrets in their inputs are left out.',
  input: z.strictObject({
    tenant: z.union([field.ref, z.array(field.ref).min(1).max(20)]).optional(),
    ...PAGE,
  }),
  run: async ({ reader, now }, { tenant, limit, cursor }) => {
    const read = (each: string) => readScopeRef(reader, each, 'tenant');
    const ofTenant = tenant === undefined ? () => true : isOf(await Promise.all([tenant].flat().map(read)));
    const page = await reader.list({
      ...allApprovals((item) => isUndecided(item) && !isExpired(item, now) && ofTenant(item)),
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
  if (isExpired(item, now)) throw conflict('id', EXPIRED);
  if (item.status !== 'open') throw conflict('id', decidedBefore(item));
}

/** Logs that one ending is recorded in. */
const MOST_LOGS = 20;

/** The state of one that is not over. */
function stateOf(item: Item): Parameters<typeof decideRequest>[0]['from'] {
  const { status, decidedBy } = item;
  if (status !== 'open' && status !== 'running') throw conflict('id', decidedBefore(item));
  return { status, decidedBy: typeof decidedBy === 'string' ? decidedBy : undefined };
}

const reject = writeCommand({
  name: 'approval.reject',
  summary:
    'Rejects a command that waits for approval, or withdraws it. One that is under way is ended: what its steps have done stays.',
  input: z.strictObject({ id }),
  plan: async (planning, { id: request }) => {
    const { operator, item } = await load(planning, request);
    const from = stateOf(item);
    if (from.status === 'open') refuseUndecidable(item, planning.now);
    const changes = { status: from.status === 'open' ? 'rejected' : 'ended' };
    const entries = placesKept(item).map((tenant) => ({
      entity: { type: 'approval', id: request },
      tenant,
      details: { requestedBy: item.requestedBy, requested: item.command, ...changes },
    }));
    return {
      actions: [decideRequest({ id: request, operator, now: planning.now, from, changes })],
      result: { ...described(item), ...changes, decidedBy: operator },
      // It takes the right in each tenant, and stands in the log of each, as far as one transaction holds them.
      audit: entries.slice(0, MOST_LOGS),
      carries: entries,
    };
  },
});

/** What was recorded, as its command takes it. */
async function recorded(
  item: Item,
  commands: ReadonlyMap<string, Command>,
): Promise<{ command: WriteCommand; input: unknown; given: Requested['input'] }> {
  const damaged = () => new GatehouseError('damaged_item', 'the request cannot be read', { field: 'id' });
  const name = textOf(item, 'command');
  const command = commands.get(name);
  const sent: Requested['input'] = JSON.parse(textOf(item, 'input'));
  if (command?.kind !== 'write' || item.digest !== (await sha256(canonical([name, sent])))) throw damaged();
  const given = inCurrentNames(name, sent);
  return { command, input: readInput(command, given), given };
}

/** The answer as it is kept, without what the command answers where that has grown too large meanwhile. */
function answerText(answer: Plan['result']): string {
  const text = JSON.stringify(answer);
  return fits(text) ? text : JSON.stringify({ ...answer, result: {} });
}

const stillThere = (request: string): Action => ({
  kind: 'check',
  key: approvalKey(request),
  when: { exists: true },
  failure: () => stale('this request', 'id'),
});

/** Carries out requests for `commands`. */
const approveCommand = (commands: ReadonlyMap<string, Command>): Command =>
  writeCommand({
    name: 'approval.approve',
    summary:
      'Carries out a command that waits for approval, as another operator than the one who sent it. `result` is what the command answers. Sent again by the same operator, it goes on, until 24 hours after it was asked for, or answers as the first time.',
    inSteps: true,
    compares: true,
    input: z.strictObject({ id }),
    plan: async (planning, { id: request }): Promise<Plan> => {
      const { operator, item } = await load(planning, request);
      const requestedBy = textOf(item, 'requestedBy');
      const isMine = item.decidedBy === operator;
      const { now } = planning;
      if (item.status === 'done' && isMine) {
        const result = await revealed(planning.reader, JSON.parse(textOf(item, 'answer')));
        // Its record is the request.
        return { actions: [], result, audit: [], record: () => stillThere(request) };
      }
      if (item.status !== 'running' || !isMine || isExpired(item, now)) refuseUndecidable(item, now);
      if (requestedBy === operator)
        throw new GatehouseError('not_permitted', 'another operator than the one who asked has to approve', {
          field: 'id',
        });
      const { command, input, given } = await recorded(item, commands);
      type From = ReturnType<typeof stateOf>;
      const asPart = (plan: Plan, from: From): Plan => {
        const { next, result, shownOnce } = plan;
        const answer = { id: request, command: command.name, requestedBy, result };
        const record = (kept: Plan['result']) =>
          decideRequest({
            id: request,
            operator,
            now,
            from,
            changes: next ? { status: 'running' } : { status: 'done', answer: answerText(kept) },
          });
        const named = (entries: readonly AuditEntry[]) =>
          entries.map((entry) => ({ ...entry, command: entry.command ?? command.name }));
        return {
          ...plan,
          result: answer,
          ...(shownOnce ? { shownOnce: { result: { ...result, ...shownOnce } } } : {}),
          audit: named([plan.audit].flat()).map((entry) => ({
            ...entry,
            details: { ...entry.details, requestedBy, approval: request },
          })),
          ...(plan.carries ? { carries: named(plan.carries) } : {}),
          record,
          requested: { by: requestedBy, command: command.name, input: given },
          ...(next ? { next: (more) => next(more).then((one) => asPart(one, running)) } : {}),
        };
      };
      const running: From = { status: 'running', decidedBy: operator };
      return asPart(await command.plan(planning, input as never), stateOf(item));
    },
  });

/** `commands` are those that can wait for approval. */
export const approvalCommands = (commands: ReadonlyMap<string, Command>): readonly Command[] => [
  list,
  approveCommand(commands),
  reject,
];
