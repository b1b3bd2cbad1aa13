import { beforeEach, describe, expect, test } from 'vitest';
import { createGroupsOfIssuers, type GroupsOf } from '../../authorizer/credentials/token-groups.ts';
import type { VerifiedClaims } from '../../authorizer/credentials/verify.ts';
import type { Authorizer } from '../../authorizer/index.ts';
import { answerOf, answerTo } from './served.ts';
import {
  appSyncEvent,
  httpEvent,
  httpV1Event,
  ISSUER,
  restRequestEvent,
  restTokenEvent,
  webSocketEvent,
} from './support.ts';
import { createAcme } from './token-world.ts';

/** Groups in a token behind API Gateway, through the composed authorizer (SPEC section 16). */
const { world, take, tokenWith, serve } = await createAcme();
/** A token of Ben, who may use the lobby alone. */
const tokenOf = (claims: object = {}) => tokenWith({ sub: 'ben', ...claims });
const ENTRY = { groupsFrom: 'cognito:groups' };
let authorizer: Authorizer;
beforeEach(() => {
  take();
  authorizer = serve(ENTRY);
});

const STAFF = { 'cognito:groups': ['key staff'] };
const bearer = (token: string) => `Bearer ${token}`;
const ask = (token: string, path = '/vault', headers = {}) =>
  answerTo(authorizer, httpEvent('GET', path, { authorization: bearer(token), ...headers }));
const said = () =>
  take()
    .filter(({ level }) => level === 'WARN')
    .map(({ message, issuer: of }) => [message, of]);

describe('a group in a token', () => {
  test.each([
    ['an HTTP API', (token: string) => httpEvent('GET', '/vault', { authorization: bearer(token) })],
    ['its format 1.0', (token: string) => httpV1Event('GET', '/vault', { authorization: bearer(token) })],
    ['a REST API', (token: string) => restRequestEvent('GET', '/vault', { Authorization: [bearer(token)] })],
    ['its TOKEN authorizer', (token: string) => restTokenEvent('GET', '/vault', bearer(token))],
  ])('allows behind %s', async (_, eventOf) => {
    expect(await answerTo(authorizer, eventOf(await tokenOf(STAFF)))).toBe('allow');
    expect(await answerTo(authorizer, eventOf(await tokenOf()))).toBe('no_grant');
  });

  test.each([
    ['a WebSocket', (token: string) => webSocketEvent({ Authorization: [bearer(token)] })],
    ['AppSync, which has subscriptions', (token: string) => appSyncEvent(token)],
  ])('counts nothing for %s: a connection would outlive it', async (_, eventOf) => {
    expect(await answerTo(authorizer, eventOf(await tokenOf(STAFF)))).toBe('no_grant');
  });

  test('counts from the claim of the issuer alone', async () => {
    for (const claims of [
      { groups: ['key staff'] },
      { 'Cognito:Groups': ['key staff'] },
      { group: 'key staff' },
    ])
      expect(await ask(await tokenOf(claims))).toBe('no_grant');
    const headers = { 'cognito:groups': 'key staff', 'x-groups': '["key staff"]' };
    expect(await ask(await tokenOf(), '/vault', headers)).toBe('no_grant');
    authorizer = serve({});
    expect(await ask(await tokenOf(STAFF))).toBe('no_grant');
  });

  test('is not of an API token of the same user', async () => {
    const { token } = await world.run('token.create', { user: 'ben', tokenType: 'api' });
    world.settle();
    expect(await ask(String(token))).toBe('no_grant');
    expect(await ask(String(token), '/lobby')).toBe('allow');
  });
});

