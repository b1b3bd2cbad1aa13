import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createWorld, type World } from '../support/world.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** Routes and the key of the result cache: refused where the key is known, warned of where it is not. */
afterAll(removeFiles);
let world: World;
beforeAll(async () => {
  world = await createWorld();
  await world.run('page.create', { name: 'news' });
});
let api: string;
let apis = 0;
beforeEach(() => {
  api = `api-${++apis}`;
});

const route = (args: readonly string[], env: Record<string, string> = {}) =>
  gatehouse(['route', ...args, '--api', api], { env: { TABLE_NAME: world.table, ...env } });
const add = (path: string, scope: string, ...more: string[]) =>
  route(['add', 'GET', path, '--permission', 'news', '--scope', scope, ...more]);
const stored = async (): Promise<readonly string[]> => {
  const { items } = await world.run('route.list', { api });
  return (items as { path: string }[]).map(({ path }) => path).sort();
};

const by = (...identitySources: readonly string[]) =>
  JSON.stringify({ default: { ttl: 300, identitySources } });
const OFF = '{"default":{"ttl":0}}';
const TOKEN = '$request.header.Authorization';
const REST_TOKEN = 'method.request.header.Authorization';
const QUERY = 'location:{query:loc}';

describe('route add', () => {
  test('refuses a route with an input outside of a known key, and writes nothing', async () => {
    for (const [cache, source] of [
      [by(REST_TOKEN), 'method.request.querystring.loc'],
      [by(TOKEN), '$request.querystring.loc'],
    ] as const) {
      const { code, error, out } = await add(
        '/h2q',
        QUERY,
        '--result-cache',
        cache,
        '--http-answer',
        'policy',
      );
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(error).toContain(
        'gatehouse route add: GET /h2q depends on query parameter loc, and an API that is not named',
      );
      expect(error).toContain(
        `(outside_cache_key). Add ${source} to the identity sources, or set the TTL to 0\n`,
      );
    }
    expect(await stored()).toEqual([]);
  });

  test('adds it without a note where the key has the input, or nothing is cached', async () => {
    for (const [path, cache] of [
      ['/a', by(REST_TOKEN, 'method.request.querystring.loc')],
      ['/b', OFF],
    ] as const) {
      const { code, out } = await add(path, QUERY, '--result-cache', cache);
      expect(code).toBe(0);
      expect(out).not.toContain('note');
    }
  });

  test('adds it with a warning where the key is not known', async () => {
    for (const [path, args] of [
      ['/a', []],
      ['/b', ['--result-cache', '{}']],
    ] as const) {
      const { code, out } = await add(path, QUERY, ...args);
      expect(code).toBe(0);
      expect(out).toContain(
        `note: GET ${path} depends on query parameter loc: it is refused (outside_cache_key)`,
      );
    }
    expect((await add('/plain', 'location:{claim:loc}')).out).not.toContain('note');
  });

  test('takes the key from a file and from the environment, as the authorizer has it', async () => {
    expect((await add('/a', QUERY, '--result-cache', fileOf(`${by(REST_TOKEN)}\n`, 'json'))).code).toBe(2);
    const args = ['add', 'GET', '/a', '--permission', 'news', '--scope', QUERY];
    expect((await route(args, { RESULT_CACHE: by(REST_TOKEN) })).code).toBe(2);
    expect((await route(args, { RESULT_CACHE: OFF })).code).toBe(0);
  });

  test('simple answers name neither path nor verb, so both must be in the key', async () => {
    const plain = ['add', 'GET', '/plain', '--permission', 'news', '--scope', 'location:{claim:loc}'];
    const { code, error } = await route([...plain, '--result-cache', by(TOKEN)]);
    expect(code).toBe(2);
    expect(error).toContain('depends on the route key, and');
    const path = ['add', 'GET', '/places/{id}', '--permission', 'news', '--scope', 'location:{id}'];
    const key = by(TOKEN, '$context.routeKey');
    expect((await route([...path, '--result-cache', key])).error).toContain(
      'depends on the path, the verb, and',
    );
    const any = ['add', 'ANY', '/any', '--permission', 'news', '--scope', 'location:{claim:loc}'];
    expect((await route([...any, '--result-cache', key])).error).toContain('Add $context.httpMethod to');
    expect((await route([...plain, '--result-cache', key])).code).toBe(0);
    expect((await route([...path, '--result-cache', by(TOKEN), '--http-answer', 'policy'])).code).toBe(0);
  });

  test('the place of the token must be in the key', async () => {
    const args = ['add', 'GET', '/a', '--permission', 'news', '--scope', 'location:{claim:loc}'];
    const key = ['--result-cache', by('method.request.header.Cookie')];
    expect((await route([...args, ...key])).error).toContain('depends on header authorization, and');
    expect((await route([...args, ...key, '--credentials-from', 'cookie:session'])).code).toBe(0);
  });

  test.each([
    [['--result-cache', '{"default":{"ttl":-1}}'], 'RESULT_CACHE.default.ttl is not a whole number'],
    [['--result-cache', '{"default"'], 'RESULT_CACHE is not JSON'],
    [['--result-cache', '/nowhere.json'], '/nowhere.json: there is no such file'],
    [['--http-answer', 'xml'], 'HTTP_ANSWER is neither simple nor policy'],
    [['--credentials-from', 'body'], 'CREDENTIALS_FROM holds something that is none of header'],
  ])('refuses %j', async (args, message) => {
    const { code, error } = await add('/a', QUERY, ...args);
    expect(code).toBe(2);
    expect(error).toContain(message);
    expect(await stored()).toEqual([]);
  });
});

