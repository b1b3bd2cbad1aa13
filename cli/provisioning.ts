import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { ulid } from 'ulid';
import { createProvisioning, type Provisioning, type Success } from '../provisioning/index.ts';
import { createClient } from '../table/client.ts';
import { createReader, type Reader } from '../table/read/reader.ts';
import { createWriter } from '../table/write/writer.ts';
import { type ConnectionOptions, readEndpoint, tableOf } from './connection.ts';
import type { Surroundings } from './surroundings.ts';

/** A table with provisioning on top. */
export interface Provisioned {
  readonly reader: Reader;
  readonly provisioning: Provisioning;
}

/** Provisioning in this process. */
export function provisionedOn(
  client: ReturnType<typeof createClient>,
  table: string,
  now: () => number,
  deadlineMs: number,
): Provisioned {
  const reader = createReader({ client, table, deadlineMs });
  const writer = createWriter({ client, table, deadlineMs });
  const newSecret = () => randomBytes(32).toString('base64url');
  const provisioning = createProvisioning({
    ...{ reader, writer, newSecret },
    clock: { now },
    newId: () => ulid(),
  });
  return { reader, provisioning };
}

/** The options of subcommands that write. */
export interface WriteOptions extends ConnectionOptions {
  readonly actor?: string;
}

export const addActorOption = (command: Command): Command =>
  command.option('--actor <name>', 'who does it, for the audit log (or USER)');

/** Sends a write command; throws when it is refused. */
export type Send = (command: string, input: Readonly<Record<string, unknown>>) => Promise<Success['result']>;

/** What was refused by provisioning, in its words. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly field: string | undefined;
  /** Whether the input is at fault, and not the table or the way to it. */
  readonly isOfInput: boolean;
  constructor(message: string, field: string | undefined, isOfInput: boolean) {
    super(message);
    this.field = field;
    this.isOfInput = isOfInput;
  }
}

export interface Editing {
  readonly reader: Reader;
  readonly send: Send;
  /** As `send`, but only looks whether it would be done. */
  readonly rehearse: Send;
}

/** Long enough for a table that has just been made, short enough for somebody who waits. */
const DEADLINE_MS = 5_000;

/** Writing to the table that options or environment name, on behalf of whom they name. */
export function connectForWriting(options: WriteOptions, { env, now }: Surroundings): Editing {
  const table = tableOf(options, env);
  const { reader, provisioning } = provisionedOn(
    createClient(readEndpoint(options, env)),
    table,
    now,
    DEADLINE_MS,
  );
  const actor = options.actor ?? (env.USER || env.USERNAME || undefined);
  const sender =
    (dryRun: boolean): Send =>
    async (command, input) => {
      const answer = await provisioning({
        command,
        input,
        dryRun,
        ...(actor === undefined ? {} : { actor }),
      });
      if (answer.ok) return answer.result;
      const { code, field, message, holder, retryable } = answer.error;
      const isOfInput = !retryable && code !== 'internal' && code !== 'damaged_item';
      throw new RefusedError(`${message}${holder === undefined ? '' : ` (${holder})`}`, field, isOfInput);
    };
  return { reader, send: sender(false), rehearse: sender(true) };
}
