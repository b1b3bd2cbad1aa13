import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLambdaEndpoint } from '../../local/lambda/endpoint.ts';
import type { LambdaFunction } from '../../local/lambda/invocation.ts';
import { COMMANDS } from '../../provisioning/index.ts';
import { listen } from '../support/listening.ts';
import { createWorld, type World } from '../support/world.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** `gatehouse command`: every command of provisioning, on the table and through its function. */
afterAll(removeFiles);
let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const onTable = (...args: readonly string[]) =>
  gatehouse(['command', ...args], { env: { TABLE_NAME: world.table, USER: 'ops' } });

/** A Lambda endpoint with one function, and what is asked before it. */
async function lambda(
  provisioning: LambdaFunction,
  { before, timeoutMs }: { before?: () => number | undefined; timeoutMs?: number } = {},
): Promise<string> {
  const endpoint = createLambdaEndpoint({
    functions: { provisioning },
    clock: Date.now,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return listen((incoming, outgoing) => {
    const status = before?.();
    if (status === undefined) return endpoint(incoming, outgoing);
    const type = status === 429 ? 'TooManyRequestsException' : 'ServiceException';
    outgoing.writeHead(status, { 'x-amzn-errortype': type, 'content-type': 'application/json' });
    outgoing.end(JSON.stringify({ Type: 'Service', message: 'no' }));
  });
}

const through = (url: string, ...args: readonly string[]) =>
  gatehouse([...args, '--function', 'provisioning', '--lambda-endpoint', url], { env: { USER: 'ops' } });

describe('on the table', () => {
  test('fields are read by the schema, and the answer has its token', async () => {
    const { code, out, error } = await onTable(
      'user.create',
      'email=Ann@Example.com',
      'mfaEnabled=true',
      'endsAt=2030-01-01',
      '--json',
    );
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({
      ok: true,
      result: { email: 'ann@example.com', mfaEnabled: true, endsAt: '2030-01-02T00:00:00.000Z' },
      token: expect.stringMatching(/./),
    });
    expect(answer.operationId).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    const cleared = await onTable('user.update', `id=${answer.result.id}`, 'endsAt=null');
    expect(cleared).toMatchObject({ code: 0, error: '' });
    expect(cleared.out).not.toContain('endsAt');
    expect(cleared.out).toMatch(/\n---\ntoken \S+\noperation \S+\n$/);
  });

  test('lists, JSON and a file; a field on the line overrides the file', async () => {
    for (const name of ['p1', 'p2']) await onTable('page.create', `name=${name}`);
    const file = fileOf('name: from file\npermissions:\n  - { permission: p1, effect: ALLOW }\n');
    const made = await onTable('role-template.create', 'name=given', '--input', file, '--json');
    expect(JSON.parse(made.out).result).toMatchObject({ name: 'given', permissions: [{ permission: 'p1' }] });
    const json = await onTable(
      'role-template.create',
      'name=other',
      'permissions:=[{"permission":"p2","effect":"DENY"}]',
      '--json',
    );
    expect(JSON.parse(json.out).result.permissions).toEqual([{ permission: 'p2', effect: 'DENY' }]);
    const page = await onTable('role-template.list', 'limit=1');
    expect(page).toMatchObject({
      code: 0,
      error: expect.stringMatching(/^note: there may be more: add cursor=\S+\n$/),
    });
    const input = await gatehouse(['command', 'page.read', '--input', '-'], {
      env: { TABLE_NAME: world.table },
      input: async () => '{"name":"p1"}',
    });
    expect(input).toMatchObject({ code: 0, out: expect.stringContaining('name: p1') });
  });

  test('a dry run writes nothing; the same operation is done once', async () => {
    const dry = await onTable('page.create', 'name=dry', '--dry-run');
    expect(dry).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^page\.create would succeed, and nothing was written\. It would answer:\n(?: {2}\S.*\n)+$/,
      ),
    });
    expect(JSON.parse((await onTable('page.create', 'name=dry', '--dry-run', '--json')).out)).toMatchObject({
      ok: true,
      dryRun: true,
    });
    expect((await onTable('page.read', 'name=dry')).code).toBe(2);
    const args = ['user.create', 'username=once', '--operation', 'once', '--json'];
    const [first, second] = [await onTable(...args), await onTable(...args)];
    // A token is of the time of its answer.
    expect(JSON.parse(second.out)).toEqual({ ...JSON.parse(first.out), token: expect.any(String) });
  });

  test('a refusal has exit code 1 and names the field', async () => {
    await onTable('tenant.create', 'name=Taken');
    const { code, out, error } = await onTable('tenant.create', 'name=TAKEN');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(error).toMatch(
      /^gatehouse command tenant\.create: name is taken \(tenant:\w+\) \(conflict, not retryable\)\n$|^gatehouse command tenant\.create: name: name is taken/,
    );
    const json = await onTable('tenant.create', 'name=TAKEN', '--json');
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, error: { code: 'conflict', field: 'name' } });
  });

  test.each([
    [['user.creat'], 'there is no command user.creat: did you mean user.create?'],
    [['usr.create'], 'there is no command usr.create: did you mean user.create?'],
    [['user.create', 'emial=a@b.de'], 'user.create has no field emial: did you mean email?'],
    [['user.create', 'email'], 'email is not FIELD=VALUE or FIELD:=JSON'],
    [['user.create', 'status=activ'], 'status: there is no activ: did you mean active?'],
    [['user.create', 'mfaEnabled=yes'], 'mfaEnabled: yes is neither true nor false'],
    [['role.list', 'limit=many'], 'limit: many is not a number'],
    [['role.create', 'scope=global'], 'role.create needs name (string, at most 128 characters)'],
    [['user.create', 'email=a@b.de', 'email=b@c.de'], 'email is given twice'],
    [['user.create', '--deadline', 'soon'], '--deadline soon is not a number of seconds'],
    [
      ['user.create', 'endsAt=tomorrow'],
      'endsAt: tomorrow is neither an instant such as 2026-03-01T08:00:00Z',
    ],
    [[], 'which command?'],
    [['page.list', '--function', 'a b'], '--function a b is neither the name'],
    [
      ['page.list', '--lambda-endpoint', 'http://127.0.0.1:1'],
      '--lambda-endpoint is of a function: give --function NAME too',
    ],
  ])('wrong use %j is 2', async (args, message) => {
    const { code, out, error } = await onTable(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error.startsWith(`gatehouse command: ${message}`), error).toBe(true);
  });
});