describe('route import', () => {
  const document = () =>
    fileOf(`openapi: 3.1.0
info: { title: News, version: '1' }
paths:
  /plain:
    get: { x-gatehouse: { permission: news, scope: "location:{claim:loc}" } }
  /h2q:
    get: { x-gatehouse: { permission: news, scope: "location:{query:loc}" } }
  /h2h:
    get: { x-gatehouse: { permission: news, scope: "location:{header:x-loc}" } }
`);

  test('names every refused route with its line, and writes nothing', async () => {
    const { code, error } = await route(['import', document(), '--result-cache', by(REST_TOKEN)]);
    expect(code).toBe(2);
    expect(error).toMatch(/:7:\d+: .*: depends on query parameter loc, and an API that is not named caches/);
    expect(error).toMatch(/:9:\d+: .*: depends on header x-loc, and/);
    expect(error).not.toContain('/plain');
    expect(await stored()).toEqual([]);
  });

  test('warns where the key is not known', async () => {
    const { code, out } = await route(['import', document()]);
    expect(code).toBe(0);
    expect(out).toContain(
      'GET /h2q depends on query parameter loc: it is refused (outside_cache_key) unless',
    );
    expect(await stored()).toEqual(['/h2h', '/h2q', '/plain']);
    const known = await route(['import', document(), '--result-cache', OFF]);
    expect(known.code).toBe(0);
    expect(known.out).not.toContain('depends on');
  });
});

describe('route check', () => {
  beforeEach(async () => {
    await add('/plain', 'location:{claim:loc}');
    await add('/h2q', QUERY);
    await add('/h2h', 'location:{header:X-Loc}');
    // No result cache stands before these.
    for (const [method, path] of [
      ['CONNECT', '/$connect'],
      ['GRAPHQL', '/'],
    ] as const)
      await world.run('route.create', { api, method, path, permission: 'news', scope: QUERY });
  });

  test('names every route that depends on what is not in a key', async () => {
    const cache = JSON.stringify({
      default: { ttl: 0 },
      a1b2c3: { ttl: 60, identitySources: [REST_TOKEN] },
      d4e5f6: { ttl: 5, identitySources: [REST_TOKEN, 'method.request.querystring.loc'] },
    });
    const { code, out } = await route(['check', '--result-cache', cache]);
    expect(code).toBe(1);
    expect(out.replace(/\([0-9A-Z]{26}\)/g, '(ID)')).toBe(`API ${api}: 5 routes

refused (outside_cache_key): the API a1b2c3 caches for 60 s by method.request.header.Authorization
  GET /h2h  header x-loc         (ID)
  GET /h2q  query parameter loc  (ID)

refused (outside_cache_key): the API d4e5f6 caches for 5 s by method.request.header.Authorization, method.request.querystring.loc
  GET /h2h  header x-loc  (ID)

2 of 5 refused
`);
    const data = await route(['check', '--result-cache', cache, '--json']);
    expect(data.code).toBe(1);
    expect(JSON.parse(data.out)).toMatchObject({
      ...{ api, known: true, routes: 5 },
      outside: [
        { path: '/h2h', apiId: 'a1b2c3', outside: ['header:x-loc'] },
        { path: '/h2h', apiId: 'd4e5f6' },
        { path: '/h2q', apiId: 'a1b2c3', outside: ['query:loc'] },
      ],
    });
  });

  test('finds nothing where nothing is cached', async () => {
    expect(await route(['check', '--result-cache', OFF])).toEqual({
      code: 0,
      out: `API ${api}: 5 routes\n\nno route depends on inputs outside of the key\n`,
      error: '',
    });
  });

  test('lists the inputs where the key is not known, and ends with 0', async () => {
    const { code, out } = await route(['check']);
    expect(code).toBe(0);
    expect(out).toContain(
      `API ${api}: 5 routes; the key of the result cache is not known: give --result-cache\n`,
    );
    expect(out).toContain('GET /h2q  query parameter loc');
    expect(out).not.toContain('CONNECT');
    expect(JSON.parse((await route(['check', '--json'])).out)).toMatchObject({
      known: false,
      taking: [{ path: '/h2h', takes: ['header:x-loc'] }, { path: '/h2q' }],
    });
  });
});

