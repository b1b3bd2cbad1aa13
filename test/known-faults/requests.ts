import fastify from 'fastify';
import { Hono } from 'hono';
import { expect } from 'vitest';
import { createLambdaHandler } from '../../authorizer/service/lambda.ts';
import { createHandleFrom } from '../../authzen/compose.ts';
import { bearer, fastifyGuard, honoGuard, lambdaGuard, lambdaPermissions } from '../../middleware/index.ts';
import { httpApi2Event } from '../authzen/lambda-events.ts';
import {
  AUDIENCE,
  answerOf,
  evaluation,
  eventOf,
  httpEvent,
  ISSUER,
  issuer,
  modelOf,
  open,
  READ,
  sent,
  tokenOf,
  WRITE,
} from './doors.ts';
import { type Kind, type KnownFault, PLACE, whereverAsked } from './fault.ts';

/** Ann may read in the north, and nowhere else. */
const TWO_PLACES = modelOf(`
scopes:
  t: { type: tenant }
  john: { type: location, parent: t, id: john }
  johnny: { type: location, parent: t, id: johnny }
roles: { reader: { owner: t, allow: ["${READ}"] } }
users: { ann: { id: ann, assignments: [{ role: reader, scope: john }] } }
`);

/**
 * A path is asked for at the authorizer, and served by Hono and Fastify behind a guard. Whoever lets it through lets it
 * through to john, of whom the handler then speaks.
 */
const onlyJohn = (paths: readonly string[]): KnownFault['at'] => ({
  authorizer: async () => {
    const { authorizer } = await open(TWO_PLACES);
    const token = await tokenOf('ann');
    const ask = (path: string) =>
      answerOf(authorizer, httpEvent('GET', path, { authorization: `Bearer ${token}` }));
    expect(await ask('/ask/read/john')).toBe('allow');
    for (const path of paths) expect(await ask(path), path).not.toBe('allow');
  },
  middleware: async () => {
    const { kit } = await open(TWO_PLACES);
    const keys = async () => new Response(JSON.stringify({ keys: [issuer.jwk] }));
    const who = bearer({ issuer: ISSUER, audience: AUDIENCE }, { clock: kit.clock, fetch: keys });
    const options = { engine: kit.engine, who, now: kit.clock.now };
    const headers = { authorization: `Bearer ${await tokenOf('ann')}` };
    const guard = honoGuard(options)(READ, 'location:{place}');
    const hono = new Hono();
    hono.get('/ask/read/:place', guard, (c) => c.text(c.req.param('place')));
    const mounted = new Hono().get('/:place', guard, (c) => c.text(c.req.param('place')));
    hono.route('/v2', mounted);
    const app = fastify();
    const onRequest = fastifyGuard(options)(READ, 'location:{place}');
    app.get<{ Params: { place: string } }>(
      '/ask/read/:place',
      { onRequest },
      async ({ params }) => params.place,
    );
    const served = async (path: string) => {
      const one = await hono.request(`http://localhost${path}`, { headers });
      const other = await app.inject({ method: 'GET', url: path, headers });
      return [one, { status: other.statusCode, text: async () => other.body }];
    };
    for (const answer of await served('/ask/read/john')) expect(await answer.text()).toBe('john');
    for (const path of [...paths, ...paths.map((each) => each.replace('/ask/read', '/v2'))])
      for (const answer of await served(path))
        if (answer.status === 200) expect(await answer.text(), path).toBe('john');
        else expect([400, 403, 404], path).toContain(answer.status);
  },
});

const OFFICE = modelOf(`
scopes:
  t: { type: tenant, combination: deny-overrides }
  north: { type: location, parent: t, id: north }
roles:
  reader: { owner: t, allow: [{ permission: "${READ}", when: context.ip == '192.0.2.1' }, "${WRITE}"] }
  banned:
    owner: t
    deny: [{ permission: "${WRITE}", when: "context.ip in ['203.0.113.9', '2001:db8::9']" }]
users: { ann: { id: ann, assignments: [{ role: reader, scope: t }, { role: banned, scope: t }] } }
`);

/** Headers by which a caller says another address than that of its connection. */
const FORWARDED = {
  'x-forwarded-for': '192.0.2.1, 198.51.100.7',
  forwarded: 'for=192.0.2.1',
  'x-real-ip': '192.0.2.1',
  'true-client-ip': '192.0.2.1',
  'cf-connecting-ip': '192.0.2.1',
};

/** Headers that name johnny, or nobody, beside one that looks like that of the route. */
const LOOKALIKES: readonly Record<string, string>[] = [
  { x_place: 'john' },
  { 'x-place ': 'john' },
  { 'x-place': 'john,johnny' },
  { 'x-place': 'johnny', x_place: 'john' },
];

