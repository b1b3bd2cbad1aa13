import { beforeEach, describe, expect, test } from 'vitest';
import { createActorOfIssuers } from '../../authorizer/credentials/token-actor.ts';
import type { VerifiedClaims } from '../../authorizer/credentials/verify.ts';
import type { Authorizer } from '../../authorizer/index.ts';
import { answerTo } from './served.ts';
import { appSyncEvent, httpEvent, ISSUER, restRequestEvent, webSocketEvent } from './support.ts';
import { createAcme } from './token-world.ts';

/** Who acts for the subject of a token, behind API Gateway, through the composed authorizer (SPEC section 17). */
const { world, take, tokenWith, serve } = await createAcme();
const ENTRY = { actorFrom: { claim: 'act', type: 'user' } };
const LOGGED = { DECISION_LOG: 'all' };
let authorizer: Authorizer;
beforeEach(() => {
  take();
  authorizer = serve(ENTRY, LOGGED);
});

const BEN = { act: { sub: 'ben' } };
const bearer = (token: string) => `Bearer ${token}`;
const ask = (token: string, path = '/vault', headers = {}) =>
  answerTo(authorizer, httpEvent('GET', path, { authorization: bearer(token), ...headers }));
const decisions = () => take().filter(({ message }) => message === 'decision');

describe('an actor', () => {
  test('is in the log and in the context, with whom it acts for, and who acted before', async () => {
    const act = { sub: 'ben', iss: ISSUER, act: { sub: 'svc:1', iss: 'https://elsewhere.example' } };
    const answer = await authorizer(
      restRequestEvent('GET', '/lobby', { Authorization: [bearer(await tokenWith({ act }))] }),
    );
    expect(answer.context).toMatchObject({ subject: 'user:ann', actor: 'user:ben', reason: 'role' });
    expect(decisions()).toMatchObject([
      {
        subject: { type: 'user', id: 'ann' },
        actor: { type: 'user', id: 'ben' },
        onBehalfOf: { type: 'user', id: 'ann' },
        actedBefore: ['svc:1'],
        decision: true,
      },
    ]);
  });

  test('is of the credential alone: no header, no query and no other claim names one', async () => {
    const claims = {
      Act: { sub: 'ben' },
      actor: 'ben',
      may_act: { sub: 'ben' },
      azp: 'ben',
      'act.sub': 'ben',
    };
    const headers = { act: 'ben', 'x-actor': '{"sub":"ben"}', actor: 'user:ben' };
    expect(await ask(await tokenWith(claims), '/vault', headers)).toBe('allow');
    // Nor does one take the actor away.
    expect(await ask(await tokenWith({ ...BEN, Act: { sub: 'cat' } }), '/vault', headers)).toBe(
      'actor_no_grant',
    );
  });

  test('that may not act at all gets no policy for the whole API, but a refusal with its reason', async () => {
    authorizer = serve(ENTRY, { POLICY_COVERS: 'api' });
    const said = async (act: object, path: string) =>
      await answerTo(
        authorizer,
        restRequestEvent('GET', path, { Authorization: [bearer(await tokenWith({ act }))] }),
      );
    expect(await said({ sub: 'cat' }, '/vault')).toBe('allow');
    expect(await said({ sub: 'nobody' }, '/vault')).toBe('actor_unknown');
    // No route, no scope: nothing is allowed there either.
    expect(await said({ sub: 'nobody' }, '/elsewhere')).toBe('route_unmapped');
  });

  test.each([
    ['a WebSocket', (token: string) => webSocketEvent({ Authorization: [bearer(token)] })],
    ['AppSync, which has subscriptions', (token: string) => appSyncEvent(token)],
  ])('is refused for %s: a connection would outlive it', async (_, eventOf) => {
    expect(await answerTo(authorizer, eventOf(await tokenWith()))).toBe('allow');
    expect(await answerTo(authorizer, eventOf(await tokenWith(BEN)))).toBe('actor_cannot_connect');
  });
});

