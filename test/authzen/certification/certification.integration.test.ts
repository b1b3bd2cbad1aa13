import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorld } from '../../support/world.ts';
import { createCertificationFixture } from './fixture.ts';
import { type Answered, createTlsFiles, type Server, sendTo, startServe, type TlsFiles } from './servers.ts';

/**
 * The certification scenario of the AuthZEN working group: each test is named by its id there. All levels, over
 * HTTPS, against `gatehouse serve`; the Lambda adapter is asked in test/authzen/lambda.test.ts.
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
/** A body without each of its members. */
const lacking = (value: Record<string, unknown>) => Object.keys(value).map((key) => without(value, key));

const DETAILED = {
  subject: user('alice', { department: 'Sales', role: 'manager' }),
  action: action('read', { method: 'GET' }),
  resource: { ...first, properties: { status: 'active', owner: 'bob' } },
};
const DECIDED: readonly (readonly [ids: string, path: string, body: object, decision: boolean])[] = [
  ['c-2-2-1, c-2-3-1, c-2-5-2', 'evaluation', RULE_1, true],
  ['c-2-2-2, c-2-3-1, c-2-3-2', 'evaluation', RULE_4, false],
  ['c-2-2-3', 'evaluation', { ...RULE_1, context: CONTEXT }, true],
  ['c-2-2-4', 'evaluation', { subject: alice, action: write, resource: archived }, false],
  ['c-2-2-5', 'evaluation', { subject: admin, action: write, resource: archived }, true],
  ['c-2-2-6', 'evaluation', { ...RULE_1, action: action('delete', { soft: true }) }, true],
  ['c-2-2-7', 'evaluation', { ...RULE_1, action: action('delete', { soft: false }) }, false],
  ['c-2-2-8', 'evaluation', DETAILED, true],
  ['c-2-2-9', 'evaluation', { ...RULE_1, foo: 'bar', futureField: { nested: true } }, true],
  ['rule 2', 'evaluation', { ...RULE_1, action: write }, true],
  ['rule 3', 'evaluation', { ...RULE_1, subject: bob }, true],
  ['c-3-4-2', 'evaluations', RULE_1, true],
  ['c-3-4-3', 'evaluations', { ...RULE_1, evaluations: [] }, true],
];

const active = record('record-1', 'active');
const twoOf = (one: object, other: object) => ({ evaluations: [one, other] });
const TIMED = { resource: second, context: { time: '2025-06-27T19:00-07:00', source: 'batch-override' } };
const BATCHES: readonly (readonly [ids: string, body: object, decisions: readonly boolean[]])[] = [
  [
    'c-3-2-1',
    { subject: alice, action: read, ...twoOf({ resource: first }, { resource: second }) },
    [true, true],
  ],
  [
    'c-3-2-2, c-3-3-2, c-3-3-3, c-3-3-4',
    { subject: bob, resource: first, ...twoOf({ action: read }, { action: write }) },
    [true, false],
  ],
  [
    'c-3-2-3',
    { subject: alice, action: write, ...twoOf({ resource: active }, { resource: archived }) },
    [true, false],
  ],
  [
    'c-3-2-4',
    { action: write, resource: archived, ...twoOf({ subject: alice }, { subject: admin }) },
    [false, true],
  ],
  ['c-3-2-5', twoOf(RULE_1, RULE_4), [true, false]],
  [
    'c-3-2-6',
    { subject: alice, action: read, context: { time: CONTEXT.time }, ...twoOf({ resource: first }, TIMED) },
    [true, true],
  ],
  [
    'c-3-2-7',
    { subject: alice, action: write, resource: active, ...twoOf({}, { resource: archived }) },
    [true, false],
  ],
  ['c-3-3-1', { ...RULE_1, evaluations: Array.from({ length: 7 }, () => ({})) }, Array(7).fill(true)],
];

const SUBJECTS = { subject: { type: 'user' }, action: read, resource: first };
const RESOURCES = { subject: alice, action: read, resource: { type: 'record' } };
const ACTIONS = { subject: alice, resource: first };
const nobody = user('nonexistent-user');
const [both, all] = [
  ['alice', 'bob'],
  ['record-1', 'record-2'],
];
const SEARCHES: readonly (readonly [ids: string, kind: string, body: object, found: readonly string[]])[] = [
  ['c-4-2-1', 'subject', SUBJECTS, both],
  ['c-4-2-2', 'subject', { ...SUBJECTS, context: CONTEXT }, both],
  ['c-4-2-3', 'subject', { ...SUBJECTS, subject: alice }, both],
  ['c-4-2-4', 'subject', { ...SUBJECTS, action: write, resource: archived }, ['bob']],
  ['c-4-3-1', 'resource', RESOURCES, all],
  ['c-4-3-2', 'resource', { ...RESOURCES, context: CONTEXT }, all],
  ['c-4-3-3', 'resource', { ...RESOURCES, resource: first }, all],
  ['c-4-3-4', 'resource', { ...RESOURCES, subject: admin, action: write }, ['record-2']],
  ['c-4-4-1', 'action', ACTIONS, ['read', 'write']],
  ['c-4-4-2', 'action', { ...ACTIONS, context: CONTEXT }, ['read', 'write']],
  ['c-4-4-3', 'action', { subject: admin, resource: archived }, ['read', 'write']],
  ['c-4-5-4', 'subject', { ...SUBJECTS, page: {} }, both],
  ['c-4-6-1', 'action', { ...ACTIONS, subject: nobody }, []],
  ['c-4-6-1', 'resource', { ...RESOURCES, subject: nobody }, []],
  ['c-4-6-1', 'subject', { ...SUBJECTS, resource: record('nonexistent') }, []],
  ['c-4-6-2', 'subject', { ...SUBJECTS, subject: { type: 'spaceship' } }, []],
  ['c-4-6-2', 'resource', { ...RESOURCES, resource: { type: 'spaceship' } }, []],
  ['c-4-6-2', 'action', { ...ACTIONS, subject: { type: 'spaceship', id: 'alice' } }, []],
];

