import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorld } from '../../support/world.ts';
import { createCertificationFixture } from './fixture.ts';
import {
  type Answered,
  createTlsFiles,
  type Server,
  sendTo,
  startLambda,
  startServe,
  type TlsFiles,
} from './servers.ts';

/**
 * The certification scenario of the AuthZEN working group: each test is named by its id there. All levels, over
 * HTTPS, against both ways to run the API.
 */

const world = await createWorld();
world.clock.advance(Date.now() - world.clock.now());
const token = await createCertificationFixture(world);
const certificate: TlsFiles = createTlsFiles();
afterAll(() => certificate.remove());

const user = (id: string, properties?: object) => ({ type: 'user', id, ...(properties && { properties }) });
const record = (id: string, status?: string) => ({
  type: 'record',
  id,
  ...(status && { properties: { status } }),
});
const action = (name: string, properties?: object) => ({ name, ...(properties && { properties }) });
const [alice, bob, admin] = [user('alice'), user('bob'), user('bob', { role: 'admin' })];
const [read, write] = [action('read'), action('write')];
const [first, second] = [record('record-1'), record('record-2')];
const archived = record('record-2', 'archived');
const CONTEXT = { time: '2025-06-27T18:03-07:00', ip: '192.168.1.1' };
const RULE_1 = { subject: alice, action: read, resource: first };
const RULE_4 = { subject: bob, action: write, resource: first };

const without = (value: Record<string, unknown>, key: string) => {
  const { [key]: _, ...rest } = value;
  return rest;
};

