import { startEmbeddedEngine } from '../../local/embedded-engine.ts';
import { startParts } from '../../local/parts.ts';
import { openProvisioned } from '../harness/engine.ts';
import { createTokenSource, serveKeys, TOKEN_ENVIRONMENT } from '../model/tokens.ts';
import { startChild } from './child.ts';
import type { GatewayState } from './gateway.ts';
import type { Generated, Plan } from './generate.ts';
import { createPopulation } from './population.ts';

const TABLE = 'load';

/**
 * The gateway and the generator have a process each; provisioning and the issuer run in this one.
 *
 * @param cacheBytes bound on the authorizer's cache: far fewer entries fit than there are people
 */
export const startBenchStack = (count: number, cacheBytes: number, cacheTtlSeconds: number) =>
  startParts(async (onStarted) => {
    const { endpoint, stop } = await startEmbeddedEngine();
    onStarted(stop);
    const { provisioning } = await openProvisioned(endpoint, TABLE, Date.now);
    const source = await createTokenSource('RS256');
    const people = await createPopulation(provisioning, count, source.token);
    const keys = await serveKeys(source);
    onStarted(keys.stop);
    const gateway = startChild<object, GatewayState>(new URL('./gateway.ts', import.meta.url), {
      ...TOKEN_ENVIRONMENT,
      TABLE_NAME: TABLE,
      DYNAMODB_ENDPOINT: endpoint,
      TOKEN_JWKS_URL: keys.url,
      CACHE_MAX_BYTES: String(cacheBytes),
      CACHE_TTL_SECONDS: String(cacheTtlSeconds),
    });
    onStarted(gateway.stop);
    const generator = startChild<Plan, Generated>(new URL('./generator.ts', import.meta.url));
    onStarted(generator.stop);
    return { ...people, gateway, generator };
  });

export type BenchStack = Awaited<ReturnType<typeof startBenchStack>>;
