import { createHash, KeyObject, verify, type webcrypto } from 'node:crypto';
import type { Schedule } from '../../table/memory/index.ts';

/**
 * Simulated time: what is to happen stands in one queue and happens in its order, one thing after the other. Times
 * have fractions of a millisecond, as real ones do; clocks show whole ones.
 *
 * WebCrypto alone works in real time, on threads of its own: `stop` ends the watch over it.
 *
 * @param start epoch milliseconds
 */
export function createTime(start: number) {
  let time = start;
  const queue: { readonly due: number; readonly act: () => void }[] = [];
  const realWork = watchRealWork();

  /** Until nothing goes on any more before time passes. */
  async function settle(): Promise<void> {
    do await new Promise(setImmediate);
    while (realWork.isPending());
  }

  const schedule: Schedule = (milliseconds, act) => {
    const due = time + milliseconds;
    const place = queue.findLastIndex((each) => each.due <= due) + 1;
    queue.splice(place, 0, { due, act });
  };

  /** Lets time pass until an instant, and happen what is due. */
  async function passUntil(instant: number): Promise<void> {
    for (let next = queue[0]; next !== undefined && next.due <= instant; next = queue[0]) {
      queue.shift();
      time = next.due;
      next.act();
      await settle();
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
    stop: realWork.stop,
  };
}

export type Time = ReturnType<typeof createTime>;

const METHODS = ['sign', 'encrypt', 'decrypt', 'importKey', 'exportKey'] as const;

/**
 * Counts what WebCrypto does, and lets it end in the order in which it began: threads end in any. What is done most, digests
 * and signatures of tokens, is done at once.
 */
function watchRealWork() {
  const { subtle } = globalThis.crypto;
  const digest = async (_: unknown, data: Uint8Array): Promise<ArrayBuffer> => {
    const made = createHash('sha256').update(data).digest();
    return made.buffer.slice(made.byteOffset, made.byteOffset + made.byteLength) as ArrayBuffer;
  };
  const atOnce = {
    digest,
    verify: async (
      _: unknown,
      key: webcrypto.CryptoKey,
      signature: Uint8Array,
      data: Uint8Array,
    ): Promise<boolean> =>
      verify('sha256', data, { key: KeyObject.from(key), dsaEncoding: 'ieee-p1363' }, signature),
  };
  for (const [name, value] of Object.entries(atOnce))
    Object.defineProperty(subtle, name, { configurable: true, value });
  let pending = 0;
  let last: Promise<unknown> = Promise.resolve();
  for (const name of METHODS) {
    const method = subtle[name] as (...input: unknown[]) => Promise<unknown>;
    const value = (...input: unknown[]): Promise<unknown> => {
      pending += 1;
      const done = last
        .then(() => method.apply(subtle, input))
        .finally(() => {
          pending -= 1;
        });
      last = done.catch(() => undefined);
      return done;
    };
    Object.defineProperty(subtle, name, { configurable: true, value });
  }
  return {
    isPending: () => pending > 0,
    stop: (): void => {
      for (const name of [...Object.keys(atOnce), ...METHODS]) Reflect.deleteProperty(subtle, name);
    },
  };
}
