import { provisionedOn } from '../../cli/provisioning.ts';
import { startEmbeddedEngine } from '../../local/embedded-engine.ts';
import { createIdentityProvider } from '../../local/identity/identity-provider.ts';
import { type OnStarted, startParts } from '../../local/parts.ts';
import { listen } from '../../local/server.ts';
import { createPacing } from '../../table/read/pacing.ts';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { openNewTable, PATIENCE_MS } from '../harness/engine.ts';
import { type Child, startChild } from './child.ts';
import type { GatewayRequest, GatewayState } from './gateway.ts';
import type { Generated, Plan } from './generate.ts';
import { type Askers, createAskers, createPopulation } from './population.ts';

export interface BenchStackOptions {
  readonly people: number;
  /** Bound on the authorizer's cache: far fewer entries fit than there are people. */
  readonly cacheBytes: number;
  readonly cacheTtlSeconds: number;
}

/**
 * The parts. Each has its own process, except provisioning and the identity provider, which run in this one.
 */
export interface BenchStack extends Askers {
  readonly gateway: Child<GatewayRequest, GatewayState>;
  readonly generator: Child<Plan, Generated>;
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const TABLE = 'load';
const AUDIENCE = 'gatehouse-load';

export const startBenchStack = (options: BenchStackOptions): Promise<BenchStack> =>
  startParts((onStarted) => start(options, onStarted));

async function start(
  { people: count, cacheBytes, cacheTtlSeconds }: BenchStackOptions,
  onStarted: OnStarted,
): Promise<Omit<BenchStack, 'stop'>> {
  const { endpoint, stop } = await startEmbeddedEngine();
  onStarted(stop);
  const { client } = await openNewTable(endpoint, TABLE);
  const { provisioning } = provisionedOn(client, TABLE, Date.now, createPacing({ deadlineMs: PATIENCE_MS }));
  const random = createRandom(1_848);
  const population = await createPopulation({ invoke: provisioning, count, random });
  const { people } = population;

  const identity = await listen(0, 'PORT');
  onStarted(identity.stop);
  const issuer = `http://127.0.0.1:${identity.port}/_dev`;
  const byEmail = new Map(people.map((person) => [person.email, person]));
  identity.serve(
    await createIdentityProvider({
      issuer,
      audience: AUDIENCE,
      clock: Date.now,
      findCaller: async (email) => {
        const person = byEmail.get(email);
        return person && { kind: 'user', id: person.id, email };
      },
    }),
  );
  const gateway = startChild<GatewayRequest, GatewayState>(new URL('./gateway.ts', import.meta.url));
  onStarted(gateway.stop);
  const generator = startChild<Plan, Generated>(new URL('./generator.ts', import.meta.url));
  onStarted(generator.stop);
  const { url } = await gateway.ask({
    environment: {
      TABLE_NAME: TABLE,
      DYNAMODB_ENDPOINT: endpoint,
      TOKEN_ISSUER: issuer,
      TOKEN_AUDIENCE: AUDIENCE,
      RESULT_CACHE: '{"default":{"ttl":0}}',
      CACHE_MAX_BYTES: String(cacheBytes),
      CACHE_TTL_SECONDS: String(cacheTtlSeconds),
    },
  });

  const askers = await createAskers(population, { invoke: provisioning, random }, async (user) => {
    const answer = await fetch(`${issuer}/token`, { method: 'POST', body: JSON.stringify({ user }) });
    return ((await answer.json()) as { access_token: string }).access_token;
  });
  return { gateway, generator, url, ...askers };
}
