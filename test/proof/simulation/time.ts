import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  KeyObject,
  verify,
  type webcrypto,
} from 'node:crypto';
import type { Schedule } from '../../../table/memory/index.ts';

/**
 * Simulated time: what is to happen stands in one queue and happens in its order, one thing after the other. Times
 * have fractions of a millisecond, as real ones do; clocks show whole ones.
 *
 * @param start epoch milliseconds
 */
export function createQueue(start: number) {
  let time = start;
  const queue: { readonly due: number; readonly act: () => void }[] = [];

  /** Until nothing goes on any more before time passes. */
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  const schedule: Schedule = (milliseconds, act) => {
    const due = time + milliseconds;
    const place = queue.findLastIndex((each) => each.due <= due) + 1;
    queue.splice(place, 0, { due, act });
  };

  /** Lets time pass until an instant, and happen what is due. */
  async function passUntil(instant: number): Promise<void> {
    for (await settle(); ; await settle()) {
      const [next] = queue;
      if (next === undefined || next.due > instant) break;
      queue.shift();
      time = next.due;
      next.act();
    }
    time = Math.max(time, instant);
  }

  return {
    now: (): number => time,
    schedule,
    settle,
    wait: (milliseconds: number): Promise<void> =>
      new Promise((resolve) => schedule(Math.max(0, milliseconds), resolve)),
    passUntil,
    pass: (milliseconds: number): Promise<void> => passUntil(time + milliseconds),
  };
}

/** Simulated time in which WebCrypto, which alone would work in real time, does everything at once until `stop`. */
export const createTime = (start: number) => {
  const stop = doCryptographyAtOnce();
  return { ...createQueue(start), stop };
};

export type Time = ReturnType<typeof createTime>;

/**
 * Lets WebCrypto do at once what it does on threads of its own, in real time: they would end in any order.
 *
 * @returns what takes that back
 */
function doCryptographyAtOnce(): () => void {
  const { subtle } = globalThis.crypto;
  const key = (of: unknown): KeyObject => KeyObject.from(of as webcrypto.CryptoKey);
  const AES = 'aes-256-gcm';
  const atOnce = {
    digest: (_: unknown, data: Uint8Array) => createHash('sha256').update(data).digest(),
    sign: (_: unknown, of: unknown, data: Uint8Array) => createHmac('sha256', key(of)).update(data).digest(),
    verify: (_: unknown, of: unknown, signature: Uint8Array, data: Uint8Array) =>
      verify('sha256', data, { key: key(of), dsaEncoding: 'ieee-p1363' }, signature),
    encrypt: ({ iv }: { iv: Uint8Array }, of: unknown, data: Uint8Array) => {
      const cipher = createCipheriv(AES, key(of), iv);
      return Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt: ({ iv }: { iv: Uint8Array }, of: unknown, data: Uint8Array) => {
      const decipher = createDecipheriv(AES, key(of), iv).setAuthTag(data.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(data.subarray(0, -TAG_BYTES)), decipher.final()]);
    },
  };
  for (const [name, act] of Object.entries(atOnce)) {
    const value = async (...input: unknown[]): Promise<unknown> => {
      const made = (act as (...all: unknown[]) => boolean | Buffer)(...input);
      return typeof made === 'boolean' ? made : new Uint8Array(made).buffer;
    };
    Object.defineProperty(subtle, name, { configurable: true, value });
  }
  return () => {
    for (const name of Object.keys(atOnce)) Reflect.deleteProperty(subtle, name);
  };
}

/** AES-GCM puts its tag behind the text. */
const TAG_BYTES = 16;