/** A request with a body of 300 KB that says that it has ten bytes. */
const tooLarge = (path: string, more: object, headers: Record<string, string>, isBase64Encoded: boolean) =>
  httpApi2Event({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', 'content-length': '10', ...headers },
    body: JSON.stringify({ ...more, padding: 'x'.repeat(300_000) }),
    isBase64Encoded,
  });

/** A route and a guard whose scope is in a header. */
const BY_HEADER = {
  ...TWO_PLACES,
  routes: [
    { api: 'default', method: 'GET', path: '/mine', permission: READ, scope: 'location:{header:x-place}' },
  ],
};

export const REQUEST_FAULTS: Kind = {
  title: 'Paths, headers, addresses and bodies',
  faults: [
    {
      ids: ['cedar authorization-for-expressjs CVE-2026-49473', 'oauth2-proxy CVE-2025-54576'],
      shape: 'The query is part of the path that is decided on.',
      answer:
        'The decision is on the route that was matched and on its parameters, and neither holds a query.',
      at: {
        ...onlyJohn([
          '/ask/read/johnny?/ask/read/john',
          '/ask/read/johnny%3F/ask/read/john',
          '/ask/read/johnny?place=john',
        ]),
        AuthZEN: async () => {
          const { handle } = await open(PLACE);
          for (const path of [
            '/health?/access/v1/evaluation',
            '/access/v1/evaluation%3F',
            '/access/v1/evaluation/../x',
          ])
            expect((await sent(handle, path, evaluation({ who: 'pep', where: 'north' }))).status, path).toBe(
              404,
            );
        },
      },
    },
    {
      ids: ['oauth2-proxy CVE-2026-41059'],
      shape: 'A fragment in the request target hides what follows.',
      answer: 'A target with a fragment is refused; no route matches one.',
      at: onlyJohn(['/ask/read/johnny#/ask/read/john', '/ask/read/johnny%23/ask/read/john']),
    },
    {
      ids: ['middie CVE-2026-2880', 'fastify express CVE-2026-33808', 'opa-envoy CVE-2026-26205'],
      shape: '//x and /x;a=b are decided on as other paths than are served.',
      answer:
        'The authorizer compares paths as they are, and refuses what a backend may read in another way.',
      at: onlyJohn([
        ...['//ask/read/johnny', '/ask//read/johnny', '/ask/read//johnny', '/ask/read/johnny;a=john'],
        ...['/ask/read/john;/johnny', '/ask;x/read/johnny', '/ask/read/johnny/', '/ASK/read/johnny'],
      ]),
    },
    {
      ids: ['Hono CVE-2026-47676'],
      shape: 'A mounted router compares a raw path with a decoded one.',
      answer: 'A guard asks the framework what it matched, also below a mounted router.',
      at: onlyJohn([
        '/ask/read/johnn%79',
        '/ask/re%61d/johnny',
        '/%61sk/read/johnny',
        '/ask/read/johnn%2579',
      ]),
    },
    {
      ids: ['Oathkeeper CVE-2026-33494'],
      shape: 'Dot segments: a path is decided on before they are resolved, and served after.',
      answer: 'No parameter may be a dot segment, raw or escaped; such a path matches no route.',
      at: onlyJohn([
        '/ask/read/john/../johnny',
        '/ask/read/../read/johnny',
        '/ask/read/john%2F..%2Fjohnny',
        '/ask/read/%2e%2e',
        '/ask/read/..%2fjohnny',
        '/ask/read/.',
      ]),
    },
    {
      ids: ['SciTokens CVE-2026-32726'],
      shape: 'The prefix /john covers /johnny.',
      answer: 'Paths are compared segment by segment, and a policy names whole paths.',
      at: onlyJohn(['/ask/read/johnny', '/ask/read/john.', '/ask/read/joh', '/ask/read/john%20']),
    },
    {
      ids: ['Hono CVE-2026-27700'],
      shape: 'The first X-Forwarded-For is trusted behind a load balancer.',
      answer:
        'The address is that of the event or the connection; no header is read for it, unless the application trusts its proxies.',
      at: {
        authorizer: async () => {
          const { authorizer } = await open(OFFICE);
          const event = eventOf({ who: 'ann', where: 'north', ip: '198.51.100.7' });
          const headers = { authorization: `Bearer ${await tokenOf('ann')}`, ...FORWARDED };
          expect(await answerOf(authorizer, { ...event, headers })).toBe('no_grant');
        },
        middleware: async () => {
          const { guarded } = await open(OFFICE);
          const event = eventOf({ who: 'ann', where: 'north', ip: '198.51.100.7' });
          const headers = { authorization: `Bearer ${await tokenOf('ann')}`, ...FORWARDED };
          expect(await guarded({ ...event, headers }, {})).toMatchObject({ statusCode: 403 });
        },
        AuthZEN: async () => {
          const { handle } = await open(OFFICE);
          const asked = evaluation({ who: 'ann', where: 'north' });
          const { json } = await sent(handle, '/access/v1/evaluation', asked, { headers: FORWARDED });
          expect(json).toMatchObject({ decision: false, context: { reason: 'condition_failed' } });
        },
      },
    },
    {
      ids: ['Hono CVE-2026-47674', 'OpenFGA 3181'],
      shape: 'One address has several spellings, of IPv6 and of IPv4 in IPv6.',
      answer:
        'context.ip has one form: no port, no brackets, IPv4 where it is mapped, RFC 5952; anything else is missing.',
      at: whereverAsked(OFFICE, async (ask) => {
        for (const ip of [
          ...['203.0.113.9', '203.0.113.9:41234', '::ffff:203.0.113.9', '::FFFF:cb00:7109'],
          ...['[2001:db8::9]:443', '2001:DB8::9', '2001:db8:0:0:0:0:0:9', '2001:0db8::0009', 'nowhere'],
          ...['fe80::1%eth0'],
        ])
          expect(await ask({ who: 'ann', action: 'write', where: 'north', ip }), ip).not.toBe('allow');
        for (const ip of ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1:1024'])
          expect(await ask({ who: 'ann', where: 'north', ip }), ip).toBe('allow');
      }),
    },
    {
      ids: ['oauth2-proxy CVE-2025-64484'],
      shape: 'x_user counts as x-user.',
      answer: 'A header is known by its exact name, without regard to case; two values are none.',
      at: {
        authorizer: async () => {
          const { authorizer } = await open(BY_HEADER);
          const authorization = `Bearer ${await tokenOf('ann')}`;
          const ask = (headers: object) =>
            answerOf(authorizer, httpEvent('GET', '/mine', { authorization, ...headers }));
          expect(await ask({ 'X-Place': 'john' })).toBe('allow');
          for (const headers of LOOKALIKES)
            expect(await ask(headers), JSON.stringify(headers)).not.toBe('allow');
        },
        middleware: async () => {
          const { kit } = await open(BY_HEADER);
          const guard = lambdaGuard({ engine: kit.engine, who: () => 'user:ann', now: kit.clock.now });
          const guarded = guard(READ, 'location:{header:x-place}').wrap(() => ({ statusCode: 200 }));
          const ask = async (headers: Record<string, string>) =>
            (await guarded(httpEvent('GET', '/mine', headers), {})).statusCode;
          expect(await ask({ 'X-Place': 'john' })).toBe(200);
          for (const headers of LOOKALIKES) expect(await ask(headers), JSON.stringify(headers)).toBe(403);
        },
      },
    },
    {
      ids: ['OpenFGA 3057'],
      shape: 'Metadata repeat the Host of the request.',
      answer: 'The metadata name the configured URL; without one there are none.',
      at: {
        AuthZEN: async () => {
          const { handle, kit } = await open(PLACE);
          const path = '/.well-known/authzen-configuration';
          const host = {
            host: 'evil.example',
            'x-forwarded-host': 'evil.example',
            forwarded: 'host=evil.example',
          };
          const { status, body } = await sent(handle, path, '', { method: 'GET', headers: host, token: '' });
          expect(status).toBe(200);
          expect(body).toContain('https://pdp.example');
          expect(body).not.toContain('evil');
          const bare = createHandleFrom(
            { TABLE_NAME: 'table', TOKEN_ISSUER: ISSUER, TOKEN_AUDIENCE: AUDIENCE },
            { reader: kit.reader },
          );
          expect((await sent(bare, path, '', { method: 'GET', headers: host, token: '' })).status).toBe(404);
        },
      },
    },
    {
      ids: ['Hono CVE-2026-54288'],
      shape: 'On Lambda, a Content-Length that is too small lets a body pass the limit.',
      answer: 'Bodies are measured, in bytes and decoded; no header is asked.',
      at: {
        AuthZEN: async () => {
          const { handle } = await open(PLACE);
          const handler = createLambdaHandler(handle);
          const question = evaluation({ who: 'pep', where: 'north' });
          const headers = { authorization: `Bearer ${await tokenOf('pep')}` };
          for (const isBase64 of [true, false])
            expect(
              await handler(tooLarge('/access/v1/evaluation', question, headers, isBase64)),
            ).toMatchObject({ statusCode: 413 });
        },
        middleware: async () => {
          const { kit } = await open(PLACE);
          const { engine, reader, clock } = kit;
          const handler = lambdaPermissions({ engine, reader, who: () => 'user:pep', now: clock.now });
          const question = { permission: READ, scope: 'location:north' };
          for (const isBase64 of [true, false])
            expect(await handler(tooLarge('/permissions', question, {}, isBase64))).toMatchObject({
              statusCode: 413,
            });
        },
      },
    },
  ],
};