test('--list names every command, --help shows the schema of one', async () => {
  const { code, out } = await onTable('--list');
  expect(code).toBe(0);
  for (const name of COMMANDS.keys()) expect(out).toMatch(new RegExp(`^${name.replace('.', '\\.')} `, 'm'));
  const json = JSON.parse((await onTable('--list', '--json')).out);
  expect(json).toHaveLength(COMMANDS.size);
  const help = await onTable('membership.create', '--help');
  expect(help.code).toBe(0);
  expect(help.out).toContain('"$schema": "https://json-schema.org/draft/2020-12/schema"');
  expect(help.out).toMatch(/^ {2}group +required +id/m);
});

test('choices are read in any case, wherever they are typed', async () => {
  const { id: role } = await world.run('role.create', { name: 'any case', scope: 'tenant' });
  await world.run('page.create', { name: 'any-case' });
  const effectOf = async (...given: readonly string[]) => {
    const fields = [`role=${role}`, 'permission=any-case', ...given];
    const { code, out, error } = await onTable('role-permission.create', ...fields, '--dry-run', '--json');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    return JSON.parse(out).result.effect;
  };
  expect(await effectOf('effect=allow')).toBe('ALLOW');
  expect(await effectOf('effect:="Deny"')).toBe('DENY');
  expect(await effectOf('--input', fileOf('effect: allow\n'))).toBe('ALLOW');
  const template = fileOf('name: any\npermissions:\n  - { permission: any-case, effect: deny }\n');
  const made = await onTable('role-template.create', '--input', template, '--dry-run', '--json');
  expect(JSON.parse(made.out).result.permissions).toEqual([{ permission: 'any-case', effect: 'DENY' }]);
  // What is no choice is named, and what else is text stays as it is written.
  expect((await onTable('user.create', 'status=Sleeping')).error).toContain('status: there is no Sleeping');
  expect(
    JSON.parse((await onTable('user.create', 'displayName=ACTIVE', 'status=Active', '--json')).out),
  ).toMatchObject({
    result: { displayName: 'ACTIVE', status: 'active' },
  });
});