describe('conditions on the permission of a route', () => {
  const SCOPE = 'location:{claim:loc}';
  const KEY = by(REST_TOKEN);
  const IP_KEY = by(REST_TOKEN, 'context.identity.sourceIp');
  const put = (path: string, permission: string, ...more: string[]) =>
    route(['add', 'GET', path, '--permission', permission, '--scope', SCOPE, ...more]);

  beforeAll(async () => {
    const { run } = world;
    const effects = [
      ['office', `cidr('10.0.0.0/8').containsIP(context.ip)`],
      ['hours', 'context.time.getHours() < 18'],
      ['strong', `context.claims.acr == 'mfa' && context.method == 'GET'`],
      ['mine', 'subject.id == resource.id'],
      ['doors:open:door', 'true'],
      // By a pattern, and of a role that nobody has.
      ['doors:*:*', `context.userAgent != 'bot'`],
    ] as const;
    for (const [name] of effects.slice(0, 4)) await run('page.create', { name });
    await run('permission.create', { name: 'doors:open:door' });
    const role = (await run('role.create', { name: 'conditional', scope: 'global' })).id;
    for (const [permission, when] of effects)
      await run('role-permission.create', { role, permission, effect: 'ALLOW', when });
  });

  test('route add refuses what a known key does not hold, and says what to do', async () => {
    const refused = await put('/office', 'office', '--result-cache', KEY);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.error).toContain(
      "GET /office depends on the caller's address, and an API that is not named caches for 300 s by",
    );
    expect(refused.error).toContain(
      'every request that a condition decides would be refused (outside_cache_key). Add context.identity.sourceIp to the identity sources, or set the TTL to 0',
    );
    const http = await put('/office', 'office', '--result-cache', by(TOKEN), '--http-answer', 'policy');
    expect(http.error).toContain('Add $context.identity.sourceIp to the identity sources');
    const hours = await put('/hours', 'hours', '--result-cache', IP_KEY);
    expect(hours.error).toContain('Set the TTL to 0: no key holds the time');
    const door = await put('/door', 'doors:open:door', '--result-cache', IP_KEY);
    expect(door.error).toContain('depends on the user agent, and');
    expect(await stored()).toEqual([]);
    expect((await put('/office', 'office', '--result-cache', IP_KEY)).code).toBe(0);
    for (const page of ['strong', 'mine', 'news'])
      expect((await put(`/${page}`, page, '--result-cache', KEY)).code, page).toBe(0);
  });

  test('route add warns where no key is known', async () => {
    expect((await put('/office', 'office')).out).toContain(
      "note: GET /office depends on the caller's address: it is refused (outside_cache_key) unless the TTL of the result cache is 0 or this is an identity source",
    );
    expect((await put('/hours', 'hours')).out).toContain('unless the TTL of the result cache is 0, and');
    expect((await put('/strong', 'strong')).out).not.toContain('note');
  });

  test('route import names each with its line', async () => {
    const document = fileOf(`openapi: 3.1.0
info: { title: News, version: '1' }
paths:
  /office:
    get: { x-gatehouse: { permission: office, scope: "${SCOPE}" } }
  /strong:
    get: { x-gatehouse: { permission: strong, scope: "${SCOPE}" } }
`);
    const { code, error } = await route(['import', document, '--result-cache', KEY]);
    expect(code).toBe(2);
    expect(error).toMatch(/:5:\d+: .*: depends on the caller's address, and/);
    expect(error).not.toContain('/strong');
    expect(await stored()).toEqual([]);
    expect((await route(['import', document])).out).toContain("GET /office depends on the caller's address");
  });

  test('route check names routes with a fixed permission, and with one from the path', async () => {
    await put('/office', 'office');
    await put('/strong', 'strong');
    await put('/pages/{page}', '{page}');
    await put('/doors/{action}', 'doors:{action}:door');
    await world.run('route.create', {
      api,
      method: 'CONNECT',
      path: '/$connect',
      permission: 'hours',
      scope: QUERY,
    });
    const { code, out } = await route(['check', '--result-cache', KEY]);
    expect(code).toBe(1);
    expect(out.replace(/ +\([0-9A-Z]{26}\)/g, '')).toBe(`API ${api}: 5 routes

refused (outside_cache_key): an API that is not named caches for 300 s by method.request.header.Authorization
  GET /doors/{action}  the user agent
  GET /office          the caller's address
  GET /pages/{page}    the time, the caller's address

3 of 5 refused
`);
    const known = JSON.parse((await route(['check', '--result-cache', IP_KEY, '--json'])).out);
    expect(known).toMatchObject({
      outside: [
        { path: '/doors/{action}', outside: ['userAgent'] },
        { path: '/pages/{page}', outside: ['time'] },
      ],
    });
    expect((await route(['check', '--result-cache', OFF])).code).toBe(0);
    expect(JSON.parse((await route(['check', '--json'])).out)).toMatchObject({
      taking: [{ path: '/doors/{action}' }, { path: '/office', takes: ['ip'] }, { path: '/pages/{page}' }],
    });
  });

  test('route test gives conditions what it knows of the request, and --given the rest', async () => {
    const { run } = world;
    const tenant = `tenant:${(await run('tenant.create', { name: `of ${api}` })).id}`;
    const user = (await run('user.create', {})).id;
    const role = (await run('role.create', { name: `of ${api}`, scope: tenant })).id;
    for (const [permission, when] of [
      ['office', `context.ip == '10.0.0.1'`],
      ['strong', `context.claims.acr == 'mfa' && context.method == 'GET' && context.path == '/strong'`],
    ] as const)
      await run('role-permission.create', { role, permission, effect: 'ALLOW', when });
    await run('grant.create', { user, scope: tenant, roles: [role] });
    for (const page of ['office', 'strong'])
      await run('route.create', { api, method: 'GET', path: `/${page}`, permission: page, scope: tenant });
    const ask = (path: string, ...more: string[]) =>
      route(['test', 'GET', path, '--subject', `user:${user}`, ...more]);
    expect((await ask('/office')).out).toContain('REFUSED (condition_failed)');
    expect((await ask('/office', '--given', '{"context":{"ip":"10.0.0.1"}}')).out).toContain(
      'ALLOWED (role)',
    );
    expect((await ask('/office', '--given', '{"context":{"ip":"10.0.0.2"}}')).out).toContain(
      'REFUSED (no_grant)',
    );
    expect((await ask('/strong', '--claim', 'acr=mfa')).out).toContain('ALLOWED (role)');
    expect((await ask('/strong', '--claim', 'acr=pwd')).out).toContain('REFUSED (no_grant)');
    expect((await ask('/office', '--given', '{')).error).toContain('--given is not JSON');
  });
});

