import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { composeFrom } from '../../authorizer/compose.ts';
import type { Fetch } from '../../authorizer/credentials/fetch.ts';
import { decideOnce, warmUpOf } from '../../authorizer/warm-up.ts';
import { warmUp } from '../../engine/warm-up.ts';
import { GatehouseError } from '../../table/errors.ts';
import { apiRef, apiRevisionKey, globalKey, partitionOf } from '../../table/keys.ts';
import { createLogged } from '../support/log.ts';
import { createClock } from '../support/world.ts';
import { revisionItem, rosterItems, routeItem, VARIABLES } from './served.ts';
import { AUDIENCE, createIssuer, createReadTable, httpEvent, ISSUER, PLACE } from './support.ts';

const issuer = await createIssuer();
afterEach(() => {
  vi.restoreAllMocks();
  trace.disable();
  context.disable();
});

const ITEMS = [...rosterItems(), revisionItem(), routeItem()];
const REVISION = apiRevisionKey('default').PK;

/** Everything that could be written is: each decision, metrics, and the level DEBUG. */
const ENVIRONMENT = { ...VARIABLES, LOG_LEVEL: 'DEBUG', DECISION_LOG: 'all', METRICS_NAMESPACE: 'gatehouse' };

/** An authorizer over items in memory that is not warm yet, and what it reads, fetches and writes. */
function setUp(env: Readonly<Record<string, string>> = {}, keysOf = async () => [issuer.jwk]) {
  const { failures, reader, reads } = createReadTable(ITEMS);
  const clock = createClock();
  const { lines, write } = createLogged();
  const fetched: string[] = [];
  const fetch: Fetch = async (url) => {
    fetched.push(url);
    return new Response(JSON.stringify({ keys: await keysOf() }));
  };
  const overrides = { reader, clock, wait: clock.wait, random: () => 0, fetch };
  const composed = composeFrom({ ...ENVIRONMENT, ...env }, { ...overrides, log: write, writeMetrics: write });
  const ask = async () => {
    const authorization = `Bearer ${await issuer.token()}`;
    return composed.authorizer(httpEvent('GET', `/locations/${PLACE}/pages/roster`, { authorization }));
  };
  return {
    ask,
    clock,
    composed,
    failures,
    fetched,
    reads,
    warmUp: () => warmUp(warmUpOf(composed, clock)),
    written: lines,
  };
}

describe('the warm-up', () => {
  it('leaves one read to the first request: of what is about this user and this place', async () => {
    const { ask, fetched, reads, warmUp: warm } = setUp();
    await warm();
    expect(reads.splice(0)).toEqual([
      `getMany ${REVISION} ${globalKey().PK}`,
      `listAll ${partitionOf(apiRef('default'))} ROUTE#`,
      `getMany ${REVISION} ${globalKey().PK}`,
    ]);
    expect(fetched).toHaveLength(1);
    expect(await ask()).toMatchObject({ isAuthorized: true });
    expect(reads).toEqual([expect.stringMatching(/^getMany USER#/)]);
    expect(reads[0]).not.toContain(globalKey().PK);
    expect(fetched).toHaveLength(1);
  });

  it('verifies a signature with each key source, and none is valid', async () => {
    const other = 'https://other.example';
    const issuers = [ISSUER, other].map((one) => ({
      issuer: one,
      audience: AUDIENCE,
      subjectFrom: 'identity',
    }));
    const { TOKEN_ISSUER: _, TOKEN_AUDIENCE: __, ...rest } = ENVIRONMENT;
    const { fetched, warmUp: warm } = setUp({
      ...rest,
      TOKEN_ISSUER: '',
      TOKEN_AUDIENCE: '',
      TOKEN_ISSUERS: JSON.stringify(issuers),
    });
    const verify = vi.spyOn(crypto.subtle, 'verify');
    await warm();
    expect(fetched).toHaveLength(2);
    expect(await Promise.all(verify.mock.results.map(({ value }) => value))).toEqual([false, false]);
  });

  it.each(['simple', 'policy'])('makes up requests that are allowed, with %s answers', async (kind) => {
    const { composed } = setUp({ HTTP_ANSWER: kind });
    const [http, rest] = await decideOnce(composed.configuration);
    const policy = { policyDocument: { Statement: [{ Effect: 'Allow' }] } };
    expect(http).toMatchObject(kind === 'simple' ? { isAuthorized: true } : policy);
    expect(rest).toMatchObject(policy);
  });

  it('writes nothing: no line, no decision, no metric, no span', async () => {
    const exporter = new InMemorySpanExporter();
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
    const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const { ask, warmUp: warm, written } = setUp();
    await warm();
    expect(output).not.toHaveBeenCalled();
    expect(written).toEqual([]);
    expect(exporter.getFinishedSpans()).toEqual([]);
    await ask();
    expect(written.length).toBeGreaterThan(1);
    expect(exporter.getFinishedSpans().length).toBeGreaterThan(2);
  });
});

describe('a warm-up that cannot read', () => {
  it('leaves the table to the first request', async () => {
    const { ask, failures, warmUp: warm, written } = setUp();
    failures.push(new GatehouseError('transient', 'BatchGetItem did not get an answer in time'));
    await warm();
    expect(written).toEqual([]);
    expect(await ask()).toMatchObject({ isAuthorized: true });
  });

  it('leaves the keys to the first request, which waits for no back-off', async () => {
    const answers = [() => Promise.reject(new Error('ECONNREFUSED')), async () => [issuer.jwk]];
    const { ask, fetched, warmUp: warm, written } = setUp({}, async () => (await answers.shift()?.()) ?? []);
    await warm();
    expect(written).toEqual([]);
    expect(await ask()).toMatchObject({ isAuthorized: true });
    expect(fetched).toHaveLength(2);
  });
});
