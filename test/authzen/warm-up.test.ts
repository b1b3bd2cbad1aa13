import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterEach, expect, test, vi } from 'vitest';
import type { Fetch } from '../../authorizer/credentials/fetch.ts';
import { composeFrom } from '../../authzen/compose.ts';
import { evaluateOnce, warmUpOf } from '../../authzen/warm-up.ts';
import { warmUp } from '../../engine/warm-up.ts';
import type { Reader } from '../../table/reader.ts';
import { AUDIENCE, createIssuer, ISSUER } from '../authorizer/support.ts';
import { createLogged } from '../support/log.ts';
import { createFixture, PUBLIC_URL, QUESTION, send } from './support.ts';

/** What the function does before there is a request: the same as the authorizer (test/authorizer/warm-up.test.ts). */
const issuer = await createIssuer();
const fixture = await createFixture();
afterEach(() => {
  vi.restoreAllMocks();
  trace.disable();
  context.disable();
});

/** Everything that could be written is. */
const ENVIRONMENT = {
  TABLE_NAME: 'gatehouse',
  PUBLIC_URL,
  TOKEN_ISSUER: ISSUER,
  TOKEN_AUDIENCE: AUDIENCE,
  LOG_LEVEL: 'DEBUG',
  DECISION_LOG: 'all',
  METRICS_NAMESPACE: 'gatehouse',
};

/** The API that is not warm yet, and what it reads, fetches and writes. */
function setUp(env: Readonly<Record<string, string>> = ENVIRONMENT) {
  const { world } = fixture;
  const { lines: written, write } = createLogged();
  const [reads, fetched]: [string[], string[]] = [[], []];
  const reader: Pick<Reader, 'getMany' | 'getSnapshot' | 'list' | 'listAll'> = {
    ...world.reader,
    getMany: (keys, notes) => {
      reads.push(keys.map(({ PK }) => PK).join(' '));
      return world.reader.getMany(keys, notes);
    },
  };
  const fetch: Fetch = async (url) => {
    fetched.push(url);
    return new Response(JSON.stringify({ keys: [issuer.jwk] }));
  };
  const composed = composeFrom(env, {
    reader,
    fetch,
    clock: world.clock,
    wait: world.clock.wait,
    random: () => 0,
    log: write,
    writeMetrics: write,
  });
  const ask = async () => {
    const asked = { token: fixture.token.a, body: QUESTION };
    return (await send(composed.handle, '/access/v1/evaluation', asked)).json;
  };
  return { ask, composed, fetched, reads, written, warm: () => warmUp(warmUpOf(composed, world.clock)) };
}

test('reads what every decision looks at, fetches the keys, and verifies a signature, which is not valid', async () => {
  const verify = vi.spyOn(crypto.subtle, 'verify');
  const { ask, fetched, reads, warm } = setUp();
  await warm();
  expect(reads.splice(0)).toEqual(['GLOBAL#GATEHOUSE']);
  expect(fetched).toHaveLength(1);
  expect(await Promise.all(verify.mock.results.map(({ value }) => value))).toEqual([false]);
  expect(await ask()).toMatchObject({ decision: true });
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.join(' ')).not.toContain('GLOBAL#GATEHOUSE');
});

test.each([
  ['with issuers and a public URL', ENVIRONMENT],
  ['with neither', { TABLE_NAME: 'gatehouse' }],
])('makes up an evaluation that is allowed: %s', async (_, env) => {
  const answer = await evaluateOnce(setUp(env).composed.configuration);
  expect(answer.statusCode).toBe(200);
  expect(JSON.parse(answer.body)).toEqual({ decision: true, context: { reason: 'role' } });
});

test('writes nothing: no line, no decision, no metric, no span', async () => {
  const exporter = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const { ask, warm, written } = setUp();
  await warm();
  expect(output).not.toHaveBeenCalled();
  expect(written).toEqual([]);
  expect(exporter.getFinishedSpans()).toEqual([]);
  await ask();
  expect(written.length).toBeGreaterThan(0);
  expect(exporter.getFinishedSpans().length).toBeGreaterThan(0);
});
