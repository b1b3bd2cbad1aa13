import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Handle } from '../../authorizer/service/http.ts';
import { createFixture, record, send, serve, user } from './support.ts';

let handle: Handle;

const fixture = await createFixture();
beforeEach(() => {
  handle = serve(fixture);
  fixture.world.calls.length = 0;
});

const ask = (subject: string, action: string, resource: object, more: object = {}) => ({
  subject: user(subject),
  action: { name: action },
  resource,
  ...more,
});

/** The status and the body of an evaluation by caller `a`. */
async function evaluate(body: unknown, token: string | undefined = fixture.token.a) {
  const { status, json, body: text } = await send(handle, '/access/v1/evaluation', { token, body });
  return { status, answer: json ?? text };
}

describe('one evaluation', () => {
  test('in a flat scope, nothing cached, is one call for the decision, the caller and its credential', async () => {
    await evaluate(ask('alice', 'read', { type: 'tenant', id: 'tenant-a' }));
    expect(fixture.world.calls.map(({ operation }) => operation)).toEqual(['BatchGetItem']);
  });

  test('in a nested scope two, and none when it is repeated', async () => {
    await evaluate(ask('alice', 'read', record('record-3')));
    expect(fixture.world.calls.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'BatchGetItem']);
    await evaluate(ask('alice', 'read', record('record-3')));
    expect(fixture.world.calls).toHaveLength(2);
  });
});

describe('the caller', () => {
  const question = ask('alice', 'read', record('record-1'));

  test('without a credential: 401, and which scheme it should use', async () => {
    const answer = await send(handle, '/access/v1/evaluation', { body: question });
    expect(answer).toMatchObject({ status: 401, headers: { 'WWW-Authenticate': 'Bearer' } });
    expect(answer.body).not.toContain('decision');
  });

  test.each(['gh1_t_no_token', 'abc', 'e30.e30.e30'])('with the credential %s: 401', async (token) => {
    expect(await evaluate(question, token)).toMatchObject({ status: 401 });
  });

  test('that may evaluate nowhere: 403, about any resource', async () => {
    const unknown = ask('alice', 'read', record('nothing'));
    for (const body of [question, unknown])
      expect(await evaluate(body, fixture.token.nobody)).toMatchObject({ status: 403 });
  });

  test('that may evaluate elsewhere learns as much as about an unknown resource', async () => {
    const foreign = await evaluate(ask('zoe', 'read', record('record-b')));
    expect(foreign).toEqual(await evaluate(ask('zoe', 'read', record('01J8X2W3Y4Z5A6B7C8D9E0F1G2'))));
    expect(foreign).toEqual({
      status: 200,
      answer: { decision: false, context: { reason: 'scope_unknown' } },
    });
  });
});

describe('the explanation', () => {
  test('comes where the options ask for it, and is about the resource alone', async () => {
    const asked = ask('bob', 'write', record('record-1'), { options: { explain: true } });
    const { answer } = await evaluate(asked);
    expect(answer.decision).toBe(false);
    const { explanation } = answer.context;
    expect(Object.keys(explanation)).toEqual(['path', 'steps', 'allowedBy', 'deniedBy']);
    expect(explanation.steps).toHaveLength(9);
  });

  test('is not given of a stranger', async () => {
    const asked = ask('zoe', 'write', record('record-1'), { options: { explain: true } });
    expect((await evaluate(asked)).answer).toEqual({ decision: false, context: { reason: 'no_grant' } });
  });
});

