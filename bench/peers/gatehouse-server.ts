import { provisionedOn } from '../../cli/provisioning.ts';
import { createProvisioner } from '../../local/sample/provision.ts';
import { createPacing } from '../../table/read/pacing.ts';
import { builtCli } from '../harness/built.ts';
import { PATIENCE_MS } from '../harness/engine.ts';
import { decisionItems, writeTable } from '../model/table.ts';
import type { Question, World } from '../model/world.ts';
import { type PeerServer, startPeer } from './peer.ts';

const EVALUATE = 'gatehouse:evaluate:decision';

/**
 * `gatehouse serve` as a process of its own, on a table of the embedded engine. Its caller has an API token
 * and may evaluate everywhere.
 */
export async function startGatehouse(
  world: World,
  ttlSeconds: number,
  endpoint: string,
): Promise<PeerServer> {
  const table = `authzen-${ttlSeconds}`;
  const { client } = await writeTable(endpoint, table, decisionItems(world));
  const { provisioning } = provisionedOn(client, table, Date.now, createPacing({ deadlineMs: PATIENCE_MS }));
  const token = await createCaller(createProvisioner(provisioning));
  return startPeer({
    words: (http) => [builtCli(), 'serve', '--port', String(http)],
    env: { TABLE_NAME: table, DYNAMODB_ENDPOINT: endpoint, CACHE_TTL_SECONDS: String(ttlSeconds) },
    health: '/healthz',
    fill: async (url) => {
      const target = { url: `${url}/access/v1/evaluation`, token, allowed: /"decision":true/ };
      return { target, bodyOf: questionOf };
    },
  });
}

/** A technical user with a role that may evaluate everywhere; the text of its token. */
async function createCaller(provision: ReturnType<typeof createProvisioner>): Promise<string> {
  const { id: account } = await provision('account.create', 'callers', { name: 'callers' });
  await provision('permission.create', EVALUATE, { name: EVALUATE });
  const { id: role } = await provision('role.create', 'caller', { name: 'caller', scope: 'global' });
  await provision('role-permission.create', 'caller', { role, permission: EVALUATE, effect: 'ALLOW' });
  const named = { account: `account:${account}`, name: 'caller' };
  const user = `technical-user:${(await provision('technical-user.create', 'caller', named)).id}`;
  await provision('global-role.create', 'caller', { user, role });
  const { token } = await provision('token.create', 'caller', { user, tokenType: 'api' });
  return String(token);
}

/** An evaluation as the AuthZEN API takes it. */
export function questionOf({ subject, permission, scope }: Question): string {
  const entity = (ref: string) => ({ type: ref.split(':')[0], id: ref.split(':')[1] });
  return JSON.stringify({
    subject: entity(subject),
    action: { name: permission.split(':')[1] },
    resource: entity(scope),
  });
}