describe('a claim', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => n.toString(36));
  test.each<[string, unknown]>([
    ['with repeats', ['key staff', 'key staff', 'other']],
    ['with 1,000 groups', ['key staff', ...many(999)]],
  ])('counts %s', async (_, groups) => {
    authorizer = serve(ENTRY, { TOKEN_MAX_BYTES: '10240' });
    expect(await ask(await tokenOf({ 'cognito:groups': groups }))).toBe('allow');
    expect(said()).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['a text', 'key staff'],
    ['null', null],
    ['an object', { 0: 'key staff', length: 1 }],
    ['a number among them', ['key staff', 7]],
    ['an empty one among them', ['key staff', '']],
    ['a list among them', ['key staff', ['key staff']]],
    ['one of 257 characters', ['key staff', 'x'.repeat(257)]],
    ['1,001 groups', ['key staff', ...many(1_000)]],
  ])('gives nothing where it holds %s, and refuses nothing', async (_, groups) => {
    authorizer = serve(ENTRY, { TOKEN_MAX_BYTES: '10240' });
    for (let times = 0; times < 2; times++) {
      const token = await tokenOf({ 'cognito:groups': groups, jti: String(times) });
      expect(await ask(token)).toBe('no_grant');
      expect(await ask(token, '/lobby')).toBe('allow');
    }
    expect(said()).toEqual([['groups_malformed', ISSUER]]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['in another place', { _claim_names: { 'cognito:groups': 'src1' }, _claim_sources: { src1: {} } }],
    ['somewhere', { hasgroups: true }],
  ])('that says that there are groups %s gives nothing', async (_, claims) => {
    const token = await tokenOf({ ...STAFF, ...claims });
    expect(await ask(token)).toBe('no_grant');
    expect(await ask(token, '/lobby')).toBe('allow');
    expect(said()).toEqual([['groups_overage', ISSUER]]);
    expect(JSON.stringify(take())).not.toContain('key staff');
  });

  test.each<[string, Record<string, unknown>]>([
    ['that is missing', {}],
    ['that is empty', { 'cognito:groups': [] }],
    ['of other names elsewhere', { _claim_names: { address: 'src1' }, hasgroups: 'true' }],
  ])('%s gives nothing, and is nothing to say', async (_, claims) => {
    expect(await ask(await tokenOf(claims))).toBe('no_grant');
    expect(said()).toEqual([]);
  });

  test('is read once for each verified token, by the entry of its kind', () => {
    const of = { issuer: ISSUER };
    const groupsOf = createGroupsOfIssuers(
      [
        { ...of, tokenUse: 'access', groupsFrom: 'cognito:groups' },
        { ...of, tokenUse: 'id', groupsFrom: 'custom:groups' },
      ],
      { warn: () => undefined },
    ) as GroupsOf;
    const both = { iss: ISSUER, exp: 7, 'cognito:groups': ['a'], 'custom:groups': ['b'] };
    const [access, id, none] = ['access', 'id', 'other'].map(
      (token_use) => ({ ...both, token_use }) as unknown as VerifiedClaims,
    ) as [VerifiedClaims, VerifiedClaims, VerifiedClaims];
    expect(groupsOf(access)).toEqual({ issuer: ISSUER, ids: ['a'], until: 7_000 });
    expect(groupsOf(access)).toBe(groupsOf(access));
    expect(groupsOf(id)?.ids).toEqual(['b']);
    expect(groupsOf(none)).toBeUndefined();
  });
});

test('two tokens of one user are told apart by all that keeps answers', async () => {
  const [having, lacking] = [await tokenOf(STAFF), await tokenOf()];
  for (let times = 0; times < 3; times++) {
    expect(await ask(having)).toBe('allow');
    expect(await ask(lacking)).toBe('no_grant');
  }
});

describe('what API Gateway caches', () => {
  const rest = async (token: string, path: string) =>
    answerOf(authorizer, restRequestEvent('GET', path, { Authorization: [bearer(token)] }));

  test('of a token with groups, each answer is for its route alone', async () => {
    authorizer = serve(ENTRY, { POLICY_COVERS: 'api' });
    const [having, lacking] = [await tokenOf(STAFF), await tokenOf()];
    for (let times = 0; times < 2; times++) {
      expect(await rest(lacking, '/lobby')).toEqual({ said: 'allow', coverage: 'api' });
      expect(await rest(having, '/vault')).toEqual({ said: 'allow', coverage: 'route' });
      expect(await rest(having, '/lobby')).toEqual({ said: 'allow', coverage: 'route' });
    }
    // A claim without groups that count changes nothing.
    const idle = await tokenOf({ 'cognito:groups': [] });
    expect(await rest(idle, '/lobby')).toEqual({ said: 'allow', coverage: 'api' });
  });
});
