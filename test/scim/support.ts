import type { Handle } from '../../authorizer/service/http.ts';
import { createPort } from '../../scim/compose.ts';
import { createHandle, type HandleParts } from '../../scim/http.ts';
import { createLogged } from '../support/log.ts';
import { createMemoryWorld, type World } from '../support/world.ts';

export const PUBLIC_URL = 'https://scim.example.com';

export const ISSUER = 'https://login.example.com';

/** Two tenants, each with a domain, a connection and its credential. */
const MANIFEST = `
scopes:
  tenant a: { id: a, type: tenant }
  tenant b: { id: b, type: tenant }
`;

/** The server over a table with two connections, `a` and `b`, of two tenants. */
export async function createFixture() {
  const world = createMemoryWorld();
  await world.apply(MANIFEST);
  const token = { a: await connect(world, 'a', 'example.com'), b: await connect(world, 'b', 'example.org') };
  const port = createPort(world.reader, world.clock, world.provision);
  /** Another server on the same table. */
  const serve = (changes: Partial<HandleParts>) => {
    const { log, lines } = createLogged('scim');
    const handle = createHandle({ port, publicUrl: PUBLIC_URL, clock: world.clock, log, ...changes });
    const as = (shown: string | undefined) => client(handle, shown);
    return { handle, lines, as, a: as(token.a), b: as(token.b) };
  };
  /** Transactions up to now. */
  const writes = () => world.calls.filter(({ operation }) => operation === 'TransactWriteItems').length;
  return { world, clock: world.clock, port, writes, token, serve, ...serve({}) };
}

export type Fixture = Awaited<ReturnType<typeof createFixture>>;

/** Makes a connection of a tenant, and answers with its credential. */
export async function connect(
  { run, clock }: Pick<World, 'run' | 'clock'>,
  id: string,
  domain: string,
  issuer = ISSUER,
): Promise<string> {
  const scope = `tenant:${id}`;
  await run('domain.create', { name: domain, tenant: scope });
  const lastSyncAt = new Date(clock.now()).toISOString();
  await run('scim-connection.create', { id, scope, name: id, issuer, lastSyncAt });
  return String((await run('scim-credential.create', { connection: id })).token);
}

/** Sends a request, and reads the answer. The path is the one after `/scim/v2`. */
export const client =
  (handle: Handle, token: string | undefined) =>
  async (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const all: Record<string, string> = {
      'content-type': 'application/scim+json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    };
    const [before = '', query] = `/scim/v2${path}`.split(/\?(.*)/s);
    const answer = await handle({
      method,
      paths: [before],
      query: () => new URLSearchParams(query),
      header: (name) => (all[name] === undefined ? [] : [all[name]]),
      body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body ?? '')),
    });
    return { ...answer, json: answer.body === '' ? undefined : JSON.parse(answer.body) };
  };

export type Client = ReturnType<typeof client>;

/** A PATCH with these operations. */
export const patchOf = (...Operations: readonly unknown[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const IDENTITY = 'urn:ietf:params:scim:schemas:extension:gatehouse:2.0:User';

/** Makes a user, and answers with its id. */
export async function userOf(send: Client, userName: string, more: object = {}): Promise<string> {
  const { status, json } = await send('POST', '/Users', { schemas: [USER], userName, ...more });
  if (status !== 201) throw new Error(JSON.stringify(json));
  return json.id;
}

export async function groupOf(
  send: Client,
  displayName: string,
  ...members: readonly string[]
): Promise<string> {
  const { status, json } = await send('POST', '/Groups', {
    schemas: [GROUP],
    displayName,
    members: members.map((value) => ({ value })),
  });
  if (status !== 201) throw new Error(JSON.stringify(json));
  return json.id;
}

/** The ids of a group's members. */
export async function membersOf(send: Client, id: string): Promise<readonly string[]> {
  const { json } = await send('GET', `/Groups/${id}`);
  return (json.members ?? []).map(({ value }: { readonly value: string }) => value).sort();
}
