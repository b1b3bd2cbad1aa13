import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Close } from '../../authorizer/sockets/close.ts';
import type { Connection, Connections, Found, Listed } from '../../authorizer/sockets/connection.ts';
import { createSockets, OPENING_MS } from '../../authorizer/sockets/sockets.ts';
import { GatehouseError } from '../../table/errors.ts';
import { ALLOWED, createFakeEngine, NO_GRANT } from '../support/fake-engine.ts';

/** Live revocation, in memory: which connections a change of the table closes. */
const ANN: Connection = {
  id: 'a1=',
  api: 'abc123',
  stage: 'live',
  subject: 'user:ann',
  tenant: 'tenant:acme',
  scope: 'location:hall',
  permission: 'dashboard',
  credential: 'session:s1',
};
const BEN: Connection = { ...ANN, id: 'b1=', subject: 'user:ben', permission: 'menu' };

function inMemory(...open: readonly Connection[]) {
  const list = new Map<string, Listed>(open.map((each) => [each.id, { ...each, openedAt: 0 }]));
  const connections: { -readonly [Name in keyof Connections]: Connections[Name] } = {
    add: async (connection, openedAt) => void list.set(connection.id, { ...connection, openedAt }),
    remove: async ({ id }) => void list.delete(id),
    find: async function* (found: Found, _at, after = '') {
      const ids = [...list.keys()].filter((id) => id > after).sort();
      const all = ids.flatMap((id) => list.get(id) ?? []);
      yield all.filter((each) => found.by === 'all' || each[found.by] === found.value);
    },
  };
  return { list, connections };
}

function create(check: (subject: string) => boolean | Promise<boolean>, ...open: readonly Connection[]) {
  const { list, connections } = inMemory(...open);
  const closed: string[] = [];
  const logged: unknown[] = [];
  const clock = { now: OPENING_MS, waited: 0 };
  const gateway: { close: Close } = { close: async () => 'closed' };
  const asked: string[] = [];
  const { engine } = createFakeEngine({
    decide: async ({ subject, given }, options) => {
      expect(options).toEqual({ consistency: 'strong' });
      expect(given).toEqual({ context: { time: new Date(clock.now) } });
      asked.push(subject);
      return (await check(subject)) ? ALLOWED : NO_GRANT;
    },
  });
  const sockets = createSockets({
    connections,
    engine,
    close: async (connection) => {
      const outcome = await gateway.close(connection);
      if (outcome === 'closed') closed.push(connection.id);
      return outcome;
    },
    now: () => clock.now,
    wait: async (ms) => {
      clock.waited += ms;
    },
    log: {
      error: (message, fields) => logged.push([message, fields]),
      warn: (message, fields) => logged.push([message, fields]),
    },
  });
  return { sockets, list, connections, closed, asked, logged, clock, gateway };
}

const text = (S: string) => ({ S });
const record = (PK: string, SK: string, before?: object, after?: object) => ({
  dynamodb: {
    SequenceNumber: `${PK} ${SK}`,
    Keys: { PK: text(PK), SK: text(SK) },
    ...(before ? { OldImage: before } : {}),
    ...(after ? { NewImage: after } : {}),
  },
});
const ACTIVE = { status: text('active'), subject: text('user:ann') };

describe('which connections are asked about', () => {
  test.each([
    ['a user', record('USER#ann', 'DECISION'), ['user:ann']],
    ['its groups that stand apart', record('USER#ann', 'DECISION#IN#LOCATION#hall'), ['user:ann']],
    ['a root', record('TENANT#acme', 'DECISION'), ['user:ann', 'user:ben']],
    [
      'a scope below it',
      record('LOCATION#hall', 'DECISION', undefined, { ancestors: { L: [text('tenant:acme')] } }),
      ['user:ann', 'user:ben'],
    ],
    ['a permission', record('PAGE#menu', 'DECISION'), ['user:ben']],
    [
      "the effects of a tenant's roles on one",
      record('TENANT#acme', 'DECISION#PAGE#dashboard'),
      ['user:ann'],
    ],
    ['the global roles', record('GLOBAL#GATEHOUSE', 'DECISION'), ['user:ann', 'user:ben']],
    ['another tenant', record('TENANT#other', 'DECISION'), []],
    ['a node, which no decision reads', record('USER#ann', 'META'), []],
    ['the routes of an API', record('API#default', 'DECISION'), []],
    ['the roles of a group, with which its scope changes', record('GROUP#g', 'DECISION'), []],
    ['an audit record', record('AUDIT#TENANT#acme#1', '2026-01-01T00:00:00.000Z#1'), []],
  ])('after a change of %s', async (_, change, expected) => {
    const { sockets, asked } = create(() => true, ANN, BEN);
    await sockets({ Records: [change] });
    expect(asked.sort()).toEqual(expected);
  });

  test('each once, however many records a batch has', async () => {
    const { sockets, asked } = create(() => true, ANN, BEN);
    await sockets({ Records: Array.from({ length: 50 }, () => record('USER#ann', 'DECISION')) });
    expect(asked).toEqual(['user:ann']);
  });
});