describe('a former name of a field', () => {
  const NOTE = 'note: type and id are the former names of scope, taken for one release.\n';
  beforeAll(async () => {
    await world.run('scope-type.create', { name: 'ward', root: true });
    for (const [id, name] of [
      ['w1', 'Ward North'],
      ['w2', 'Ward South'],
    ])
      await world.run('scope.create', { type: 'ward', id, name });
    await world.run('subject-type.create', { name: 'sensor' });
    await world.run('subject.create', { type: 'sensor', id: 's1', name: 'Door' });
    await world.run('user.create', { id: 'gwen', email: 'gwen@school.example' });
  });
  const resultOf = async (...args: readonly string[]) => {
    const { code, out, error } = await onTable(...args, '--json');
    return { code, result: JSON.parse(out).result, error };
  };

  test('is taken with a note, with ids and with names', async () => {
    const north = await world.run('scope.read', { scope: 'ward:w1' });
    for (const id of ['w1', 'ward north'])
      expect(await resultOf('scope.read', 'type=ward', `id=${id}`)).toEqual({
        code: 0,
        result: north,
        error: NOTE,
      });
    expect(await resultOf('scope.read', '--input', fileOf('type: ward\nid: w1\n'))).toMatchObject({
      result: north,
    });
    for (const scope of ['ward:w1', 'Ward North'])
      expect(await resultOf('scope.read', `scope=${scope}`)).toEqual({ code: 0, result: north, error: '' });
    for (const user of ['sensor:s1', 'Door'])
      expect(await resultOf('subject.read', `user=${user}`)).toMatchObject({ code: 0, result: { id: 's1' } });
    expect(await resultOf('subject.read', 'type=sensor', 'id=Door')).toMatchObject({ result: { id: 's1' } });
    for (const field of ['id=gwen@school.example', 'user=gwen@school.example', 'id=sensor:s1', 'id=Door'])
      expect(await resultOf('user.access', field)).toMatchObject({ code: 0, result: { items: [] } });
  });

  test('names what it is about before something is deleted', async () => {
    for (const named of [['type=ward', 'id=Ward South'], ['scope=Ward South']]) {
      const { code, error } = await onTable('scope.delete', ...named);
      expect(code).toBe(1);
      expect(error).toContain('Ward South (ward:w2)');
    }
  });

  test('is refused beside the name of now', async () => {
    expect(await onTable('scope.read', 'scope=ward:w1', 'type=ward', 'id=w1')).toEqual({
      code: 2,
      out: '',
      error: 'gatehouse command: scope and type name the same: give scope alone\n',
    });
  });

  test('is in the help, after the fields', async () => {
    const { out } = await onTable('scope.read', '--help');
    expect(out).toMatch(
      /Fields:\n {2}scope .*\n\ntype and id are the former names of scope, taken for one release\./,
    );
  });
});

test('--help of one command shows its fields before all that is general', async () => {
  const { out } = await onTable('membership.create', '--help');
  const places = ['membership.create (', 'Fields:', '"$schema"', 'Examples:', 'Arguments:', 'Options:'].map(
    (text) => out.indexOf(text),
  );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  expect(out.slice(0, places[1]).split('\n').length).toBeLessThan(8);
});

