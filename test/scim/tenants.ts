import { createPort } from '../../scim/compose.ts';
import { createHandle } from '../../scim/http.ts';
import { createLogged } from '../support/log.ts';
import { commandsOf, type World } from '../support/world.ts';
import { client, connect } from './support.ts';

/** A tenant with a domain and a connection. */
export interface Tenant {
  /** Its own and that of its connection. */
  readonly id: string;
  /** The first label of its domain. */
  readonly name: string;
  /** Of its connection. */
  readonly token: string;
}

/** Makes a tenant whose connection has been noted now. */
export async function makeTenant(
  world: Pick<World, 'run' | 'clock'>,
  name: string,
  id = name,
): Promise<Tenant> {
  await world.run('tenant.create', { id, name });
  const token = await connect(world, id, `${name}.example`, `https://login.${name}.example`);
  return { id, name, token };
}

type Served = Pick<World, 'reader' | 'writer' | 'clock' | 'newSecret'>;

/** A server process over a table: what it knows is the table's, so that another one goes on where it was stopped. */
export function serve(
  world: Served,
  provision: Parameters<typeof createPort>[2] = commandsOf(world).provision,
) {
  const { log, lines } = createLogged('scim');
  const port = createPort(world.reader, world.clock, provision);
  const handle = createHandle({ port, publicUrl: 'https://scim.example.com', clock: world.clock, log });
  return { handle, lines, as: ({ token }: Tenant) => client(handle, token) };
}
