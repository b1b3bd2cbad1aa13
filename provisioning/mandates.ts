import { toBase64Url } from '../table/bytes.ts';
import { defined } from '../table/defined.ts';
import { GatehouseError } from '../table/errors.ts';
import type { Reader } from '../table/reader.ts';
import { isMap } from '../table/value.ts';
import type { Writer } from '../table/writer.ts';
import { createIds } from './ids.ts';
import { createProvisioning, type Provisioning } from './provisioning.ts';

/** In browsers and in Node, of whose types it is not yet a part. */
declare const crypto: { readonly getRandomValues: (bytes: Uint8Array) => Uint8Array };

/** One use of a mandate with a budget. */
export interface MandateUse {
  /** The id of the mandate. */
  readonly mandate: string;
  /** References: for whom, and who acts. The caller vouches for both. */
  readonly subject: string;
  readonly actor: string;
  readonly permission: string;
  readonly scope: string;
  /** Of the action, with the amount where the budget is a sum. */
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
  /** The same one again gets the same receipt, and is counted once. */
  readonly operationId: string;
}

/** What a use came to. */
export type MandateReceipt =
  | {
      readonly allowed: true;
      readonly mandate: string;
      readonly use: string;
      /** What is left at most: uses at the same time may have taken of it. */
      readonly remaining: number;
    }
  | { readonly allowed: false; readonly mandate: string; readonly reason: string };

export interface MandatesOptions {
  readonly reader: Reader;
  readonly writer: Writer;
  /** Default: the clock of the system. */
  readonly clock?: { readonly now: () => number } | undefined;
}

/** Counts uses of mandates in the process of an enforcement point, which is trusted with the question. */
export interface Mandates {
  /**
   * Decides and counts in one transaction.
   *
   * @throws GatehouseError `invalid`, `not_found`; on faults, which mean "not allowed": repeat it with the same
   *   `operationId` where `retryable` says so
   */
  readonly use: (use: MandateUse) => Promise<MandateReceipt>;
}

export function createMandates({ reader, writer, clock = { now: Date.now } }: MandatesOptions): Mandates {
  const provision: Provisioning = createProvisioning({
    reader,
    writer,
    clock,
    newId: createIds(),
    newSecret: () => toBase64Url(crypto.getRandomValues(new Uint8Array(32))),
  });
  const use: Mandates['use'] = async ({ operationId, ...input }) => {
    const answer = await provision({ command: 'mandate.use', operationId, input, actor: input.actor });
    if (answer.ok) return answer.result as unknown as MandateReceipt;
    const { code, message, field } = answer.error;
    throw new GatehouseError(code, message, defined({ field }));
  };
  /** By mandate: the use that ends last. */
  const last = new Map<string, Promise<unknown>>();
  return {
    // Uses of one mandate write one counter, so in one process they go one after the other.
    use: async (asked) => {
      const { mandate, properties } = asked;
      // A copy: what was given may be changed while it waits.
      const own = { ...asked, ...(isMap(properties) && { properties: { ...properties } }) };
      const before = last.get(mandate);
      const using = before === undefined ? use(own) : before.then(() => use(own));
      const ended = using.catch(() => {});
      last.set(mandate, ended);
      try {
        return await using;
      } finally {
        if (last.get(mandate) === ended) last.delete(mandate);
      }
    },
  };
}
