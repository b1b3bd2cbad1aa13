import { sha256 } from '../table/bytes.ts';
import { DAY_MS } from '../table/entities/entity.ts';
import { GatehouseError } from '../table/errors.ts';
import type { Item } from '../table/item.ts';
import { operationKey } from '../table/keys.ts';
import { type Action, create } from '../table/write/action.ts';
import { canonical } from './canonical.ts';
import { inFormerNames } from './former-names.ts';

/**
 * Idempotency for good: the record of an operation is written in the transaction of the command, so a
 * repetition, however late, meets it and gets the first answer again. DynamoDB's own client token
 * forgets after ten minutes. Records of operations that the caller did not name serve our own retries
 * only and go after a day.
 */
const UNNAMED_LIFETIME_MS = DAY_MS;

export interface Operation {
  readonly id: string;
  /** Whether the caller chose the id. */
  readonly named: boolean;
  readonly command: string;
  /** Digest of command and input: the same id with another request is a mistake. */
  readonly digest: string;
  /** The same with the former names of fields, where it has any (ADR 0039): an operation of before has it on record. */
  readonly formerDigest?: string;
}

/** What an operation came to the first time. */
export interface Outcome {
  readonly result: Readonly<Record<string, unknown>>;
  /** Not on record: only the first answer has it. */
  readonly shownOnce?: Readonly<Record<string, unknown>> | undefined;
}

/** Thrown by the transaction when the operation has been carried out before. */
export class AlreadyDone extends GatehouseError {
  readonly found: Item | undefined;
  constructor(found: Item | undefined) {
    super('conflict', 'this operation was carried out before', { field: 'operationId' });
    this.found = found;
  }
}

export async function describeOperation(
  id: string,
  named: boolean,
  command: string,
  input: Readonly<Record<string, unknown>>,
): Promise<Operation> {
  // The same input written in another order is the same operation.
  const digestOf = (each: unknown) => sha256(canonical([command, each]));
  const digest = await digestOf(input);
  const before = inFormerNames(command, input);
  return {
    id,
    named,
    command,
    digest,
    ...(before === input ? {} : { formerDigest: await digestOf(before) }),
  };
}

/** Whether what is on record is the same command with the same input. */
export const isSameRequest = ({ digest, formerDigest }: Operation, found: Item): boolean =>
  found.digest === digest || (formerDigest !== undefined && found.digest === formerDigest);

/** @param writtenAt epoch milliseconds, from which the record of an unnamed operation has its day */
export function recordOperation(
  operation: Operation,
  { result }: Outcome,
  now: string,
  writtenAt: number,
): Action {
  const item: Item = {
    ...operationKey(operation.id),
    Type: 'Operation',
    command: operation.command,
    digest: operation.digest,
    result,
    createdAt: now,
    ...(operation.named ? {} : { ttl: Math.floor((writtenAt + UNNAMED_LIFETIME_MS) / 1000) }),
  };
  return create(item, (found) => new AlreadyDone(found));
}

/** A step before the last one is for an operation that no copy of the request has ended. */
export const asOpen = ({ id }: Operation): Action => ({
  kind: 'check',
  key: operationKey(id),
  when: { exists: false },
  failure: (found) => new AlreadyDone(found),
});

export const operationMismatch = (): GatehouseError =>
  new GatehouseError('operation_mismatch', 'this operationId was used before for another command or input', {
    field: 'operationId',
  });

/** The outcome on record. Throws `operation_mismatch` when the id was used for something else. */
export function recall(operation: Operation, record: Item): Outcome {
  if (!isSameRequest(operation, record)) throw operationMismatch();
  return { result: record.result as Outcome['result'] };
}
