import type { Overrides } from '../../authorizer/decision-point.ts';
import type { Handle } from '../../authorizer/service/http.ts';
import { createHandleFrom } from '../../authzen/compose.ts';
import { EVALUATE } from '../../authzen/questions.ts';
import { createWorld, type World } from '../support/world.ts';

export const PUBLIC_URL = 'https://pdp.example.com';

/** What stands in the table of these tests: two tenants that know nothing of each other. */
export interface Fixture {
  readonly world: World;
  /** Ids by name, for tests of the stack. */
  readonly id: Readonly<Record<'alice' | 'record-1' | 'tenant a', string>>;
  /** Texts of API tokens by the name of their caller: `a`, `b`, `nobody`, `everywhere`. */
  readonly token: Readonly<Record<string, string>>;
}

const tenantOf = (name: string) => `
  evaluator ${name}: { id: evaluator-${name}, name: evaluator, owner: Tenant ${name}, allow: ["${EVALUATE}"] }
  reader ${name}: { id: reader-${name}, name: reader, owner: Tenant ${name}, allow: ["record:read:record"] }
  writer ${name}:
    name: writer
    owner: Tenant ${name}
    allow: ["record:read:record", "record:write:record", "invoice:approve:invoice"]`;
const MANIFEST = `
scopeTypes: { folder: { parents: [tenant] }, record: { parents: [tenant, folder] } }
permissions:
  ["record:read:record", "record:write:record", "record:delete:record", "invoice:approve:invoice", "${EVALUATE}"]
scopes:
  Callers: { type: account }
  Tenant a: { id: tenant-a, type: tenant }
  Tenant b: { id: tenant-b, type: tenant }
  record-1: { id: record-1, type: record, parent: Tenant a }
  record-2: { id: record-2, type: record, parent: Tenant a }
  folder: { id: folder, type: folder, parent: Tenant a }
  record-3: { id: record-3, type: record, parent: folder }
  record-b: { id: record-b, type: record, parent: Tenant b }
roles:
  caller: { global: true, allow: ["${EVALUATE}"] }${tenantOf('a')}${tenantOf('b')}
users:
  alice: { id: alice, assignments: [{ role: writer a, scope: Tenant a }] }
  bob: { id: bob, assignments: [{ role: reader a, scope: Tenant a }] }
  zoe: { id: zoe, assignments: [{ role: reader b, scope: Tenant b }] }
  stranger: { id: stranger }
technicalUsers:
  a: { id: a, account: Callers, assignments: [{ role: evaluator a, scope: Tenant a }] }
  b: { id: b, account: Callers, assignments: [{ role: evaluator b, scope: Tenant b }] }
  nobody: { id: nobody, account: Callers }
  everywhere: { id: everywhere, account: Callers, globalRoles: [caller] }
`;

/**
 * Tenant A has `record-1`, `record-2`, and `record-3` below a folder; alice reads and writes all of them and bob
 * reads. Tenant B has `record-b`, which zoe reads. Caller `a` may evaluate in A, `b` in B, `everywhere` in both,
 * `nobody` nowhere.
 */
export async function createFixture(open: () => Promise<World> = createWorld): Promise<Fixture> {
  const world = await open();
  await world.apply(MANIFEST);
  const { run } = world;
  const token: Record<string, string> = {};
  for (const name of ['a', 'b', 'nobody', 'everywhere']) {
    const user = `technical-user:${name}`;
    token[name] = String((await run('token.create', { user, tokenType: 'api' })).token);
  }
  world.settle();
  world.calls.length = 0;
  return { world, token, id: { alice: 'alice', 'record-1': 'record-1', 'tenant a': 'tenant-a' } };
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
    query: () => new URLSearchParams(),
    header: (name) => (all[name] === undefined ? [] : [all[name]]),
    body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body ?? '')),
  });
  const isJson = answer.headers['Content-Type'] === 'application/json';
  return { ...answer, json: isJson ? JSON.parse(answer.body) : undefined };
}

export const user = (id: string) => ({ type: 'user', id });
export const record = (id: string) => ({ type: 'record', id });

/** A question that is allowed: may Alice read the first record? */
export const QUESTION = { subject: user('alice'), action: { name: 'read' }, resource: record('record-1') };