describe('act', () => {
  const nested = (depth: number): object =>
    depth === 1 ? { sub: 'ben' } : { sub: 'ben', act: nested(depth - 1) };

  test.each<[string, unknown]>([
    ['null', null],
    ['a text', 'ben'],
    ['a list', [{ sub: 'ben' }]],
    ['an object without sub', { iss: ISSUER }],
    ['a sub that is no text', { sub: 7 }],
    ['an empty sub', { sub: '' }],
    ['a sub that is no id', { sub: 'user:ben' }],
    ['a sub that it inherits', JSON.parse('{"__proto__":{"sub":"ben"}}')],
    ['an actor of another issuer', { sub: 'ben', iss: 'https://elsewhere.example' }],
    ['a nested one that is malformed', { sub: 'ben', act: 'cat' }],
    ['a nested one without sub', { sub: 'ben', act: {} }],
    ['a nested one with an empty sub', { sub: 'ben', act: { sub: '' } }],
    ['a nested one with a sub that no log should hold', { sub: 'ben', act: { sub: 'x'.repeat(1_025) } }],
    ['nine of them', nested(9)],
  ])('that is, or has, %s is refused', async (_, act) => {
    expect(await ask(await tokenWith({ act }), '/lobby')).toBe('Unauthorized');
    expect(take()).toMatchObject([{ message: 'credentials refused', code: 'claim_refused', claim: 'act' }]);
  });

  test('may be nested eight times, and the outermost acts', async () => {
    expect(await ask(await tokenWith({ act: { sub: 'ben', act: nested(7) } }), '/lobby')).toBe('allow');
    expect(await ask(await tokenWith({ act: { sub: 'ben', act: { sub: 'cat' } } }))).toBe('actor_no_grant');
    expect(await ask(await tokenWith({ act: { sub: 'cat', act: { sub: 'ben' } } }))).toBe('allow');
  });

  test.each<[string, object]>([
    ['no actorFrom', {}],
    ['another claim', { actorFrom: { claim: 'azp', type: 'user' } }],
  ])('is refused, never ignored, where the entry names %s', async (_, more) => {
    authorizer = serve(more);
    expect(await ask(await tokenWith(BEN), '/lobby')).toBe('Unauthorized');
    expect(await ask(await tokenWith(), '/lobby')).toBe('allow');
  });

  test('of a client that is not listed is refused', async () => {
    authorizer = serve({ actorFrom: { ...ENTRY.actorFrom, clients: ['cat'] } });
    expect(await ask(await tokenWith(BEN), '/lobby')).toBe('Unauthorized');
    expect(await ask(await tokenWith({ act: { sub: 'cat' } }))).toBe('allow');
  });
});

describe.each(['azp', 'client_id'])('the client in %s', (claim) => {
  const of = (more: object = {}) => ({ actorFrom: { claim, type: 'user', ...more } });

  test('acts, if it is listed or no list is there', async () => {
    authorizer = serve(of());
    expect(await ask(await tokenWith({ [claim]: 'ben' }))).toBe('actor_no_grant');
    authorizer = serve(of({ clients: ['ben'] }));
    expect(await ask(await tokenWith({ [claim]: 'ben' }))).toBe('actor_no_grant');
    expect(await ask(await tokenWith({ [claim]: 'web' }))).toBe('allow');
    expect(await ask(await tokenWith())).toBe('allow');
  });

  test.each<[unknown]>([[7], [null], [['ben']], ['a b'], ['']])('%j is refused', async (value) => {
    authorizer = serve(of());
    expect(await ask(await tokenWith({ [claim]: value }), '/lobby')).toBe('Unauthorized');
  });
});

describe('the claim of a mandate', () => {
  const actorOf = createActorOfIssuers([
    { issuer: ISSUER, tokenUse: 'access', actorFrom: { claim: 'act', type: 'agent' }, mandateFrom: 'mnd' },
    { issuer: ISSUER, tokenUse: 'id', actorFrom: { claim: 'azp', type: 'agent', clients: ['bot'] } },
  ]) as (claims: VerifiedClaims) => unknown;
  const claims = (more: object) =>
    ({ iss: ISSUER, exp: 7, token_use: 'access', ...more }) as unknown as VerifiedClaims;

  test('names it by its id', () => {
    const read = claims({ act: { sub: 'bot' }, mnd: 'm1' });
    expect(actorOf(read)).toEqual({ subject: 'agent:bot', mandate: 'mandate:m1', until: 7_000 });
    expect(actorOf(read)).toBe(actorOf(read));
    expect(actorOf(claims({ act: { sub: 'bot' } }))).toEqual({ subject: 'agent:bot', until: 7_000 });
  });

  test('counts by the entry of the token alone', () => {
    const id = claims({ token_use: 'id', azp: 'bot', mnd: 'm1' });
    expect(actorOf(id)).toEqual({ subject: 'agent:bot', until: 7_000 });
    expect(() => actorOf(claims({ token_use: 'id', act: { sub: 'bot' } }))).toThrow('claim_refused');
  });

  test.each<[string, object]>([
    ['no actor', { mnd: 'm1' }],
    ['no text', { act: { sub: 'bot' }, mnd: 7 }],
    ['null', { act: { sub: 'bot' }, mnd: null }],
    ['a reference', { act: { sub: 'bot' }, mnd: 'mandate:m1' }],
  ])('with %s is refused', (_, more) => {
    expect(() => actorOf(claims(more))).toThrow('claim_refused');
  });
});

