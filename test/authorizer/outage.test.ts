import { expect, test } from 'vitest';
import { GatehouseError } from '../../table/errors.ts';
import { decisionKey } from '../../table/keys.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import { watchReads } from '../support/watched-reader.ts';
import { createClock } from '../support/world.ts';
import { answerOf, revisionItem, rosterItems, routeItem, serveFor } from './served.ts';
import { ALICE, createIssuer, decisionItem, httpEvent, NOW, PLACE, settle } from './support.ts';

/**
 * How old may be what a policy for the whole API rests on, while DynamoDB is down? The composed authorizer with
 * HTTP_ANSWER=policy, CACHE_TTL_SECONDS=60, CACHE_OUTAGE_TTL_SECONDS=600. Alice loses her role one second after the start.
 */
const issuer = await createIssuer();
const BOB = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9D';
const keyOf = (id: string) => decisionKey({ type: 'user', id });

function setUp() {
  const { reader, put } = createMemoryTable({
    items: [
      ...rosterItems(),
      decisionItem(keyOf(BOB), { status: 'active' }),
      revisionItem(),
      routeItem('default', { path: '/roster', permission: 'roster', scope: `location:${PLACE}` }),
    ],
  });
  const clock = createClock(NOW);
  let isDown = false;
  const unlessDown = watchReads(reader, () => {
    if (isDown) throw new GatehouseError('transient', 'DynamoDB is down');
  });
  const handler = serveFor(
    issuer,
    { clock, reader: unlessDown },
    {
      HTTP_ANSWER: 'policy',
      CACHE_TTL_SECONDS: '60',
      CACHE_OUTAGE_TTL_SECONDS: '600',
      JWKS_STALE_SECONDS: '3600',
    },
  );
  return {
    at: async (second: number) => {
      clock.advance(NOW + second * 1_000 - clock.now());
      await settle();
    },
    ask: async (sub: string, stage = 'prod'): Promise<string> => {
      const seconds = Math.floor(clock.now() / 1_000);
      const token = await issuer.token({ sub, iat: seconds, exp: seconds + 600 });
      const event = httpEvent('GET', '/roster', { authorization: `Bearer ${token}` }, stage);
      const { said, coverage } = await answerOf(handler, event);
      return coverage === undefined ? said : `${coverage}: ${said === 'allow' ? 'Allow' : 'Deny'}`;
    },
    revoke: () => put(decisionItem(keyOf(ALICE), { status: 'active', writtenAt: NOW + 1_000 })),
    setDown: (to: boolean) => {
      isDown = to;
    },
  };
}

test('a policy compiled in an outage is as old as its oldest item', async () => {
  const { at, ask, revoke, setDown } = setUp();
  expect(await ask(ALICE)).toBe('api: Allow');
  await at(1);
  revoke();
  for (let second = 30; second <= 590; second += 20) {
    await at(second);
    await ask(BOB);
  }
  await at(591);
  setDown(true);
  await at(595);
  await ask(ALICE);
  await at(605);
  expect(await ask(ALICE)).not.toContain('Allow');
  await at(1_189);
  expect(await ask(ALICE)).not.toContain('Allow');
});

test('a policy compiled from cached items is as old as they are', async () => {
  const { at, ask, revoke, setDown } = setUp();
  expect(await ask(ALICE, 'blue')).toBe('api: Allow');
  await at(1);
  revoke();
  await at(50);
  expect(await ask(ALICE, 'prod')).toBe('api: Allow');
  await at(51);
  setDown(true);
  await at(599);
  expect(await ask(ALICE, 'prod')).toContain('Allow');
  await at(601);
  expect(await ask(ALICE, 'blue')).not.toContain('Allow');
  expect(await ask(ALICE, 'prod')).not.toContain('Allow');
});

test('a policy compiled in an outage ends with it', async () => {
  const { at, ask, revoke, setDown } = setUp();
  expect(await ask(ALICE)).toBe('api: Allow');
  await at(1);
  revoke();
  await at(299);
  await ask(BOB);
  setDown(true);
  await at(300);
  expect(await ask(ALICE)).toContain('Allow');
  setDown(false);
  await at(302);
  expect(await ask(ALICE)).toBe('api: Deny');
});