describe('a scope that is written out', () => {
  test('and was deleted: route check, doctor and the question before the deletion name the route', async () => {
    const { id } = await world.run('tenant.create', { name: `of ${api}` });
    const scope = `tenant:${id}`;
    await add('/menu', scope);
    await add('/plain', 'tenant:{claim:tid}');
    expect((await route(['check', '--result-cache', OFF])).code).toBe(0);
    const env = { TABLE_NAME: world.table };
    const asked = await gatehouse(['command', 'tenant.delete', `id=${id}`], { env });
    expect(asked.error).toContain(
      `goes to whoever creates that id again:\n  GET /menu of the API ${api} at ${scope}`,
    );
    expect((await gatehouse(['command', 'tenant.delete', `id=${id}`, '--yes'], { env })).code).toBe(0);

    const { code, out } = await route(['check', '--result-cache', OFF]);
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`there is no such scope\n  GET /menu +${scope}`));
    expect(out).not.toContain('/plain');
    const found = await route(['check', '--json']);
    expect(found.code).toBe(1);
    expect(JSON.parse(found.out)).toMatchObject({ scopeMissing: [{ path: '/menu', scope }] });

    const variables = {
      ...{ ...env, API_NAME: api, TOKEN_ISSUER: 'https://issuer.example' },
      TOKEN_AUDIENCE: 'https://api.example',
    };
    const doctor = await gatehouse(['doctor', '--only', 'routes'], { env: variables });
    expect(doctor.code).toBe(1);
    expect(doctor.out).toContain(`GET /menu is refused to everybody: there is no scope ${scope}`);
  });

  test('and does not exist: route add and route import say so', async () => {
    const note = 'there is no scope ward:7: every request for it is refused until somebody creates it';
    await world.run('scope-type.create', { name: 'ward', root: true }).catch(() => {});
    expect((await add('/ward', 'ward:7')).out).toContain(note);
    const document = fileOf(`openapi: 3.1.0
info: { title: Wards, version: '1' }
paths:
  /wards:
    get: { x-gatehouse: { permission: news, scope: 'ward:7' } }
`);
    expect((await route(['import', document])).out).toContain(note);
  });
});