/** What a policy for the whole API allows. */
const allowed = async (token: string, path = '/lobby') => {
  const event = restRequestEvent('GET', path, { Authorization: [bearer(token)] });
  const answer = await authorizer(event);
  if (!('policyDocument' in answer)) throw new Error('no policy');
  const resources = answer.policyDocument.Statement.flatMap(({ Effect, Resource }) =>
    Effect === 'Allow' ? [Resource].flat() : [],
  );
  const { coverage, subject, actor } = answer.context;
  return { coverage, subject, actor, paths: resources.map((arn) => arn.split('/GET/').at(-1)).sort() };
};

describe('a policy for the whole API', () => {
  const ofAnn = { coverage: 'api', subject: 'user:ann', actor: undefined, paths: ['lobby', 'vault'] };
  const ofBen = { coverage: 'api', subject: 'user:ann', actor: 'user:ben', paths: ['lobby'] };

  test('is of the subject with its actor, while it is made and while it is kept', async () => {
    authorizer = serve(ENTRY, { POLICY_COVERS: 'api' });
    const [alone, acting, both] = [
      await tokenWith(),
      await tokenWith(BEN),
      await tokenWith({ act: { sub: 'cat' } }),
    ];
    for (let times = 0; times < 3; times++)
      expect(await Promise.all([allowed(alone), allowed(acting), allowed(both)])).toEqual([
        ofAnn,
        ofBen,
        { ...ofAnn, actor: 'user:cat' },
      ]);
  });
});

describe('a mandate', () => {
  const BOT = { actorFrom: { claim: 'act', type: 'agent' }, mandateFrom: 'mandate' };
  const bySecond = (seconds: number) => new Date(world.clock.now() + seconds * 1_000).toISOString();
  const make = async (id: string, more: object = {}) => {
    const made = await world.run('mandate.create', {
      id,
      subject: 'user:ann',
      actor: 'agent:bot',
      permissions: ['lobby'],
      scopes: ['tenant:acme'],
      purpose: 'to look around',
      token: true,
      ...more,
    });
    world.settle();
    return String(made.token);
  };
  const tokenBy = (mandate?: string) => tokenWith({ act: { sub: 'bot' }, ...(mandate ? { mandate } : {}) });

  test('bounds what its own token allows, and a JWT that names it', async () => {
    authorizer = serve(BOT, LOGGED);
    const own = await make('bounds');
    for (const token of [own, await tokenBy('bounds')]) {
      expect(await ask(token, '/lobby')).toBe('allow');
      expect(await ask(token)).toBe('mandate_permission');
    }
    expect(await ask(await tokenBy())).toBe('mandate_required');
    expect(await ask(await tokenBy('nothing'))).toBe('mandate_unknown');
    expect(decisions()[0]).toMatchObject({
      subject: { type: 'user', id: 'ann' },
      actor: { type: 'agent', id: 'bot' },
      onBehalfOf: { type: 'user', id: 'ann' },
      mandate: 'mandate:bounds',
    });
  });

  test('is not had by another secret, in other letters, for somebody else, or after its end', async () => {
    const token = await make('ends');
    const [, , actor, , id, ...rest] = token.split('_');
    // It may hold an underscore itself.
    const secret = rest.join('_');
    const forged = [
      token.replace(secret, secret.replace(/./g, 'A')),
      token.toUpperCase(),
      token.replace('gh1_m_', 'gh1_t_'),
      ['gh1', 'm', actor, 'user.3acat', id, secret].join('_'),
      token.slice(0, -1),
    ];
    for (const each of forged) expect(await ask(each, '/lobby')).toBe('Unauthorized');
    expect(await ask(token, '/lobby')).toBe('allow');
    await world.run('mandate.end', { id: 'ends' });
    world.settle();
    expect(await ask(token, '/lobby')).toBe('Unauthorized');
  });

  test('has a policy for the whole API of its own, until it ends', async () => {
    authorizer = serve(BOT, { POLICY_COVERS: 'api' });
    await make('narrow');
    await make('wide', { permissions: ['lobby', 'vault'], endsAt: bySecond(150) });
    await make('counted', { budget: { uses: 3 } });
    const tokens = await Promise.all(['narrow', 'wide', 'counted'].map(tokenBy));
    const paths = async () =>
      (await Promise.all(tokens.map((token) => allowed(token)))).map((of) => of.paths);
    expect(await paths()).toEqual([['lobby'], ['lobby', 'vault'], []]);
    expect(await paths()).toEqual([['lobby'], ['lobby', 'vault'], []]);
    world.clock.advance(29_000);
    // Less than the time-to-live after it was made.
    expect(await paths()).toEqual([['lobby'], ['lobby', 'vault'], []]);
    world.clock.advance(1_000);
    expect(await paths()).toEqual([['lobby'], [], []]);
  });
});
