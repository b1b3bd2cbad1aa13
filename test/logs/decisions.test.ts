import { beforeEach, describe, expect, test } from 'vitest';
import { createLambdaHandler } from '../../authorizer/service/lambda.ts';
import { httpApi1Event, httpApi2Event } from '../authzen/lambda-events.ts';
import { decisionLine } from '../provisioning/evidence/lines.ts';
import { createFunctions, type Functions } from './functions.ts';

/** Which decisions are logged, and what their lines say. */
const functions: Functions = await createFunctions();
beforeEach(() => void functions.take());

const decisions = () => functions.take().filter(({ message }) => message === 'decision');
const REQUEST_ID = 'JKJaXmPLvHcESHA=';
const PARTS = { method: 'POST', path: '/access/v1/evaluation', headers: {}, body: '{}' };

describe('DECISION_LOG=all', () => {
  test('an allow and a refusal, with the fields of AuthZEN, the route, the tenant and the request', async () => {
    const authorizer = functions.authorizer({ DECISION_LOG: 'all' });
    await authorizer(await functions.event('roster'));
    await authorizer(await functions.event('payroll'));
    const { ann, north } = functions;
    const line = (page: string, allowed: boolean, reason: string, sequence: number) => ({
      ...JSON.parse(decisionLine({ kind: 'request', sequence })),
      process: expect.stringMatching(/^[0-9a-f-]{36}$/),
      requestId: REQUEST_ID,
      timestamp: expect.any(String),
      subject: { type: 'user', id: ann },
      action: { name: page },
      resource: { type: 'location', id: north },
      decision: allowed,
      context: { reason, route: expect.any(String), api: 'default', tenant: `location:${north}` },
    });
    // Between them is the heartbeat at the end of the first invocation.
    expect(decisions()).toEqual([line('roster', true, 'role', 1), line('payroll', false, 'no_grant', 3)]);
  });

  test('a request of nobody, or without a route, has neither action nor resource', async () => {
    const authorizer = functions.authorizer({ DECISION_LOG: 'all' });
    await authorizer(await functions.event('roster', { sub: 'not an id' }));
    await authorizer(await functions.event('roster/more'));
    const [nobody, unmapped] = decisions();
    expect(nobody).toMatchObject({ decision: false, context: { reason: 'subject_unknown' } });
    expect(unmapped).toMatchObject({ decision: false, context: { reason: 'route_unmapped' } });
    for (const line of [nobody, unmapped])
      expect(Object.keys(line ?? {})).not.toEqual(expect.arrayContaining(['action']));
    expect(nobody).not.toHaveProperty('subject');
  });

  test('a request that a policy for the whole API answers, also one that was kept, is a line of its own', async () => {
    const authorizer = functions.authorizer({ DECISION_LOG: 'all', POLICY_COVERS: 'api' });
    for (const page of ['roster', 'payroll', 'roster'])
      expect(await authorizer(await functions.restEvent(page))).toMatchObject({
        context: { coverage: 'api' },
      });
    expect(decisions().map(({ action, decision }) => [action, decision])).toEqual([
      [{ name: 'roster' }, true],
      [{ name: 'payroll' }, false],
      [{ name: 'roster' }, true],
    ]);
  });

  test('what cannot be written into a policy is the refusal that was answered', async () => {
    const authorizer = functions.authorizer({
      DECISION_LOG: 'all',
      HTTP_ANSWER: 'policy',
      POLICY_COVERS: 'route',
    });
    const event = await functions.event('roster');
    // As long as no resource of a policy may be.
    const answer = await authorizer({
      ...event,
      routeArn: event.routeArn.replace('$default', 's'.repeat(600)),
    });
    expect(answer.context).toMatchObject({ reason: 'arn_unusable' });
    expect(decisions()).toMatchObject([{ decision: false, context: { reason: 'arn_unusable' } }]);
  });
});

test.each([
  ['0.25', ['payroll']],
  ['0.24', ['payroll', 'roster']],
])('DECISION_LOG=sampled with a share of 0.25, where chance says %s', async (chance, expected) => {
  const env = { DECISION_LOG: 'sampled', DECISION_LOG_SAMPLE: '0.25' };
  const authorizer = functions.authorizer(env, { random: () => Number(chance) });
  for (const page of ['payroll', 'roster']) await authorizer(await functions.event(page));
  expect(decisions().map(({ action }) => (action as { name: string }).name)).toEqual(expected);
});

test('the AuthZEN API logs each evaluation that it answers, and by the request id of its caller', async () => {
  const evaluate = functions.authzen({ DECISION_LOG: 'all' });
  const { ann, north } = functions;
  const evaluations = ['roster', 'payroll'].map(functions.evaluation);
  const answer = await evaluate('/access/v1/evaluations', { evaluations }, { 'x-request-id': 'of-caller' });
  const answered = JSON.parse(answer.body).evaluations;
  const logged = decisions();
  expect(logged.map(({ decision, context }) => [decision, (context as { reason: string }).reason])).toEqual(
    answered.map((each: { decision: boolean; context: { reason: string } }) => [
      ...[each.decision, each.context.reason],
    ]),
  );
  expect(logged).toMatchObject([
    { service: 'authzen', requestId: 'of-caller', subject: { type: 'user', id: ann } },
    { service: 'authzen', requestId: 'of-caller', resource: { type: 'location', id: north } },
  ]);
  await evaluate('/access/v1/evaluation', evaluations[0]);
  expect(decisions()).toMatchObject([{ requestId: 'invocation-1' }]);
});