describe('through the function', () => {
  test('the same commands and routes, without a table', async () => {
    const url = await lambda((event) => world.provision(event));
    const made = await through(url, 'command', 'user.create', 'username=far', '--json');
    expect(made).toMatchObject({ code: 0, error: '' });
    expect(JSON.parse(made.out)).toMatchObject({ ok: true, result: { username: 'far' } });
    const added = await through(
      url,
      ...'route add GET /far/{id} --permission p-far --scope tenant:{id}'.split(' '),
    );
    expect(added).toMatchObject({
      code: 0,
      error: '',
      out: expect.stringContaining('p-far is not a registered'),
    });
    const listed = await through(url, 'route', 'list', '--json');
    const [route] = JSON.parse(listed.out);
    expect(route).toMatchObject({ method: 'GET', path: '/far/{id}' });
    expect(await through(url, 'route', 'test', 'GET', '/far/1')).toMatchObject({ error: '' });
    expect(await through(url, 'route', 'remove', route.id, '--yes')).toMatchObject({ code: 0 });
  });

  test('subcommands that read the table refuse --function', async () => {
    const ID = 'user:01M7YAMYCAWSND2TZ7F47P6DYF';
    const { code, error } = await through(
      'http://127.0.0.1:1',
      'check',
      ID,
      'home',
      ID.replace('user', 'tenant'),
    );
    expect({ code, error }).toMatchObject({ code: 2, error: expect.stringContaining('give --table NAME') });
  });

  test.each([429, 500])('what is answered with %i is sent again', async (status) => {
    let left = 2;
    const url = await lambda((event) => world.provision(event), {
      before: () => (left-- > 0 ? status : undefined),
    });
    expect(await through(url, 'command', 'page.list')).toMatchObject({ code: 0, error: '' });
    expect(left).toBe(-1);
  });

  test('a retry after a lost answer recognises its own work', async () => {
    let calls = 0;
    const url = await lambda(
      async (event) => {
        const answer = await world.provision(event);
        if (++calls === 1) await new Promise(() => {});
        return answer;
      },
      { timeoutMs: 1_000 },
    );
    const { code, out } = await through(url, 'command', 'tenant.create', 'name=Once', '--json');
    expect(code).toBe(0);
    expect(calls).toBeGreaterThan(1);
    expect(JSON.parse(out)).toMatchObject({ ok: true, result: { name: 'Once' } });
    expect(await world.refused('tenant.create', { name: 'Once' })).toMatchObject({ code: 'conflict' });
  });

  test('a command of several steps is sent again until it is done', async () => {
    let left = 3;
    const url = await lambda(async (event) =>
      left-- > 0
        ? { ok: false, error: { code: 'unfinished', message: 'more are left', retryable: true } }
        : world.provision(event),
    );
    const run = await through(url, 'command', 'page.create', 'name=steps', '--deadline', '5');
    expect(run).toMatchObject({ code: 0, error: '' });
  });

  test.each<[string, LambdaFunction, readonly string[], RegExp]>([
    [
      'throws',
      async () => {
        throw new TypeError('boom');
      },
      [],
      /provisioning failed: TypeError: boom \(request \S+\): see the log group \/aws\/lambda\/provisioning\n$/,
    ],
    ['is another function', async () => ({ isAuthorized: true }), [], /is it the right function\?\n$/],
    [
      'never answers in time',
      () => new Promise(() => {}),
      ['--deadline', '3', '--operation', 'mine'],
      /provisioning timed out \(request \S+\) \(\d+ attempts?\); run it again with --operation mine: nothing is done twice\n$/,
    ],
    [
      'is throttled by the table for good',
      async () => ({ ok: false, error: { code: 'throttled', message: 'throttled', retryable: true } }),
      ['--deadline', '3', '--operation', 'mine'],
      // The deadline may cut the last attempt off.
      /(?:throttled.*retryable|in time \(AbortError\).*run it again) with --operation mine.*\n$/,
    ],
  ])('one that %s: one message, and whether to try again', async (_, provisioning, more, message) => {
    const url = await lambda(provisioning, { timeoutMs: 100 });
    const { code, out, error } = await through(url, 'command', 'page.list', ...more);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toMatch(message);
    expect(error.indexOf('\n')).toBe(error.length - 1);
  });

  test('without a region: one message that asks for it', async () => {
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION']) vi.stubEnv(name, undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { code, error } = await gatehouse(['command', 'page.list', '--function', 'provisioning'], {
      env: {},
    });
    expect(code).toBe(2);
    expect(error.match(/no AWS region is set/g)).toHaveLength(1);
  });

  test('an unknown function, and an endpoint that does not answer', async () => {
    const url = await lambda(async () => ({}));
    const missing = await gatehouse(['command', 'page.list', '--function', 'nope', '--lambda-endpoint', url]);
    expect(missing).toMatchObject({
      code: 2,
      error: expect.stringContaining('there is no function nope'),
    });
    const nobody = await through('http://127.0.0.1:1', 'command', 'page.list', '--deadline', '0.2');
    expect(nobody).toMatchObject({
      code: 2,
      error: expect.stringContaining(
        'http://127.0.0.1:1 does not answer (ECONNREFUSED): check --lambda-endpoint',
      ),
    });
  });
});