const REFUSED: readonly (readonly [ids: string, path: string, bodies: readonly unknown[]])[] = [
  ['c-2-4-1', 'evaluation', lacking(RULE_1)],
  [
    'c-2-4-2',
    'evaluation',
    Object.entries(RULE_1).flatMap(([key, of]) => lacking(of).map((less) => ({ ...RULE_1, [key]: less }))),
  ],
  ['c-2-4-4', 'evaluation', ['{"subject": ']],
  ['c-2-4-5', 'evaluation', ['']],
  ['c-2-4-6', 'evaluation', [{ ...RULE_1, subject: 'alice' }]],
  ['c-2-4-6', 'evaluation', [{ ...RULE_1, action: { name: 123 } }]],
  ['c-4-7-1', 'search/subject', lacking(SUBJECTS)],
  ['c-4-7-1', 'search/resource', lacking(RESOURCES)],
  ['c-4-7-1', 'search/action', lacking(ACTIONS)],
  ['c-4-7-2', 'search/subject', [{ ...SUBJECTS, resource: { type: 'record' } }]],
  ['c-4-7-2', 'search/resource', [{ ...RESOURCES, subject: { type: 'user' } }]],
  ['c-4-7-2', 'search/action', [{ ...ACTIONS, subject: { type: 'user' } }]],
  ['c-4-7-2', 'search/action', [{ ...ACTIONS, resource: { type: 'record' } }]],
];

describe('gatehouse serve', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServe(world, certificate);
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
  const search = (kind: string, body: unknown) => send(`/access/v1/search/${kind}`, body);

  const decided = ({ status, headers, json }: Answered): boolean => {
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(json.context).toBeTypeOf('object');
    return json.decision;
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

  test.each(DECIDED)('%s', async (_, path, body, decision) => {
    expect(decided(await send(`/access/v1/${path}`, body))).toBe(decision);
  });

  test.each(BATCHES)('%s', async (_, body, decisions) => {
    const { status, json } = await send('/access/v1/evaluations', body);
    expect(status).toBe(200);
    expect(json).not.toHaveProperty('decision');
    expect(json.evaluations.map(({ decision }: { decision: unknown }) => decision)).toEqual(decisions);
  });

  test.each(SEARCHES)('%s: %s search', async (_, kind, body, expected) => {
    const type = { subject: 'user', resource: 'record' }[kind];
    expect([...found(await search(kind, body), type)].sort()).toEqual(expected);
  });

  test.each(REFUSED)('%s: %s', async (_, path, bodies) => {
    for (const body of bodies) await refused(send(`/access/v1/${path}`, body));
  });

  test('c-2-4-3', () => refused(evaluate(RULE_1, { 'content-type': 'text/plain' })));
  test('c-2-5-1', async () => {
    const { headers } = await evaluate(RULE_1, { 'x-request-id': 'bfe9eb29-ab87-4ca3-be83-a1d5d8305716' });
    expect(headers['x-request-id']).toBe('bfe9eb29-ab87-4ca3-be83-a1d5d8305716');
  });
  test('c-2-6', async () => {
    for (let count = 0; count < 5; count++)
      expect([decided(await evaluate(RULE_1)), decided(await evaluate(RULE_4))]).toEqual([true, false]);
  });

  test('c-3-4-1', async () => {
    const options = { evaluations_semantic: 'execute_all' };
    const asked = { subject: alice, action: read, options, evaluations: [{ resource: first }, {}] };
    const { json } = await send('/access/v1/evaluations', asked);
    expect(json.evaluations).toMatchObject([
      { decision: true },
      { decision: false, context: { error: { message: 'resource is missing' } } },
    ]);
  });

  test('c-4-5-1, c-4-5-2', async () => {
    const pages: (readonly string[])[] = [];
    for (let page: object = { limit: 1 }, next = '-'; next !== ''; page = { token: next }) {
      const answer = await search('subject', { ...SUBJECTS, page });
      pages.push(found(answer, 'user'));
      next = answer.json.page.next_token;
    }
    expect([pages[0]?.length, pages.flat().sort()]).toEqual([1, both]);
  });
  test('c-4-5-3', async () => {
    expect((await search('subject', SUBJECTS)).json.page).toEqual({ next_token: '', count: 2 });
  });

  test('c-6-1 to c-6-6', async () => {
    const { status, headers, json } = await send('/.well-known/authzen-configuration', undefined, {}, 'GET');
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    const { policy_decision_point: url, ...endpoints } = json;
    expect(url).toBe(server.url);
    expect(Object.keys(endpoints)).toHaveLength(5);
    for (const each of Object.values(endpoints)) expect(new URL(String(each)).protocol).toBe('https:');
    expect(json.access_evaluation_endpoint).toBe(`${server.url}/access/v1/evaluation`);
    expect(decided(await send(new URL(json.access_evaluation_endpoint).pathname, RULE_1))).toBe(true);
  });
});