describe.each([
  ['the Lambda adapter', startLambda],
  ['gatehouse serve', startServe],
])('%s', (_name, start) => {
  let server: Server;
  beforeAll(async () => {
    server = await start(world, certificate);
  });
  afterAll(() => server.stop());

  const send = (path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST') =>
    sendTo(
      `${server.url}${path}`,
      certificate,
      method,
      { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    );
  const evaluate = (body: unknown, headers?: Record<string, string>) =>
    send('/access/v1/evaluation', body, headers);
  const batch = (body: unknown) => send('/access/v1/evaluations', body);
  const search = (kind: string, body: unknown) => send(`/access/v1/search/${kind}`, body);

  const decided = ({ status, headers, json }: Answered): boolean => {
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(typeof json.decision).toBe('boolean');
    if (json.context !== undefined) expect(json.context).toBeTypeOf('object');
    return json.decision;
  };
  const allDecided = ({ status, json }: Answered): readonly boolean[] => {
    expect(status).toBe(200);
    expect(json.decision).toBeUndefined();
    return json.evaluations.map((each: { decision: boolean }) => {
      expect(typeof each.decision).toBe('boolean');
      return each.decision;
    });
  };
  /** The ids, or names, of what was found. */
  const found = ({ status, headers, json }: Answered, type?: string): readonly string[] => {
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(json.page.next_token).toBeTypeOf('string');
    return json.results.map((each: { type?: string; id?: string; name?: string }) => {
      if (type !== undefined) expect(each.type).toBe(type);
      return each.id ?? each.name;
    });
  };
  const refused = async (answer: Promise<Answered>) => {
    const { status, body } = await answer;
    expect(status).toBe(400);
    expect(body).not.toBe('');
  };

  describe('Basic Core', () => {
    test('c-2-2-1', async () => expect(decided(await evaluate(RULE_1))).toBe(true));
    test('c-2-2-2', async () => expect(decided(await evaluate(RULE_4))).toBe(false));
    test('c-2-2-3', async () => expect(decided(await evaluate({ ...RULE_1, context: CONTEXT }))).toBe(true));
    test('c-2-2-8', async () => {
      const subject = user('alice', { department: 'Sales', role: 'manager' });
      const resource = { ...first, properties: { status: 'active', owner: 'bob' } };
      const asked = { subject, action: action('read', { method: 'GET' }), resource };
      expect(decided(await evaluate(asked))).toBe(true);
    });
    test('c-2-2-9', async () => {
      expect(decided(await evaluate({ ...RULE_1, foo: 'bar', futureField: { nested: true } }))).toBe(true);
    });
    test('c-2-3-1', async () => {
      for (const body of [RULE_1, RULE_4]) decided(await evaluate(body));
    });
    test('c-2-3-2', async () => expect((await evaluate(RULE_4)).json.context).toBeTypeOf('object'));
    test('c-2-4-1', async () => {
      for (const key of Object.keys(RULE_1)) await refused(evaluate(without(RULE_1, key)));
    });
    test('c-2-4-2', async () => {
      for (const [key, entity] of Object.entries(RULE_1))
        for (const field of Object.keys(entity))
          await refused(evaluate({ ...RULE_1, [key]: without(entity, field) }));
    });
    test('c-2-4-3', () => refused(evaluate(RULE_1, { 'content-type': 'text/plain' })));
    test('c-2-4-4', () => refused(evaluate('{"subject": ')));
    test('c-2-4-5', () => refused(evaluate('')));
    test('c-2-4-6', async () => {
      await refused(evaluate({ ...RULE_1, subject: 'alice' }));
      await refused(evaluate({ ...RULE_1, action: { name: 123 } }));
    });
    test('c-2-5-1', async () => {
      const { headers } = await evaluate(RULE_1, { 'x-request-id': 'bfe9eb29-ab87-4ca3-be83-a1d5d8305716' });
      expect(headers['x-request-id']).toBe('bfe9eb29-ab87-4ca3-be83-a1d5d8305716');
    });
    test('c-2-5-2', async () => expect(decided(await evaluate(RULE_1))).toBe(true));
    test('c-2-6', async () => {
      for (let count = 0; count < 5; count++) {
        expect(decided(await evaluate(RULE_1))).toBe(true);
        expect(decided(await evaluate(RULE_4))).toBe(false);
      }
    });
    test('rules 2 and 3', async () => {
      expect(decided(await evaluate({ subject: alice, action: write, resource: first }))).toBe(true);
      expect(decided(await evaluate({ subject: bob, action: read, resource: first }))).toBe(true);
    });
  });

  describe('Basic Properties', () => {
    test('c-2-2-4', async () =>
      expect(decided(await evaluate({ subject: alice, action: write, resource: archived }))).toBe(false));
    test('c-2-2-5', async () =>
      expect(decided(await evaluate({ subject: admin, action: write, resource: archived }))).toBe(true));
    test.each([
      ['c-2-2-6', true],
      ['c-2-2-7', false],
    ])('%s', async (_id, soft) => {
      const asked = { subject: alice, action: action('delete', { soft }), resource: first };
      expect(decided(await evaluate(asked))).toBe(soft);
    });
  });

  describe('Batch Core', () => {
    test('c-3-2-1', async () => {
      const evaluations = [{ resource: first }, { resource: second }];
      expect(allDecided(await batch({ subject: alice, action: read, evaluations }))).toHaveLength(2);
    });
    const ordered = { subject: bob, resource: first, evaluations: [{ action: read }, { action: write }] };
    test('c-3-2-2', async () => expect(allDecided(await batch(ordered))).toEqual([true, false]));
    test('c-3-2-5', async () =>
      expect(allDecided(await batch({ evaluations: [RULE_1, RULE_4] }))).toEqual([true, false]));
    test('c-3-2-6', async () => {
      const context = { time: '2025-06-27T19:00-07:00', source: 'batch-override' };
      const evaluations = [{ resource: first }, { resource: second, context }];
      const asked = { subject: alice, action: read, context: { time: CONTEXT.time }, evaluations };
      expect(allDecided(await batch(asked))).toHaveLength(2);
    });
    test('c-3-3-1', async () => {
      const evaluations = Array.from({ length: 7 }, () => ({}));
      expect(allDecided(await batch({ ...RULE_1, evaluations }))).toHaveLength(7);
    });
    test('c-3-3-2', async () => expect(allDecided(await batch(ordered))).toEqual([true, false]));
    test('c-3-3-3', async () => expect(allDecided(await batch(ordered))).toHaveLength(2));
    test('c-3-3-4', async () => expect((await batch(ordered)).json).not.toHaveProperty('decision'));
    test('c-3-4-1', async () => {
      const options = { evaluations_semantic: 'execute_all' };
      const asked = { subject: alice, action: read, options, evaluations: [{ resource: first }, {}] };
      const answer = await batch(asked);
      expect(allDecided(answer)).toEqual([true, false]);
      expect(answer.json.evaluations[1].context.error.message).toBe('resource is missing');
    });
    test('c-3-4-2', async () => expect(decided(await batch(RULE_1))).toBe(true));
    test('c-3-4-3', async () => expect(decided(await batch({ ...RULE_1, evaluations: [] }))).toBe(true));
  });

  describe('Batch Properties', () => {
    const active = record('record-1', 'active');
    test('c-3-2-3', async () => {
      const evaluations = [{ resource: active }, { resource: archived }];
      expect(allDecided(await batch({ subject: alice, action: write, evaluations }))).toEqual([true, false]);
    });
    test('c-3-2-4', async () => {
      const evaluations = [{ subject: alice }, { subject: admin }];
      expect(allDecided(await batch({ action: write, resource: archived, evaluations }))).toEqual([
        false,
        true,
      ]);
    });
    test('c-3-2-7', async () => {
      const evaluations = [{}, { resource: archived }];
      const asked = { subject: alice, action: write, resource: active, evaluations };
      expect(allDecided(await batch(asked))).toEqual([true, false]);
    });
  });

  describe('Search Core', () => {
    const subjects = { subject: { type: 'user' }, action: read, resource: first };
    const resources = { subject: alice, action: read, resource: { type: 'record' } };
    const actions = { subject: alice, resource: first };
    const people = async (body: unknown) => [...found(await search('subject', body), 'user')].sort();
    const records = async (body: unknown) => [...found(await search('resource', body), 'record')].sort();
    const names = async (body: unknown) => [...found(await search('action', body))].sort();

    test('c-4-2-1', async () => expect(await people(subjects)).toEqual(['alice', 'bob']));
    test('c-4-2-2', async () =>
      expect(await people({ ...subjects, context: CONTEXT })).toEqual(['alice', 'bob']));
    test('c-4-2-3', async () =>
      expect(await people({ ...subjects, subject: alice })).toEqual(['alice', 'bob']));
    test('c-4-3-1', async () => expect(await records(resources)).toContain('record-1'));
    test('c-4-3-2', async () =>
      expect(await records({ ...resources, context: CONTEXT })).toEqual(await records(resources)));
    test('c-4-3-3', async () =>
      expect(await records({ ...resources, resource: first })).toEqual(await records(resources)));
    test('c-4-4-1', async () => expect(await names(actions)).toEqual(['read', 'write']));
    test('c-4-4-2', async () =>
      expect(await names({ ...actions, context: CONTEXT })).toEqual(['read', 'write']));
    test('c-4-5-1', async () => {
      const { status, json } = await search('subject', { ...subjects, page: { limit: 1 } });
      expect(status).toBe(200);
      expect(json.results).toHaveLength(1);
      expect(json.page.next_token).not.toBe('');
    });
    test('c-4-5-2', async () => {
      const all: string[] = [];
      for (let page: object = { limit: 1 }, next = '-'; next !== ''; page = { token: next }) {
        const answer = await search('subject', { ...subjects, page });
        all.push(...found(answer, 'user'));
        next = answer.json.page.next_token;
      }
      expect(all.sort()).toEqual(['alice', 'bob']);
    });
    test('c-4-5-3', async () => {
      const { json } = await search('subject', subjects);
      expect(json.page).toEqual({ next_token: '', count: 2 });
    });
    test('c-4-5-4', async () =>
      expect((await search('subject', { ...subjects, page: {} })).status).toBe(200));
    test('c-4-6-1', async () => {
      expect(await names({ ...actions, subject: user('nonexistent-user') })).toEqual([]);
      expect(await records({ ...resources, subject: user('nonexistent-user') })).toEqual([]);
      expect(await people({ ...subjects, resource: record('nonexistent') })).toEqual([]);
    });
    test('c-4-6-2', async () => {
      expect(await people({ ...subjects, subject: { type: 'spaceship' } })).toEqual([]);
      expect(await records({ ...resources, resource: { type: 'spaceship' } })).toEqual([]);
      expect(await names({ ...actions, subject: { type: 'spaceship', id: 'alice' } })).toEqual([]);
    });
    test('c-4-7-1', async () => {
      for (const [kind, body] of Object.entries({ subject: subjects, resource: resources, action: actions }))
        for (const key of Object.keys(body)) await refused(search(kind, without(body, key)));
    });
    test('c-4-7-2', async () => {
      await refused(search('subject', { ...subjects, resource: { type: 'record' } }));
      await refused(search('resource', { ...resources, subject: { type: 'user' } }));
      await refused(search('action', { ...actions, subject: { type: 'user' } }));
      await refused(search('action', { ...actions, resource: { type: 'record' } }));
    });
  });

  describe('Search Properties', () => {
    test('c-4-2-4', async () => {
      const asked = { subject: { type: 'user' }, action: write, resource: archived };
      expect(found(await search('subject', asked), 'user')).toEqual(['bob']);
    });
    test('c-4-3-4', async () => {
      const asked = { subject: admin, action: write, resource: { type: 'record' } };
      expect(found(await search('resource', asked), 'record')).toEqual(['record-2']);
    });
    test('c-4-4-3', async () => {
      const answer = await search('action', { subject: admin, resource: archived });
      expect([...found(answer)].sort()).toEqual(['read', 'write']);
    });
  });

  describe('Discovery', () => {
    const get = () => send('/.well-known/authzen-configuration', undefined, {}, 'GET');
    test('c-6-1', async () => expect((await get()).status).toBe(200));
    test('c-6-2', async () => expect((await get()).headers['content-type']).toBe('application/json'));
    test('c-6-3', async () => {
      const { json } = await get();
      expect(json.policy_decision_point).toBe(server.url);
      expect(json.access_evaluation_endpoint).toBe(`${server.url}/access/v1/evaluation`);
    });
    test('c-6-4', async () => {
      const { json } = await get();
      const { policy_decision_point: _, ...endpoints } = json;
      expect(Object.keys(endpoints)).toHaveLength(5);
      for (const each of Object.values(endpoints)) expect(new URL(String(each)).protocol).toBe('https:');
    });
    test('c-6-5', async () => {
      const { json } = await get();
      const answer = await send(new URL(json.access_evaluation_endpoint).pathname, RULE_1);
      expect(decided(answer)).toBe(true);
    });
    test('c-6-6', async () => expect((await get()).status).not.toBe(404));
  });
});
