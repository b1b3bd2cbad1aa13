import { beforeAll, expect, test } from 'vitest';
import { createHandlerFrom } from '../../authorizer/index.ts';
import { roleAttribute } from '../../table/decision/attributes.ts';
import { GatehouseError } from '../../table/errors.ts';
import { FORMS } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import { apiRef, apiRevisionKey, decisionKey, edgeKey, globalKey, type Key } from '../../table/keys.ts';
import type { Range } from '../../table/reader.ts';
import { createClock } from '../support/world.ts';
import {
  ALICE,
  AUDIENCE,
  createIssuer,
  httpEvent,
  ISSUER,
  type Issuer,
  NOW,
  PLACE,
  settle,
  TTL_0,
} from './support.ts';

/**
 * How old may be what a policy for the whole API rests on, while DynamoDB is down? The composed authorizer with
 * HTTP_ANSWER=policy, CACHE_TTL_SECONDS=60, CACHE_OUTAGE_TTL_SECONDS=600. Alice loses her role one second after the start.
 */
let issuer: Issuer;
beforeAll(async () => {
  issuer = await createIssuer();
});
const ROLE = '01J8X2W3Y4Z5A6B7C8D9E0F1R1';
const BOB = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9D';
const ALICE_KEY = decisionKey({ type: 'user', id: ALICE });

function setUp() {
  const items = new Map<string, Item>();
  const nameOf = ({ PK, SK }: Key) => `${PK} / ${SK}`;
  const put = (item: Item) => items.set(nameOf(item), item);
  let writes = 0;
  const decision = (key: Key, values: Record<string, unknown>) =>
    put({
      ...key,
      v: FORMS.usual,
      writtenAt: NOW - 3_600_000,
      writeId: `write-${++writes}`,
      ...values,
    });
  decision(ALICE_KEY, { status: 'active', roles: new Set([ROLE]) });
  decision(decisionKey({ type: 'user', id: BOB }), { status: 'active' });
  decision(decisionKey({ type: 'location', id: PLACE }), { status: 'active' });
  decision(decisionKey({ type: 'page', id: 'roster' }), { registered: true, allow: new Set([ROLE]) });
  decision(globalKey(), { [roleAttribute(ROLE)]: '' });
  decision(apiRevisionKey('default'), {});
  put({
    ...edgeKey(apiRef('default'), { type: 'route', id: 'r1' }),
    ...{ id: 'r1', method: 'GET', path: '/roster', permission: 'roster', scope: `location:${PLACE}` },
  });
  const clock = createClock(NOW);
  let isDown = false;
  const unlessDown =
    <A extends unknown[], T>(answer: (...given: A) => T) =>
    async (...given: A) => {
      if (isDown) throw new GatehouseError('transient', 'DynamoDB is down');
      return answer(...given);
    };
  const getMany = unlessDown((keys: readonly Key[]) => keys.map((key) => items.get(nameOf(key))));
  const within = ({ PK, SK }: Item, { partition, prefix = '' }: Range) =>
    PK === partition && SK.startsWith(prefix);
  const reader = {
    getMany,
    getSnapshot: getMany,
    list: unlessDown(() => ({ items: [] })),
    listAll: unlessDown(({ ranges }: { ranges: readonly Range[] }) =>
      [...items.values()].filter((item) => ranges.some((range) => within(item, range))),
    ),
  };
  const handler = createHandlerFrom(
    {
      TABLE_NAME: 'gatehouse',
      TOKEN_ISSUER: ISSUER,
      TOKEN_AUDIENCE: AUDIENCE,
      HTTP_ANSWER: 'policy',
      CACHE_TTL_SECONDS: '60',
      CACHE_OUTAGE_TTL_SECONDS: '600',
      JWKS_STALE_SECONDS: '3600',
      RESULT_CACHE: TTL_0,
    },
    {
      reader,
      clock,
      wait: clock.wait,
      random: () => 0,
      fetch: async () => new Response(JSON.stringify({ keys: [issuer.jwk] })),
      log: () => {},
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
      // biome-ignore lint/suspicious/noExplicitAny: each form of answer is looked at.
      const answer = (await handler(event).catch((error: Error) => error.message)) as any;
      if (typeof answer === 'string') return answer;
      const effects = answer.policyDocument.Statement.map(({ Effect }: { Effect: string }) => Effect);
      return `${answer.context.coverage}: ${effects.includes('Allow') ? 'Allow' : 'Deny'}`;
    },
    revoke: () => decision(ALICE_KEY, { status: 'active', writtenAt: NOW + 1_000 }),
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
