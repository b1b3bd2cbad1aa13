import { describe, expect, test } from 'vitest';
import type { Context } from '../../cli/context.ts';
import { OF_PAGE, send } from '../local/explorer/support.ts';
import { until } from '../support/eventually.ts';
import { listen } from '../support/listening.ts';
import { createWorld } from '../support/world.ts';
import { createProxy, type Mishap } from './bulk/support.ts';
import { asItListens, whileListening } from './support.ts';

/** `gatehouse explore` over a table of its own, used over HTTP as its page does. */
let mishap: Mishap = 'pass';
const QUESTION = { subject: 'user:ann', permission: 'reports', scope: 'tenant:acme' };

const world = await createWorld(`
pages: [reports]
scopes: { Acme: { id: acme, type: tenant } }
roles: { Manager: { id: manager, owner: Acme, allow: [reports] } }
users: { ann: { id: ann, tenant: null, email: ann@acme.example, grants: { Acme: [Manager] } } }
`);
const proxy = await createProxy(world.endpoint, () => mishap);

interface Explorer {
  readonly out: string;
  readonly link: string;
  /** Asks the service, in a session that a first call opens. */
  readonly call: (method: string, input: unknown) => Promise<Reply>;
}
interface Reply {
  readonly ok: boolean;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: Readonly<Record<string, unknown>>;
}

/** Runs `gatehouse explore` until `use` is done with it. */
async function exploring(
  args: readonly string[],
  use: (explorer: Explorer) => Promise<void> = async () => undefined,
  changes: Partial<Context> = {},
) {
  const run = async (out: string) => {
    const [link = ''] = /http:\/\/127\.0\.0\.1:\d+\/_explorer\/open\?ticket=[\w-]+/.exec(out) ?? [];
    let cookie: string | undefined;
    const call = async (method: string, input: unknown): Promise<Reply> => {
      cookie ??= String((await send(link)).headers['set-cookie']?.[0]).replace(/;.*$/, '');
      const url = link.replace(/open\?.*$/, `api/${method}`);
      const headers = { ...OF_PAGE, cookie };
      return JSON.parse((await send(url, { method: 'POST', headers, body: JSON.stringify(input) })).body);
    };
    if (link !== '') await use({ out, link, call }).finally(() => (mishap = 'pass'));
  };
  const env = { TABLE_NAME: world.table, DYNAMODB_ENDPOINT: proxy.endpoint, USER: 'olga' };
  return whileListening(['explore', ...args], run, { env, ...changes });
}
const command = (name: string, input: object) => ({ command: name, input });

describe('gatehouse explore', () => {
  test('prints one link, answers about the table, and ends with Ctrl-C', async () => {
    let link = '';
    const { code, out, error } = await exploring([], async (explorer) => {
      link = explorer.link;
      expect(await explorer.call('check', QUESTION)).toEqual({
        ok: true,
        result: { allowed: true, reason: 'role' },
      });
      expect((await send(link)).body).toContain('start gatehouse explore again and open its link');
      expect(await explorer.call('about', {})).toMatchObject({
        result: { place: `table ${world.table} at ${proxy.endpoint}`, canWrite: false, isLive: false },
      });
    });
    expect([code, error]).toEqual([0, '']);
    expect(out).toBe(
      `Explorer of table ${world.table} at ${proxy.endpoint} (read-only)\n\n  ${link}\n\n` +
        'The link works once, within five minutes. Ctrl-C ends the explorer.\n',
    );
    expect(link).toMatch(/ticket=[\w-]{43}$/);
    await expect(send(link)).rejects.toThrow();
  });

  test('--json prints the link for programs; --port takes a port', async () => {
    const { out } = await exploring(['--json', '--port', '0']);
    expect(JSON.parse(out)).toEqual({
      table: world.table,
      canWrite: false,
      link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/_explorer\/open\?ticket=/),
    });
  });

  test('--write writes, and the audit log says who', async () => {
    for (const [args, actor] of [
      [['--write'], 'olga'],
      [['--write', '--actor', 'nora@example.com'], 'nora@example.com'],
    ] as const) {
      const { out } = await exploring(args, async ({ call }) => {
        const update = command('user.update', { id: 'ann', displayName: actor });
        expect(await call('command', update)).toMatchObject({ result: { ok: true } });
      });
      expect(out).toContain('; it may change the table\n');
      const { items } = await world.run('audit.list', { limit: 100 });
      expect(items).toContainEqual(expect.objectContaining({ actor, action: 'user.update' }));
    }
  });

  test('a command that is throttled for a while is carried out once', async () => {
    await exploring(['--write'], async ({ call }) => {
      await call('about', {});
      const before = proxy.seen.get('throttle') ?? 0;
      mishap = 'throttle';
      const answer = call('command', command('user.update', { id: 'ann', displayName: 'Ann' }));
      await until(() => (proxy.seen.get('throttle') ?? 0) >= before + 3);
      mishap = 'pass';
      expect(await answer).toMatchObject({ result: { ok: true } });
    });
  });
});

test.each<[Mishap, string, string]>([
  ['drop the table', 'internal', 'the table does not exist: check --table, --endpoint and --region'],
  ['expire the credentials', 'internal', 'no valid AWS credentials: set AWS_PROFILE, or log in'],
  ['take the rights', 'internal', 'these AWS credentials are not allowed to do this on the table'],
  ['throttle', 'throttled', ''],
  ['cut', 'transient', 'check --endpoint, --region and the network'],
])('%s while it runs: the answer says what to do', async (given, code, advice) => {
  await exploring([], async ({ call }) => {
    await call('about', {});
    mishap = given;
    const error = { code, retryable: code !== 'internal', message: expect.stringContaining(advice) };
    expect(await call('check', QUESTION)).toEqual({ ok: false, error });
    // A person who waits asks again: a read is not sent for long.
    const before = proxy.seen.get(given) ?? 0;
    expect(await call('command', command('user.read', { id: 'ann' }))).toMatchObject({
      ok: true,
      result: { ok: false, error: { code, retryable: error.retryable } },
    });
    expect((proxy.seen.get(given) ?? 0) - before).toBeLessThan(20);
    mishap = 'pass';
    expect(await call('check', QUESTION)).toMatchObject({ result: { allowed: true } });
  });
});

test('a port in use is one error, at once', async () => {
  const { port } = new URL(await listen(() => {}));
  const { code, error } = await exploring(['--port', port]);
  expect([code, error]).toEqual([
    2,
    `gatehouse explore: port ${port} is in use: give another one with --port; 0 takes a free one\n`,
  ]);
});

test('Ctrl-C while it starts: it ends, and prints nothing', async () => {
  expect(await exploring([], undefined, { onInterrupt: asItListens() })).toMatchObject({ code: 0, out: '' });
});
