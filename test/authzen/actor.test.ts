import { beforeEach, describe, expect, test } from 'vitest';
import type { Handle } from '../../authorizer/service/http.ts';
import { createLogged } from '../support/log.ts';
import { createFixture, record, send, serve, user } from './support.ts';

/** Who acts for the subject of a question to the AuthZEN API: the caller vouches for it (SPEC section 17). */
let handle: Handle;
const { write, take } = createLogged();

const fixture = await createFixture();
beforeEach(() => {
  take();
  handle = serve(fixture, { DECISION_LOG: 'all' }, { log: write });
});

const ask = (path: string, body: object) =>
  send(handle, `/access/v1/${path}`, { token: fixture.token.a, body });
const question = (action: string, context?: object, subject = 'alice') => ({
  subject: user(subject),
  action: { name: action },
  resource: record('record-1'),
  context,
});
const verdict = async (...of: Parameters<typeof question>) => {
  const { json } = await ask('evaluation', question(...of));
  return [json.decision, json.context.reason];
};
const BOB = { type: 'user', id: 'bob' };

describe.each(['agent', 'actor'])('context.%s', (name) => {
  test('narrows what the subject may', async () => {
    expect(await verdict('write')).toEqual([true, 'role']);
    expect(await verdict('write', { [name]: BOB })).toEqual([false, 'actor_no_grant']);
    expect(await verdict('read', { [name]: BOB })).toEqual([true, 'role']);
    expect(take().filter(({ message }) => message === 'decision')[1]).toMatchObject({
      subject: { type: 'user', id: 'alice' },
      actor: BOB,
      onBehalfOf: { type: 'user', id: 'alice' },
      decision: false,
    });
  });

  test.each<[string, unknown]>([
    ['a text', 'user:bob'],
    ['null', null],
    ['a list', [BOB]],
    ['without id', { type: 'user' }],
    ['with an id that is no text', { type: 'user', id: 7 }],
  ])('that is %s is a bad request, and in a batch of its evaluation alone', async (_, actor) => {
    const bad = question('read', { [name]: actor });
    const { status, body } = await ask('evaluation', bad);
    expect(status).toBe(400);
    expect(body).toContain(`context.${name}`);
    const { json } = await ask('evaluations', { evaluations: [bad, question('read')] });
    expect(json.evaluations).toMatchObject([
      { decision: false, context: { error: { status: 400 } } },
      { decision: true },
    ]);
  });
});

test('both, or a mandate that is no id, are a bad request', async () => {
  expect((await ask('evaluation', question('read', { agent: BOB, actor: BOB }))).status).toBe(400);
  for (const mandate of ['mandate:m1', '', 7, null])
    expect((await ask('evaluation', question('read', { actor: { ...BOB, mandate } }))).status).toBe(400);
  expect(await verdict('read', { actor: { ...BOB, mandate: 'm1' } })).toEqual([false, 'mandate_unknown']);
  // Only `actor` has one: what is not known of `agent` is ignored, as elsewhere.
  expect(await verdict('read', { agent: { ...BOB, mandate: 'm1' } })).toEqual([true, 'role']);
});

test('of two evaluations that differ in the actor, each has its own decision', async () => {
  const evaluations = [question('write'), question('write', { actor: BOB }), question('write')];
  const { json } = await ask('evaluations', { evaluations });
  expect(json.evaluations.map(({ decision }: { decision: boolean }) => decision)).toEqual([
    true,
    false,
    true,
  ]);
});

test('searches find what both may', async () => {
  const found = async (kind: string, body: object) =>
    (await ask(`search/${kind}`, body)).json.results
      .map(({ id, name }: { id?: string; name?: string }) => id ?? name)
      .sort();
  const context = { actor: BOB };
  const actions = { subject: user('alice'), resource: record('record-1') };
  expect(await found('action', actions)).toEqual(['read', 'write']);
  expect(await found('action', { ...actions, context })).toEqual(['read']);
  const subjects = { subject: { type: 'user' }, action: { name: 'write' }, resource: record('record-1') };
  expect(await found('subject', subjects)).toEqual(['alice']);
  expect(await found('subject', { ...subjects, context })).toEqual([]);
  const resources = { subject: user('alice'), action: { name: 'write' }, resource: { type: 'record' } };
  expect(await found('resource', resources)).toEqual(['record-1', 'record-2', 'record-3']);
  expect(await found('resource', { ...resources, context })).toEqual([]);
  expect((await ask('search/action', { ...actions, context: { actor: 'bob' } })).status).toBe(400);
});
