import { createHandleFrom, type Overrides } from '../../authzen/compose.ts';
import type { Handle } from '../../authzen/http.ts';
import { EVALUATE } from '../../authzen/questions.ts';
import { createWorld, type World } from '../support/world.ts';

export const PUBLIC_URL = 'https://pdp.example.com';

/** What stands in the table of these tests: two tenants that know nothing of each other. */
export interface Fixture {
  readonly world: World;
  /** Ids by name: `alice`, `record-1`, … */
  readonly id: Readonly<Record<string, string>>;
  /** Texts of API tokens by the name of their caller: `a`, `b`, `nobody`, `everywhere`. */
  readonly token: Readonly<Record<string, string>>;
}

/**
 * Tenant A has `record-1`, `record-2`, and `record-3` below a folder; alice reads and writes all of them and bob
 * reads. Tenant B has `record-b`, which zoe reads. Caller `a` may evaluate in A, `b` in B, `everywhere` in both,
 * `nobody` nowhere.
 */
export async function createFixture(open: () => Promise<World> = createWorld): Promise<Fixture> {
  const world = await open();
  const { run } = world;
  const id: Record<string, string> = {};
  const token: Record<string, string> = {};
  const note = async (name: string, command: string, input: Record<string, unknown>) => {
    id[name] = (await run(command, input)).id;
  };
  await note('account', 'account.create', { name: 'Callers' });
  await run('scope-type.create', { name: 'folder', parents: ['tenant'] });
  await run('scope-type.create', { name: 'record', parents: ['tenant', 'folder'] });
  for (const action of ['read', 'write', 'delete'])
    await run('permission.create', { name: `record:${action}:record` });
  await run('permission.create', { name: 'invoice:approve:invoice' });
  await run('permission.create', { name: EVALUATE });
  await note('global', 'role.create', { name: 'caller', scope: 'global' });
  await run('role-permission.create', { role: id.global, permission: EVALUATE, effect: 'ALLOW' });
  for (const name of ['a', 'b']) {
    await note(`tenant ${name}`, 'tenant.create', { name: `Tenant ${name}` });
    const scope = `tenant:${id[`tenant ${name}`]}`;
    await note(`evaluator ${name}`, 'role.create', { name: 'evaluator', scope });
    await note(`reader ${name}`, 'role.create', { name: 'reader', scope });
    await note(`writer ${name}`, 'role.create', { name: 'writer', scope });
    const allow = (role: string, permission: string) =>
      run('role-permission.create', { role: id[`${role} ${name}`], permission, effect: 'ALLOW' });
    await allow('evaluator', EVALUATE);
    await allow('reader', 'record:read:record');
    await allow('writer', 'record:write:record');
    await allow('writer', 'record:read:record');
    await allow('writer', 'invoice:approve:invoice');
  }
  const parents = { 'record-1': 'a', 'record-2': 'a', 'record-b': 'b' };
  for (const [name, tenant] of Object.entries(parents))
    await note(name, 'scope.create', { type: 'record', name, parent: `tenant:${id[`tenant ${tenant}`]}` });
  await note('folder', 'scope.create', {
    type: 'folder',
    name: 'folder',
    parent: `tenant:${id['tenant a']}`,
  });
  await note('record-3', 'scope.create', { type: 'record', name: 'record-3', parent: `folder:${id.folder}` });
  const people = { alice: ['a', 'writer'], bob: ['a', 'reader'], zoe: ['b', 'reader'], stranger: undefined };
  for (const [name, grant] of Object.entries(people)) {
    await note(name, 'user.create', {});
    if (grant === undefined) continue;
    const [tenant, role] = grant;
    const scope = `tenant:${id[`tenant ${tenant}`]}`;
    await run('assignment.create', { user: id[name], scope, role: id[`${role} ${tenant}`] });
  }
  for (const name of ['a', 'b', 'nobody', 'everywhere']) {
    await note(`caller ${name}`, 'technical-user.create', { account: `account:${id.account}`, name });
    const user = `technical-user:${id[`caller ${name}`]}`;
    const scope = `tenant:${id[`tenant ${name}`]}`;
    if (name === 'a' || name === 'b')
      await run('assignment.create', { user, scope, role: id[`evaluator ${name}`] });
    if (name === 'everywhere') await run('global-role.create', { user, role: id.global });
    token[name] = String((await run('token.create', { user, tokenType: 'api' })).token);
  }
  world.settle();
  world.calls.length = 0;
  return { world, id, token };
}

/** The API on the table of a fixture. */
export const serve = (
  { world }: Pick<Fixture, 'world'>,
  env: Readonly<Record<string, string>> = {},
  overrides: Overrides = {},
): Handle =>
  createHandleFrom(
    { TABLE_NAME: world.table, PUBLIC_URL, ...env },
    {
      reader: world.reader,
      clock: world.clock,
      wait: world.clock.wait,
      random: () => 0,
      log: () => undefined,
      ...overrides,
    },
  );

export interface Sent {
  readonly method?: string;
  /** Undefined for none. */
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or a text as it is. */
  readonly body?: unknown;
}

/** Sends one request and reads the answer. */
export async function send(
  handle: Handle,
  path: string,
  { method = 'POST', token, headers = {}, body }: Sent,
) {
  const all: Record<string, string> = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  };
  const answer = await handle({
    method,
    paths: [path],
    header: (name) => (all[name] === undefined ? [] : [all[name]]),
    body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body ?? '')),
  });
  const isJson = answer.headers['Content-Type'] === 'application/json';
  return { ...answer, json: isJson ? JSON.parse(answer.body) : undefined };
}

export const user = (id: string | undefined) => ({ type: 'user', id: String(id) });
export const record = (id: string | undefined) => ({ type: 'record', id: String(id) });