test('an answer that API Gateway may give to other requests is of another kind', async () => {
  const kinds = async (RESULT_CACHE: string) => {
    const authorizer = functions.authorizer({ DECISION_LOG: 'all', POLICY_COVERS: 'api', RESULT_CACHE });
    await authorizer(await functions.restEvent('roster'));
    return decisions().map(({ kind }) => kind);
  };
  const identitySources = ['$request.header.Authorization'];
  expect(await kinds(JSON.stringify({ default: { ttl: 0 } }))).toEqual(['request']);
  expect(await kinds(JSON.stringify({ default: { ttl: 300, identitySources } }))).toEqual(['policy']);
  // Of an API that nobody spoke of it is assumed.
  expect(await kinds(JSON.stringify({ other: { ttl: 0 } }))).toEqual(['policy']);
});

describe('the heartbeat at the end of an invocation', () => {
  const heartbeats = () => functions.take().filter(({ message }) => message === 'decision log');

  test('of the authorizer counts what has no line, and follows no fault and no refused credential', async () => {
    const authorizer = functions.authorizer({ DECISION_LOG: 'refusals' });
    await authorizer(await functions.event('roster'));
    await expect(authorizer({})).rejects.toThrow();
    await expect(authorizer(await functions.event('roster', { aud: 'other' }))).rejects.toThrow();
    await authorizer(await functions.event('payroll'));
    const heartbeat = { mode: 'refusals', rate: 0, decisions: 1, api: 'default', ended: true };
    expect(heartbeats()).toMatchObject([
      { ...heartbeat, sequence: 1 },
      // After the line of the refusal.
      { ...heartbeat, sequence: 3 },
    ]);
  });

  test('is written before the answer', async () => {
    const order: unknown[] = [];
    const authorizer = functions.authorizer(
      { DECISION_LOG: 'all' },
      { log: (line) => void order.push(JSON.parse(line).message) },
    );
    await authorizer(await functions.event('roster')).then(() => order.push('answer'));
    expect(order).toEqual(['decision', 'decision log', 'answer']);
  });

  test('of the AuthZEN API is written by its function, and by no server', async () => {
    const order: unknown[] = [];
    const end = () => void order.push('end');
    const handle = async () => {
      order.push('decided');
      return { status: 200, headers: {}, body: '' };
    };
    await createLambdaHandler(handle, end)(httpApi2Event(PARTS));
    await createLambdaHandler(handle, end)(httpApi1Event(PARTS));
    expect(order).toEqual(['decided', 'end', 'decided', 'end']);
    const evaluate = functions.authzen({ DECISION_LOG: 'all' });
    await evaluate('/access/v1/evaluation', functions.evaluation('roster'));
    expect(heartbeats()).toEqual([]);
  });
});

test('a search of the AuthZEN API is a line without what it looks for', async () => {
  const search = functions.authzen({ DECISION_LOG: 'all' });
  const { north } = functions;
  const { subject, action, resource } = functions.evaluation('see');
  const answered = async (what: string, body: object) => {
    const { body: answer } = await search(`/access/v1/search/${what}`, body, { 'x-request-id': what });
    return JSON.parse(answer).results.length;
  };
  expect(await answered('subject', { subject: { type: 'user' }, action, resource })).toBe(1);
  expect(await answered('resource', { subject, action, resource: { type: 'location' } })).toBe(1);
  expect(await answered('action', { subject, resource })).toBe(1);
  expect(await answered('action', { subject: { type: 'user', id: 'nobody' }, resource })).toBe(0);
  expect(
    await answered('subject', { subject: { type: 'user' }, action, resource: { ...resource, id: 'x' } }),
  ).toBe(0);
  const of = { kind: 'search', decision: true };
  const context = { reason: 'found', tenant: `location:${north}` };
  const lines = decisions();
  expect(lines).toMatchObject([
    { ...of, requestId: 'subject', action: { name: 'location:see:location' }, resource, context },
    {
      ...of,
      requestId: 'resource',
      subject,
      action: { name: 'location:see:location' },
      context: { reason: 'found' },
    },
    { ...of, requestId: 'action', subject, resource, context },
    { ...of, subject: { type: 'user', id: 'nobody' }, decision: false, context: { reason: 'nothing_found' } },
    // Whether there is such a resource is not said.
    { ...of, decision: false, context: { reason: 'nothing_found' } },
  ]);
  const missing = (line: object) =>
    ['subject', 'action', 'resource'].filter((field) => !(field in line)).join();
  expect(lines.map(missing)).toEqual(['subject', 'resource', 'action', 'action', 'subject,action,resource']);
});

test('a decision by a condition over the request, or over what was passed, says so', async () => {
  const { world } = functions;
  const when = 'context.ip != "192.0.2.1"';
  await world.apply(`
pages: [gate]
permissions: ["location:pass:location"]
scopes: { North: { id: north, type: location } }
roles:
  careful:
    owner: North
    allow: [{ permission: gate, when: '${when}' }, { permission: "location:pass:location", when: '${when}' }]
users: { ann: { id: ann, assignments: [{ role: careful, scope: North }] } }
`);
  world.settle();
  await functions.authorizer({ DECISION_LOG: 'all' })(await functions.event('gate'));
  await functions.authzen({ DECISION_LOG: 'all' })('/access/v1/evaluation', {
    ...functions.evaluation('pass'),
    context: { ip: '203.0.113.9' },
  });
  const rests = ['properties'];
  expect(decisions()).toMatchObject([
    { service: 'authorizer', decision: true, context: { rests } },
    { service: 'authzen', decision: true, context: { rests } },
  ]);
});

test('a level that leaves the decisions out is a mistake in the configuration', () => {
  const wrong = { DECISION_LOG: 'all', LOG_LEVEL: 'WARN' };
  expect(() => functions.authorizer(wrong)).toThrow(/DECISION_LOG .* LOG_LEVEL/);
  expect(() => functions.authzen(wrong)).toThrow(/DECISION_LOG .* LOG_LEVEL/);
});
