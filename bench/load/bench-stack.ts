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
import type { Caller, Generated, Plan } from './generate.ts';
import type { Outcome } from './open-loop.ts';
import { createPopulation, type Person, questionsOf } from './population.ts';

export interface BenchStackOptions {
  readonly people: number;
  /** Bound on the authorizer's cache: far fewer entries fit than there are people. */
  readonly cacheBytes: number;
  readonly cacheTtlSeconds: number;
}

/**
 * The parts. Each has its own process, except provisioning and the identity provider, which run in this one.
 */
export interface BenchStack {
  readonly gateway: Child<GatewayRequest, GatewayState>;
  readonly generator: Child<Plan, Generated>;
  readonly url: string;
  /** With their expected answers; for people who are written to, both answers are right. */
  readonly callers: readonly Caller[];
  /** Removes the next of these people from their group, or adds them again. */
  readonly write: () => Promise<Outcome>;
  /** The people who were written to, with the answers that match their last write. */
  readonly written: () => readonly Caller[];
  readonly stop: () => Promise<void>;
}

const TABLE = 'load';
const AUDIENCE = 'gatehouse-load';
const AT_ONCE = 16;
const [OK, REFUSED] = [200, 403];

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
  const tokens = await inParallel(people, async ({ email: user }) => {
    const answer = await fetch(`${issuer}/token`, { method: 'POST', body: JSON.stringify({ user }) });
    return ((await answer.json()) as { access_token: string }).access_token;
  });

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

  const questions = people.map((person) => questionsOf(population, person, random));
  const askedBy = (
    person: Person,
    position: number,
    expected: (isAllowed: boolean) => readonly number[],
  ) => ({
    token: tokens[position] as string,
    asks: (questions[position] ?? []).map(({ path, allowed }) => ({ path, expected: expected(allowed) })),
    person,
  });
  const callers = people.map((person, position) =>
    askedBy(person, position, (isAllowed) => {
      if (!isAllowed) return [REFUSED];
      return person.isWritten ? [OK, REFUSED] : [OK];
    }),
  );

  const isOut = new Set<Person>();
  const toWrite = people.filter(({ isWritten }) => isWritten);
  let turn = 0;
  async function write(): Promise<Outcome> {
    const person = toWrite[turn++ % toWrite.length] as Person;
    const wasOut = isOut.has(person);
    const input = { user: person.id, group: person.group };
    const command = wasOut ? 'membership.create' : 'membership.delete';
    const answer = await provisioning({ command, input, actor: 'load' });
    if (!answer.ok) return { fault: `${command}: ${answer.error.message}` };
    if (wasOut) isOut.delete(person);
    else isOut.add(person);
    return { status: OK };
  }
  const written = () =>
    people.flatMap((person, position) =>
      person.isWritten
        ? [askedBy(person, position, (isAllowed) => [isAllowed && !isOut.has(person) ? OK : REFUSED])]
        : [],
    );
  return { gateway, generator, url, callers, write, written };
}

async function inParallel<One, Other>(
  list: readonly One[],
  act: (one: One) => Promise<Other>,
): Promise<readonly Other[]> {
  const found: Other[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < list.length; n = next++) found[n] = await act(list[n] as One);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return found;
}