test('a question that is refused now closes the connection, an allowed one does not', async () => {
  const { sockets, closed, list } = create((subject) => subject === 'user:ben', ANN, BEN);
  await sockets({ Records: [record('TENANT#acme', 'DECISION')] });
  expect(closed).toEqual([ANN.id]);
  expect([...list.keys()]).toEqual([BEN.id]);
});

test.each(['SESSION#s1', 'TOKEN#t1'])(
  '%s changes or ends: connections of its subject are asked about',
  async (PK) => {
    const { sockets, asked } = create(() => true, ANN, BEN);
    await sockets({ Records: [record(PK, 'DECISION', undefined, ACTIVE)] });
    expect(asked).toEqual([]);
    await sockets({ Records: [record(PK, 'DECISION', ACTIVE, { ...ACTIVE, status: text('revoked') })] });
    await sockets({ Records: [record(PK, 'DECISION', ACTIVE)] });
    expect(asked).toEqual(['user:ann', 'user:ann']);
  },
);

describe('a fault', () => {
  const batch = {
    Records: [
      record('USER#carl', 'DECISION'),
      record('USER#ann', 'DECISION'),
      record('USER#ann', 'DECISION#IN#LOCATION#hall'),
      record('USER#ben', 'DECISION'),
    ],
  };
  const DONE = { batchItemFailures: [] };
  const ANN_AGAIN = { batchItemFailures: [{ itemIdentifier: 'USER#ann DECISION' }] };
  const fails = (code: 'throttled' | 'transient' | 'internal' | 'not_found') => () => {
    throw new GatehouseError(code, 'DeleteConnection failed', {
      cause: Object.assign(new Error(), { name: 'ForbiddenException' }),
    });
  };

  test('of a question, that a retry may help: its record comes again a second later, the others are done', async () => {
    let isDown = true;
    const { sockets, closed, clock } = create(
      (subject) => {
        if (isDown && subject === 'user:ann') throw new GatehouseError('throttled', 'the table is throttled');
        return false;
      },
      ...[ANN, BEN],
    );
    expect(await sockets(batch)).toEqual(ANN_AGAIN);
    expect([closed, clock.waited]).toEqual([[BEN.id], 1_000]);
    isDown = false;
    expect(await sockets(batch)).toEqual(DONE);
    expect(closed).toEqual([BEN.id, ANN.id]);
  });

  test.each(['throttled', 'transient'] as const)(
    'of a connection that cannot be closed, %s: it comes again, the others are closed',
    async (code) => {
      const { sockets, closed, list, gateway } = create(() => false, ANN, { ...BEN, stage: 'other' });
      const works = gateway.close;
      gateway.close = (connection) => (connection.id === ANN.id ? fails(code)() : works(connection));
      expect(await sockets(batch)).toEqual(ANN_AGAIN);
      expect([closed, [...list.keys()]]).toEqual([[BEN.id], [ANN.id]]);
      gateway.close = works;
      expect(await sockets(batch)).toEqual(DONE);
      expect([closed, list.size]).toEqual([[BEN.id, ANN.id], 0]);
    },
  );

  test.each(['internal', 'not_found'] as const)(
    'of a connection that cannot be closed, which no retry mends (%s): it counts as gone, and the log says so',
    async (code) => {
      const { sockets, closed, list, logged, gateway, clock } = create(() => false, ANN, BEN);
      const works = gateway.close;
      gateway.close = (connection) => (connection.id === ANN.id ? fails(code)() : works(connection));
      expect(await sockets(batch)).toEqual(DONE);
      expect([closed, list.size, clock.waited]).toEqual([[BEN.id], 0, 0]);
      const { id: connection, api, stage } = ANN;
      expect(logged).toEqual([
        ['connection not closed', { connection, api, stage, code, causes: ['ForbiddenException'] }],
      ]);
    },
  );

  test('of an API that does not answer: it is not waited for once for each of its connections', async () => {
    const many = Array.from({ length: 100 }, (_, at) => ({ ...ANN, id: `many-${at}` }));
    const { sockets, closed, gateway } = create(() => false, ...many, { ...ANN, id: 'last', api: 'other' });
    let attempts = 0;
    const works = gateway.close;
    gateway.close = (connection) => {
      if (connection.api === 'other') return works(connection);
      attempts += 1;
      return fails('transient')();
    };
    expect(await sockets({ Records: [record('USER#ann', 'DECISION')] })).toEqual(ANN_AGAIN);
    expect(closed).toEqual(['last']);
    expect(attempts).toBeLessThanOrEqual(16);
  });

  test('of the time: the rest comes again, and only the rest is asked; with a later change, all', async () => {
    const many = Array.from({ length: 50 }, (_, at) => ({ ...ANN, id: `many-${at}` }));
    const { sockets, asked, clock } = create(
      async () => {
        await null;
        clock.now += 500;
        return true;
      },
      ...many,
      BEN,
    );
    const both = { Records: [record('USER#ann', 'DECISION'), record('USER#ben', 'DECISION')] };
    const again = both.Records.map(({ dynamodb }) => ({ itemIdentifier: dynamodb.SequenceNumber }));
    for (let deliveries = 1; deliveries <= 3; deliveries++) {
      expect(await sockets(both)).toEqual({ batchItemFailures: again });
      expect([asked.length, clock.waited]).toEqual([16 * deliveries, 0]);
    }
    expect(await sockets(both)).toEqual(DONE);
    expect(asked).toHaveLength(51);
    for (let deliveries = 1; deliveries <= 3; deliveries++) await sockets(both);
    const later = { Records: [...both.Records, record('USER#ann', 'DECISION#IN#LOCATION#hall')] };
    expect(await sockets(later)).toEqual({ batchItemFailures: again });
    expect(asked).toHaveLength(51 + 4 * 16);
  });

  test.each([
    ['few', 30],
    ['more than are remembered', 20_001],
  ])(
    'of %s questions: the others are done, and read no more where these are remembered',
    async (_, count) => {
      let isDown = true;
      const many = Array.from({ length: count }, (_, at) => ({ ...ANN, id: `a-${at}` }));
      const { sockets, asked, closed, list, connections } = create(
        (subject) => {
          if (isDown && subject === 'user:ann')
            throw new GatehouseError('throttled', 'the table is throttled');
          return subject === 'user:carl';
        },
        ...[...many, BEN, { ...BEN, id: 'c1=', subject: 'user:carl' }],
      );
      const tenant = { Records: [record('TENANT#acme', 'DECISION')] };
      const again = { batchItemFailures: [{ itemIdentifier: 'TENANT#acme DECISION' }] };
      let read = 0;
      const { find } = connections;
      connections.find = async function* (...given) {
        for await (const page of find(...given)) {
          read += page.length;
          yield page;
        }
      };
      expect(await sockets(tenant)).toEqual(again);
      expect([closed, read]).toEqual([[BEN.id], count + 2]);
      expect(await sockets(tenant)).toEqual(again);
      if (count === 30) expect([read, asked.length]).toEqual([count + 2, 2 * count + 2]);
      isDown = false;
      expect(await sockets(tenant)).toEqual(DONE);
      expect([closed.length, [...list.keys()]]).toEqual([count + 1, ['c1=']]);
    },
  );

  test.each(['cannot be closed', 'have no answer'])(
    'of more than are remembered, which %s: those behind them are closed, and they in the end',
    async (how) => {
      const many = (count: number, prefix: string, more: object) =>
        Array.from({ length: count }, (_, n) => ({ ...ANN, id: `${prefix}${100_000 + n}`, ...more }));
      const bad = many(20_010, 'a', { api: 'bad' });
      const good = many(12_000, 'b', { subject: 'user:carl' });
      const refused = many(10, 'c', { subject: 'user:ben' });
      let isBad = true;
      const { sockets, closed, clock, gateway } = create(
        (subject) => {
          clock.now += 5;
          if (isBad && subject === 'user:ann' && how === 'have no answer')
            throw new GatehouseError('throttled', 'the table is throttled');
          return subject === 'user:carl';
        },
        ...bad,
        ...good,
        ...refused,
      );
      gateway.close = async ({ api }) => {
        if (isBad && api === 'bad') throw new GatehouseError('throttled', 'API Gateway throttles');
        return 'closed';
      };
      const deliver = () => sockets({ Records: [record('TENANT#acme', 'DECISION')] });
      for (let deliveries = 1; deliveries <= 40; deliveries++) await deliver();
      expect(closed).toHaveLength(refused.length);
      isBad = false;
      let deliveries = 1;
      while (!isDeepStrictEqual(await deliver(), DONE)) deliveries += 1;
      expect(closed).toHaveLength(bad.length + refused.length);
      // They take half of each delivery, and not what others leave.
      expect(deliveries).toBeLessThan(24);
    },
  );

  test('of the list of connections: its record comes again, the others are done', async () => {
    const { sockets, closed, connections } = create(() => false, ANN, BEN);
    const { find } = connections;
    connections.find = (found, at) => {
      if (found.by !== 'all' && found.value === 'user:ann') throw new Error('throttled');
      return find(found, at);
    };
    expect(await sockets(batch)).toEqual(ANN_AGAIN);
    expect(closed).toEqual([BEN.id]);
  });

  test('of a record without a sequence number: the whole batch comes again', async () => {
    const { sockets, gateway } = create(() => false, ANN);
    gateway.close = fails('transient');
    const { SequenceNumber: _, ...dynamodb } = record('USER#ann', 'DECISION').dynamodb;
    expect(await sockets({ Records: [{ dynamodb }] })).toEqual({
      batchItemFailures: [{ itemIdentifier: '' }],
    });
  });

  test('that stays: the connection is closed', async () => {
    const { sockets, closed } = create(() => {
      throw new GatehouseError('damaged_item', 'a decision item is damaged');
    }, ANN);
    await sockets({ Records: [record('USER#ann', 'DECISION')] });
    expect(closed).toEqual([ANN.id]);
  });
});

