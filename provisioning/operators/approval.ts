import { byteLength } from '../../table/bytes.ts';
import { DAY_MS, type Entity, INDEXES } from '../../table/entities/entity.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { conflict, GatehouseError, limitExceeded, stale } from '../../table/errors.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { approvalKey, listPartition } from '../../table/keys.ts';
import type { ListQuery } from '../../table/reader.ts';
import { type Action, create, type Value } from '../../table/write/action.ts';
import { isSameRequest, type Operation, operationMismatch } from '../operation.ts';

/**
 * Requests for approval: a dangerous command is kept as it was sent, and another operator carries it out. A request
 * has the id of its operation, so the same event sent twice is one request.
 */

/** A request that nobody has decided by then is over. */
const LIFETIME_MS = DAY_MS;
/** How long the table keeps one that was decided: its answer, and no input. */
const KEPT_MS = 30 * DAY_MS;
/** Of the input, and of the answer that takes its place: an item of DynamoDB has 400 KB. */
const MAX_BYTES = 300_000;

/** Thrown when a command was kept for approval. */
export class ApprovalRequired extends GatehouseError {
  /** The id of the request. */
  readonly approval: string;
  constructor(approval: string) {
    super(
      'approval_required',
      'it waits for the approval of another operator: approval.approve, within 24 hours',
    );
    this.approval = approval;
  }
}

/** Types of scopes, and of what hangs on one. */
const IN_TREES = Object.values<Entity>(ENTITIES).filter(({ type, hangsOn = [] }) =>
  [type, ...hangsOn].some((each) => each === 'scope' || Object.hasOwn(SCOPE_TYPES, each)),
);

/** Commands that do all that another one does, and more. */
const WIDER = new Map([
  ['scope.delete-tree', IN_TREES.map(({ type }) => `${type}.delete`)],
  ['user.erase', ['user.delete']],
]);

/**
 * Whether a list of command names with `*` has a command, or one that it does the same as. Approvals themselves never
 * wait.
 */
export const matcherOf = (patterns: readonly string[]): ((command: string) => boolean) => {
  const tests = patterns.map(
    (pattern) =>
      new RegExp(
        `^${pattern
          .split('*')
          .map((part) => part.replaceAll('.', '\\.'))
          .join('.*')}$`,
      ),
  );
  return (command) =>
    !command.startsWith('approval.') &&
    [command, ...(WIDER.get(command) ?? [])].some((name) => tests.some((test) => test.test(name)));
};

/** A pattern of command names: `tenant.delete`, `*.delete`, `admin.*`. */
export const isCommandPattern = (text: string): boolean =>
  text.length <= 64 && /^[a-z*-]+(?:\.[a-z*-]+)?$/.test(text) && !/\*\*/.test(text);

export interface Asked {
  readonly operation: Operation;
  readonly input: unknown;
  /** What it would answer now. */
  readonly result: unknown;
  readonly requestedBy: string;
  readonly places: readonly (Ref | undefined)[];
  /** ISO 8601. */
  readonly now: string;
}

/** The item of a request. */
export function keepRequest({ operation, input, result, requestedBy, places, now }: Asked): Action {
  const text = JSON.stringify(input);
  if (!fits(text))
    throw limitExceeded(`an input that waits for approval has at most ${MAX_BYTES} bytes`, 'input');
  if (!fits(JSON.stringify(result)))
    throw limitExceeded(
      `what waits for approval answers with at most ${MAX_BYTES} bytes: ask for less`,
      'input',
    );
  const end = Date.parse(now) + LIFETIME_MS;
  const item: Item = {
    ...approvalKey(operation.id),
    Type: 'Approval',
    id: operation.id,
    command: operation.command,
    input: text,
    digest: operation.digest,
    requestedBy,
    requestedAt: now,
    expiresAt: new Date(end).toISOString(),
    status: 'open',
    places: places.map((place) => (place ? formatRef(place) : 'platform')),
    ttl: Math.floor(end / 1_000),
    [`${INDEXES.all}PK`]: listPartition('approval', 0),
    [`${INDEXES.all}SK`]: operation.id,
  };
  return create(item, (found) => askedBefore({ operation, requestedBy, now }, found));
}

export const fits = (text: string): boolean => byteLength(text) <= MAX_BYTES;

/** What is said of an operation that was asked for before. */
export function askedBefore(
  { operation, requestedBy, now }: Pick<Asked, 'operation' | 'requestedBy' | 'now'>,
  found: Item | undefined,
): GatehouseError {
  if (!found) return stale('this request', 'operationId');
  if (!isSameRequest(operation, found) || found.requestedBy !== requestedBy) return operationMismatch();
  if (found.status === 'open' && !isExpired(found, now)) return new ApprovalRequired(operation.id);
  if (found.status === 'open') return conflict('operationId', `${EXPIRED}, under another operationId`);
  return conflict('operationId', `this request was decided before: it is ${String(found.status)}`);
}

/** Whether its time is over, begun or not. */
export const isExpired = ({ expiresAt }: Item, now: string): boolean => !(now < String(expiresAt));

export const EXPIRED = 'this request is older than 24 hours: the command has to be sent again';

/** All requests, from the index: it follows the table by a moment. */
export const allApprovals = (keep: (item: Item) => boolean): ListQuery => ({
  index: INDEXES.all,
  ranges: [{ partition: listPartition('approval', 0) }],
  keep,
});

/** Who decides, when, and in which state the request has to be. */
interface Decided {
  readonly id: string;
  readonly operator: string;
  readonly now: string;
  readonly from: { readonly status: 'open' | 'running'; readonly decidedBy: string | undefined };
  readonly changes: { readonly status: string } & Readonly<Record<string, Value>>;
}

/** A change of a request's state, on the condition that nobody was faster. One that is over holds its input no more. */
export const decideRequest = ({ id, operator, now, from, changes }: Decided): Action => ({
  kind: 'update',
  key: approvalKey(id),
  set: {
    decidedBy: operator,
    decidedAt: now,
    ...changes,
    ...(changes.status === 'running' ? {} : { ttl: Math.floor((Date.parse(now) + KEPT_MS) / 1_000) }),
  },
  ...(changes.status === 'running' ? {} : { remove: ['input'] }),
  when: { exists: true, equals: from },
  failure: (found) =>
    found?.decidedBy === operator ? stale('this request', 'id') : conflict('id', decidedBefore(found)),
});

export const decidedBefore = (found: Item | undefined): string =>
  `another operator was faster: the request is ${String(found?.status ?? 'gone')}`;
