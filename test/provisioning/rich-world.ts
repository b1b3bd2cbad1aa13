import { createKinds, TYPES } from './kinds.ts';
import type { LedgerWorld } from './support.ts';

/** What else may be tied to what: a robot and a person have it all. */
const MANIFEST = `
modules: { sold: { sold: true } }
permissions: ["robots:drive:hall"]
scopes:
  Of robots: { id: of-robots, type: account }
  Elsewhere: { type: tenant }
roles:
  of robots: { owner: Of robots, allow: ["robots:*:hall"], deny: ["robots:drive:hall"] }
  there: { owner: Elsewhere }
  everywhere: { global: true, deny: ["*:*:*"] }
groups: { all: { scope: Elsewhere, roles: [there] } }
technicalUsers:
  robot:
    id: robot
    account: Of robots
    groups: [all]
    globalRoles: [everywhere]
    assignments: [{ role: of robots, scope: Of robots }]
    grants: { Elsewhere: [there] }
users: { root: { id: root, email: root@example.com, admin: true, groups: [all], globalRoles: [everywhere] } }
`;

/** One of each kind, and what else may be tied to what. */
export async function furnishRichly(world: LedgerWorld): Promise<void> {
  const kinds = createKinds(world);
  for (const type of TYPES) await world.run(`${type}.create`, (await kinds[type]?.create()) ?? {});
  await world.apply(MANIFEST);
  const token = { user: 'technical-user:robot', tokenType: 'api', tenant: 'account:of-robots' };
  const { id } = await world.run('token.create', token);
  await world.run('token.create', token);
  await world.run('token.revoke', { id });
  await world.run('user.update', { id: 'root', passwordHash: 'of root', mfaSecret: 'sealed' });
}