describe('a connection that API Gateway does not know', () => {
  const batch = { Records: [record('USER#ann', 'DECISION')] };

  test('counts as gone when it is older than a $connect may be; until then it may be opening, and comes again', async () => {
    const { sockets, list, gateway, clock, closed } = create(() => false, ANN);
    gateway.close = async () => 'gone';
    for (clock.now = 0; clock.now < OPENING_MS; clock.now += 1_000) {
      expect(await sockets(batch)).toMatchObject({ batchItemFailures: [{}] });
      expect(list.size).toBe(1);
    }
    expect(await sockets(batch)).toEqual({ batchItemFailures: [] });
    expect([closed, list.size]).toEqual([[], 0]);
  });
});

describe('$connect', () => {
  const { id, api, stage, ...authorizer } = ANN;
  const event = (eventType: string, context: unknown = authorizer) => ({
    requestContext: { eventType, connectionId: id, apiId: api, stage, authorizer: context },
  });

  test('is listed before the question is asked, so that no revocation falls between', async () => {
    let listedWhenAsked = 0;
    const made = create(() => {
      listedWhenAsked = made.list.size;
      return true;
    });
    expect(await made.sockets(event('CONNECT'))).toEqual({ statusCode: 200 });
    expect(listedWhenAsked).toBe(1);
    expect([...made.list.values()]).toEqual([{ ...ANN, openedAt: OPENING_MS }]);
    expect(await made.sockets(event('DISCONNECT'))).toEqual({ statusCode: 200 });
    expect(made.list.size).toBe(0);
  });

  test('that was revoked since the authorizer answered from its cache: 403', async () => {
    const { sockets, list } = create(() => false);
    expect(await sockets(event('CONNECT'))).toEqual({ statusCode: 403 });
    expect(list.size).toBe(0);
  });

  test('that has no answer is in no list: nobody waits for it to open', async () => {
    const { sockets, list } = create(() => Promise.reject(new GatehouseError('transient', 'no answer')));
    await expect(sockets(event('CONNECT'))).rejects.toThrow('no answer');
    expect(list.size).toBe(0);
  });

  test.each([
    ['no context', undefined],
    ['a context of another authorizer', { principalId: 'me' }],
    ['a subject that is no reference', { ...authorizer, subject: 'USER#ann' }],
  ])('with %s: 403', async (_, context) => {
    const { sockets, asked } = create(() => true);
    const request = event('CONNECT', context);
    if (context === undefined) delete (request.requestContext as { authorizer?: unknown }).authorizer;
    expect(await sockets(request)).toEqual({ statusCode: 403 });
    expect(asked).toEqual([]);
  });

  test.each([[{}], [{ requestContext: {} }], [null], [event('MESSAGE')]])(
    'another event throws: %j',
    async (other) => {
      await expect(create(() => true).sockets(other)).rejects.toThrow('neither $connect, $disconnect nor');
    },
  );
});
