import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../local/message-of.ts';
import { percentile } from '../harness/statistics.ts';
import { shortNumber } from '../harness/table.ts';
import { type Generated, generate } from '../load/generate.ts';
import { achievedRate } from '../load/open-loop.ts';
import type { Section } from './proof.ts';
import type { World } from './world.ts';

const REVOCATION_MS = 120_000;

/** Allowed, refused, without a token; and how long a revocation takes. */
export async function smoke(url: string, world: World, signal: AbortSignal): Promise<Section> {
  const { sample, revoked } = world;
  const statusOf = async (path: string, token?: string): Promise<number> => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await fetch(`${url}${path}`, { headers, signal: AbortSignal.timeout(15_000) })).status;
  };
  const checks = [
    ['what is allowed', await statusOf(sample.allowed, sample.token), 200],
    ['what is not', await statusOf(sample.refused, sample.token), 403],
    ['without a token', await statusOf(sample.allowed), 401],
    ['before a revocation', await statusOf(revoked.allowed, revoked.token), 200],
  ] as const;
  for (const [what, status, expected] of checks)
    if (status !== expected) throw new Error(`${what}: ${status}, not ${expected}`);
  await revoked.take();
  const begun = Date.now();
  while ((await statusOf(revoked.allowed, revoked.token)) !== 403) {
    if (Date.now() - begun > REVOCATION_MS)
      throw new Error(`what was revoked is allowed after ${REVOCATION_MS} ms`);
    await sleep(1_000, undefined, { signal });
  }
  const seconds = ((Date.now() - begun) / 1_000).toFixed(1);
  await revoked.take();
  const lines = checks.map(([what, status]) => `- ${what}: ${status}`);
  return { title: 'Smoke', lines: [...lines, `- a revocation is refused after ${seconds} s`] };
}

const RATE = 50;
const SECONDS = 300;
const USUAL = { exponent: 1, connections: 50, timeoutMs: 10_000, seed: 1 };

/**
 * The answers of a load. A success, a redirect or a refusal by the authorizer is none of its errors; 401, 404, 429, 5xx
 * and what is not sent in time are.
 */
function linesOf({ unexpected, examples, ...measured }: Generated): readonly string[] {
  const answers = Object.entries({ ...measured.outcomes, 'not sent in time': measured.unsent });
  const errors = answers.filter(([name]) => !/^(?:[23]\d\d|403)$/.test(name));
  const inMs = (values: readonly number[]): string =>
    values.length === 0
      ? 'none'
      : [0.5, 0.9, 0.99, 1].map((share) => shortNumber(percentile(values, share))).join(', ');
  return [
    `- achieved ${shortNumber(achievedRate(measured))} requests per second`,
    `- answers: ${answers.map(([name, count]) => `${name}: ${count}`).join(', ')}`,
    `- milliseconds from when a request was due (p50, p90, p99, longest): ${inMs(measured.latencies)}`,
    `- of that until it was sent: ${inMs(measured.waits)}`,
    `- errors (all but 2xx, 3xx and 403): ${errors.reduce((sum, [, count]) => sum + count, 0)}`,
    `- wrong answers: ${[unexpected, ...examples].join('; ')}`,
  ];
}

/** 50 requests per second for five minutes, and a write each second. */
export async function load(url: string, { callers, write }: World, signal: AbortSignal): Promise<Section> {
  const faults: string[] = [];
  let writes = 0;
  let isOver = false;
  const writing = (async () => {
    for (; !isOver && !signal.aborted; await sleep(1_000))
      await write().then(
        () => writes++,
        (error: unknown) => faults.push(messageOf(error)),
      );
  })();
  const measured = await generate({ ...USUAL, url, callers, rate: RATE, seconds: SECONDS }, { signal });
  isOver = true;
  await writing;
  signal.throwIfAborted();
  const failed = faults.length === 0 ? '' : `; ${faults.length} failed, such as: ${faults[0]}`;
  return {
    title: 'Load',
    lines: [`Asked ${RATE} requests per second.`, '', ...linesOf(measured), `- writes: ${writes}${failed}`],
  };
}

/** The answers of a light load for as long as something else takes. */
export async function during(
  url: string,
  { callers }: World,
  signal: AbortSignal,
  act: () => Promise<void>,
): Promise<readonly string[]> {
  const over = new AbortController();
  const stop = AbortSignal.any([over.signal, signal]);
  const loading = generate({ ...USUAL, url, callers, rate: 5, seconds: 1_800 }, { signal: stop });
  await act().finally(() => over.abort());
  return linesOf(await loading);
}
