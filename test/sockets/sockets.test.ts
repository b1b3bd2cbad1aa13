import { describe, expect, test } from 'vitest';
import type { Look, Question } from '../../engine/index.ts';
import type { Connection, Connections, Found } from '../../sockets/connection.ts';
import { createSockets } from '../../sockets/sockets.ts';
import { GatehouseError } from '../../table/errors.ts';

/** Live revocation, in memory: which connections a change of the table closes. */
const ANN: Connection = {
  ...{ id: 'a1=', api: 'abc123', stage: 'live' },
  ...{ subject: 'user:ann', tenant: 'tenant:acme', scope: 'location:hall', permission: 'dashboard' },
  credential: 'session:s1',
};
const BEN: Connection = { ...ANN, id: 'b1=', subject: 'user:ben', permission: 'menu' };

function inMemory(...open: readonly Connection[]) {
  const list = new Map(open.map((each) => [each.id, each]));
  const connections: Connections = {
    add: async (connection) => void list.set(connection.id, connection),
    remove: async ({ id }) => void list.delete(id),
    find: async function* (found: Found) {
      yield [...list.values()].filter((each) => found.by === 'all' || each[found.by] === found.value);
    },
  };
  return { list, connections };
}

function create(check: (subject: string) => boolean | Promise<boolean>, ...open: readonly Connection[]) {
  const { list, connections } = inMemory(...open);
  const closed: string[] = [];
  const asked: string[] = [];
  const sockets = createSockets({
    connections,
    engine: {
      checkAsked: async (ask, options) => {
        expect(options).toEqual({ consistency: 'strong' });
        const question = ask(NOTHING) as Question & ReturnType<typeof ask>;
        expect(question.given).toEqual({ context: { time: new Date(0) } });
        asked.push(question.subject);
        const allowed = await check(question.subject);
        const decision = allowed
          ? ({ allowed: true, reason: 'role' } as const)
          : ({ allowed: false, reason: 'no_grant' } as const);
        return { question, decision, tenant: undefined, roles: undefined, uses: [] };
      },
    },
    close: async ({ id }) => void closed.push(id),
    now: () => 0,
  });
  return { sockets, list, closed, asked };
}

/** A table without a record of a credential. */
const NOTHING: Look = { item: () => null, prefetch: () => {}, recall: () => undefined };

const text = (S: string) => ({ S });
const record = (PK: string, SK: string, before?: object, after?: object) => ({
  dynamodb: {
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
  test('that a retry may help: the batch fails, and comes again', async () => {
    let isDown = true;
    const { sockets, closed } = create(() => {
      if (isDown) throw new GatehouseError('throttled', 'the table is throttled');
      return false;
    }, ANN);
    const batch = { Records: [record('USER#ann', 'DECISION')] };
    await expect(sockets(batch)).rejects.toThrow('throttled');
    expect(closed).toEqual([]);
    isDown = false;
    await sockets(batch);
    expect(closed).toEqual([ANN.id]);
  });

  test('that stays: the connection is closed', async () => {
    const { sockets, closed } = create(() => {
      throw new GatehouseError('damaged_item', 'a decision item is damaged');
    }, ANN);
    await sockets({ Records: [record('USER#ann', 'DECISION')] });
    expect(closed).toEqual([ANN.id]);
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
    expect([...made.list.values()]).toEqual([ANN]);
    expect(await made.sockets(event('DISCONNECT'))).toEqual({ statusCode: 200 });
    expect(made.list.size).toBe(0);
  });

  test('that was revoked since the authorizer answered from its cache: 403', async () => {
    const { sockets, list } = create(() => false);
    expect(await sockets(event('CONNECT'))).toEqual({ statusCode: 403 });
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
