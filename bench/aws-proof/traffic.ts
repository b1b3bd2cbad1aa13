import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../local/message-of.ts';
import { type Caller, type Generated, generate } from '../load/generate.ts';
import { describeLoad, errorsOf } from '../load/report.ts';
import type { Section } from './proof.ts';
import type { World } from './world.ts';

const statusOf = async (url: string, path: string, token?: string): Promise<number> => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return (await fetch(`${url}${path}`, { headers, signal: AbortSignal.timeout(15_000) })).status;
};

const REVOCATION_SECONDS = 120;

/** Allowed, refused, without a token; and how long a revocation takes. */
export async function smoke(url: string, world: World, signal: AbortSignal): Promise<Section> {
  const { sample, revoked } = world;
  const checks = [
    ['what is allowed', await statusOf(url, sample.allowed, sample.token), 200],
    ['what is not', await statusOf(url, sample.refused, sample.token), 403],
    ['without a token', await statusOf(url, sample.allowed), 401],
    ['before a revocation', await statusOf(url, revoked.allowed, revoked.token), 200],
  ] as const;
  const wrong = checks.filter(([, status, expected]) => status !== expected);
  if (wrong.length > 0)
    throw new Error(
      wrong.map(([what, status, expected]) => `${what}: ${status}, not ${expected}`).join('; '),
    );
  await revoked.take();
  const begun = Date.now();
  while ((await statusOf(url, revoked.allowed, revoked.token)) !== 403) {
    if (Date.now() - begun > REVOCATION_SECONDS * 1_000)
      throw new Error(`what was revoked is allowed after ${REVOCATION_SECONDS} s`);
    await sleep(1_000, undefined, { signal });
  }
  const seconds = ((Date.now() - begun) / 1_000).toFixed(1);
  await revoked.take();
  const lines = checks.map(([what, status]) => `- ${what}: ${status}`);
  return { title: 'Smoke', lines: [...lines, `- a revocation is refused after ${seconds} s`] };
}

const RATE = 50;
const SECONDS = 300;

const planOf = (url: string, callers: readonly Caller[], rate: number, seconds: number) => ({
  url,
  callers,
  rate,
  seconds,
  exponent: 1,
  arrivals: 'poisson' as const,
  connections: 50,
  timeoutMs: 10_000,
  seed: 1,
});

const wrongOf = ({ unexpected, examples }: Generated): string =>
  `Wrong answers: ${unexpected}${examples.length === 0 ? '' : ` (${examples.join('; ')})`}.`;

/** 50 requests per second for five minutes, and a write each second. */
export async function load(url: string, { callers, write }: World, signal: AbortSignal): Promise<Section> {
  const over = new AbortController();
  let writes = 0;
  const faults: string[] = [];
  const writing = (async () => {
    while (!over.signal.aborted && !signal.aborted) {
      await write().then(
        () => writes++,
        (error: unknown) => faults.push(messageOf(error)),
      );
      await sleep(1_000, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  const measured = await generate(planOf(url, callers, RATE, SECONDS), { signal });
  over.abort();
  await writing;
  signal.throwIfAborted();
  const failed = faults.length === 0 ? '' : `; ${faults.length} failed, such as: ${faults[0]}`;
  return {
    title: 'Load',
    lines: [
      ...describeLoad(RATE, measured),
      '',
      `Writes meanwhile: ${writes}${failed}. ${wrongOf(measured)}`,
    ],
  };
}

/** A light load for as long as something else takes. */
export async function during(
  url: string,
  { callers }: World,
  act: () => Promise<void>,
  signal: AbortSignal,
): Promise<string> {
  const over = new AbortController();
  const stop = AbortSignal.any([over.signal, signal]);
  const loading = generate(planOf(url, callers, 5, 1_800), { signal: stop });
  try {
    await act();
  } finally {
    over.abort();
  }
  const measured = await loading;
  return `${measured.answered} requests meanwhile, ${errorsOf(measured)} errors. ${wrongOf(measured)}`;
}