describe('a batch', () => {
  const batch = async (body: unknown, token = fixture.token.a) => {
    const answer = await send(handle, '/access/v1/evaluations', { token, body });
    return { status: answer.status, answer: answer.json ?? answer.body };
  };
  const decisions = ({ answer }: { answer: { evaluations: readonly { decision: boolean }[] } }) =>
    answer.evaluations.map(({ decision }) => decision);

  test('of 50 evaluations of one subject in one scope is one or two calls', async () => {
    const evaluations = Array.from({ length: 50 }, (_, at) => ({
      action: { name: at % 2 ? 'read' : `a${at}` },
    }));
    const asked = { subject: user('alice'), resource: record('record-1'), evaluations };
    expect(decisions(await batch(asked))).toEqual(evaluations.map((_, at) => at % 2 === 1));
    expect(fixture.world.calls.length).toBeLessThanOrEqual(2);
  });

  const mixed = (semantic?: string) => ({
    subject: user('bob'),
    resource: record('record-1'),
    ...(semantic && { options: { evaluations_semantic: semantic, another: 1 } }),
    evaluations: ['read', 'write', 'read'].map((name) => ({ action: { name } })),
  });

  test.each([
    [undefined, [true, false, true]],
    ['execute_all', [true, false, true]],
    ['deny_on_first_deny', [true, false]],
    ['permit_on_first_permit', [true]],
  ])('with the semantic %s', async (semantic, expected) => {
    expect(decisions(await batch(mixed(semantic)))).toEqual(expected);
  });

  test('a semantic that does not exist: 400', async () => {
    expect(await batch(mixed('first_wins'))).toMatchObject({
      status: 400,
      answer: expect.stringContaining('options.evaluations_semantic'),
    });
  });

  test('an evaluation that is faulty is denied, says why, and ends deny_on_first_deny', async () => {
    const faulty = {
      ...mixed(),
      evaluations: [{ action: { name: 'read' } }, {}, 'x', { action: { name: 'read' } }],
    };
    const { answer } = await batch(faulty);
    expect(answer.evaluations[1]).toEqual({
      decision: false,
      context: { error: { status: 400, message: 'action is missing' } },
    });
    expect(decisions({ answer })).toEqual([true, false, false, true]);
    const ended = { ...faulty, options: { evaluations_semantic: 'deny_on_first_deny' } };
    expect(decisions(await batch(ended))).toEqual([true, false]);
  });

  test('what an evaluation gives replaces the default whole', async () => {
    const asked = {
      subject: user('alice'),
      action: { name: 'read' },
      resource: record('record-1'),
      evaluations: [{}, { subject: { type: 'user' } }, { subject: user('bob'), action: { name: 'write' } }],
    };
    const { answer } = await batch(asked);
    expect(decisions({ answer })).toEqual([true, false, false]);
    expect(answer.evaluations[1].context.error.message).toBe('subject.id is missing');
  });

  test.each([{}, { evaluations: [] }])('without evaluations is a single one: %j', async (more) => {
    expect(await batch(ask('alice', 'read', record('record-1'), more))).toEqual({
      status: 200,
      answer: { decision: true, context: { reason: 'role' } },
    });
    expect(await batch({ ...more, action: { name: 'read' } })).toMatchObject({ status: 400 });
  });

  test('of evaluations that are all faulty still needs a credential that may evaluate', async () => {
    const body = { evaluations: [{}, {}] };
    for (const [token, status] of [
      [fixture.token.nobody, 403],
      ['gh1_t_no_token', 401],
      [fixture.token.a, 200],
    ] as const)
      expect(await batch(body, token)).toMatchObject({ status });
  });

  test.each([
    ['more than 500 evaluations', { evaluations: Array.from({ length: 501 }, () => ({})) }, 'evaluations'],
    ['evaluations that are no array', { evaluations: { '0': {} } }, 'evaluations'],
    ['a default that is malformed', { subject: 'alice', evaluations: [{}] }, 'subject'],
    ['options that are no object', { options: 'all', evaluations: [{}] }, 'options'],
  ])('%s: 400', async (_what, body, field) => {
    expect(await batch(body)).toMatchObject({ status: 400, answer: expect.stringContaining(field) });
  });
});

describe('one request has one budget for its conditions', () => {
  const HEAVY = 'resource.properties.tags.all(t, resource.properties.tags.all(u, u + t != "bad"))';
  const tags = Array.from({ length: 50 }, (_, n) => `tag-${n}`);
  let conditioned: Handle;
  let token: string | undefined;
  beforeAll(async () => {
    const { world, token: tokens } = await createFixture();
    for (const [name, type] of Object.entries({ tags: 'list<string>', more: 'map' }))
      await world.run('property.create', { of: 'resource:record', name, type, source: 'passed' });
    for (const [action, when] of Object.entries({
      delete: HEAVY,
      write: 'resource.properties.more.a == null',
    }))
      await world.run('role-permission.create', {
        role: 'reader-a',
        permission: `record:${action}:record`,
        effect: 'ALLOW',
        when,
      });
    world.settle();
    conditioned = serve({ world });
    token = tokens.a;
  });

  const bob = { subject: user('bob'), action: { name: 'delete' }, resource: record('record-1') };
  async function decisionsOf(body: unknown): Promise<readonly string[]> {
    const { status, json } = await send(conditioned, '/access/v1/evaluations', { token, body });
    expect(status).toBe(200);
    return json.evaluations.map(
      ({ decision, context }: { decision: boolean; context: { reason: string } }) =>
        `${decision} ${context.reason}`,
    );
  }

  test.each([
    ['equal evaluations', () => ({})],
    ['evaluations whose condition looks at equal parts', (n: number) => ({ context: { n } })],
  ])('500 %s are worked out once', async (_, evaluationOf) => {
    const evaluations = Array.from({ length: 500 }, (__, n) => evaluationOf(n));
    const resource = { ...record('record-1'), properties: { tags } };
    expect(new Set(await decisionsOf({ ...bob, resource, evaluations }))).toEqual(new Set(['true role']));
  });

  test('a number beyond all numbers is not taken for null, which JSON would write for it', async () => {
    const resource = { ...record('record-1'), properties: { more: { a: null } } };
    const one = JSON.stringify({ ...bob, action: { name: 'write' }, resource });
    const body = `{"evaluations":[${one},${one.replace('null', '1e999')},${one}]}`;
    expect(await decisionsOf(body)).toEqual(['true role', 'false condition_failed', 'true role']);
  });

  test('of 500 others those beyond the budget are refused, and say why', async () => {
    const evaluations = Array.from({ length: 500 }, (_, n) => ({
      resource: { ...record('record-1'), properties: { tags: [...tags, `${n}`] } },
    }));
    const decisions = await decisionsOf({ ...bob, evaluations });
    const reached = decisions.indexOf('false condition_failed');
    expect(reached).toBeGreaterThan(0);
    expect(new Set(decisions.slice(0, reached))).toEqual(new Set(['true role']));
    expect(new Set(decisions.slice(reached))).toEqual(new Set(['false condition_failed']));
  });
});
