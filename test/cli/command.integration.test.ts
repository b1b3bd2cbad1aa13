import { describe, expect, test } from 'vitest';
import { createLambdaEndpoint } from '../../local/lambda/endpoint.ts';
import type { LambdaFunction } from '../../local/lambda/invocation.ts';
import { COMMANDS } from '../../provisioning/index.ts';
import { listen } from '../support/listening.ts';
import { createLightWorld } from '../support/world.ts';
import { gatehouse } from './support.ts';

/** `gatehouse command`: every command of provisioning, and through its function. On the table: transcripts/command.txt. */
const world = await createLightWorld();

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

describe('through the function', () => {
  test('the same commands and routes, without a table', async () => {
    const url = await lambda((event) => world.provision(event));
    const made = await through(url, 'command', 'user.create', 'username=far', '--json');
    expect(made).toMatchObject({ code: 0, error: '' });
    expect(JSON.parse(made.out)).toMatchObject({ ok: true, result: { username: 'far' } });
    const words = 'GET /far/{id} --permission p-far --scope tenant:{id}'.split(' ');
    const added = await through(url, 'route', 'add', ...words);
    expect([added.code, added.error]).toEqual([0, '']);
    expect(added.out).toContain('p-far is not a registered');
    const listed = await through(url, 'route', 'list', '--json');
    const [route] = JSON.parse(listed.out);
    expect(route).toMatchObject({ method: 'GET', path: '/far/{id}' });
    expect(await through(url, 'route', 'test', 'GET', '/far/1')).toMatchObject({ error: '' });
    expect(await through(url, 'route', 'remove', route.id, '--yes')).toMatchObject({ code: 0 });
  });

  test.each([429, 500])('what is answered with %i is sent again', async (status) => {
    let left = 2;
    const url = await lambda((event) => world.provision(event), {
      before: () => (left-- > 0 ? status : undefined),
    });
    expect(await through(url, 'command', 'page.list')).toMatchObject({ code: 0, error: '' });
    expect(left).toBe(-1);
  });

  test('names are looked up through it', async () => {
    await world.run('user.create', { id: 'u1', username: 'tina' });
    const url = await lambda((event) => world.provision(event));
    expect((await through(url, 'command', 'user.read', 'id=tina')).out).toContain('id: u1');
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

  const SHORT = ['--deadline', '3', '--operation', 'mine'];
  test.each<[string, LambdaFunction, readonly string[], RegExp]>([
    [
      'throws',
      () => Promise.reject(new TypeError('boom')),
      [],
      /provisioning failed: TypeError: boom \(request \S+\): see the log group \/aws\/lambda\/provisioning\n$/,
    ],
    ['is another function', async () => ({ isAuthorized: true }), [], /is it the right function\?\n$/],
    [
      'never answers in time',
      () => new Promise(() => {}),
      SHORT,
      /provisioning timed out \(request \S+\) \(\d+ attempts?\); run it again with --operation mine: nothing is done twice\n$/,
    ],
    [
      'is throttled by the table for good',
      async () => ({ ok: false, error: { code: 'throttled', message: 'throttled', retryable: true } }),
      SHORT,
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

  test('an unknown function, and an endpoint that does not answer', async () => {
    const url = await lambda(async () => ({}));
    const ask = (name: string, endpoint: string) => {
      const to = ['--function', name, '--lambda-endpoint', endpoint];
      return gatehouse(['command', 'page.list', '--deadline', '0.2', ...to]);
    };
    const missing = await ask('nope', url);
    expect([missing.code, missing.error]).toEqual([2, expect.stringContaining('there is no function nope')]);
    const nobody = await ask('provisioning', 'http://127.0.0.1:1');
    expect(nobody.code).toBe(2);
    expect(nobody.error).toContain(
      'http://127.0.0.1:1 does not answer (ECONNREFUSED): check --lambda-endpoint',
    );
  });
});
