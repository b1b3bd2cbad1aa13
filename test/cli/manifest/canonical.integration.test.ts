import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createLightWorld } from '../../support/world.ts';
import { fileOf, gatehouse, removeFiles } from '../support.ts';

afterAll(removeFiles);

/** The same content is said forwards, and backwards. */
const FORWARDS = `
pages: [dashboard, menu]
permissions: ["records:read:record", "records:write:record"]
scopes:
  Acme: { type: tenant, id: acme }
  Bell: { type: tenant, id: bell }
roles:
  clerk: { id: clerk, owner: Acme, name: Clerk, allow: [dashboard, "records:read:record"], deny: [menu] }
  guest: { id: guest, owner: Acme, name: Guest, allow: [dashboard] }
groups:
  Staff: { id: staff, scope: Acme, roles: [clerk, guest] }
users:
  ann@example.com: { id: ann, groups: [Staff], grants: { Acme: [clerk, guest] } }
  ben@example.com: { id: ben, grants: { Bell: [] } }
routes:
  - { method: GET, path: /a, permission: dashboard, scope: "tenant:acme" }
  - { method: GET, path: /b, permission: menu, scope: "tenant:acme" }
`;
const backwards = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(backwards).reverse();
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, of]) => [key, backwards(of)] as const);
  return Object.fromEntries(entries.reverse());
};
const BACKWARDS = JSON.stringify(backwards(parse(FORWARDS)));

async function tableOf(manifest: string) {
  const world = await createLightWorld();
  const run = async (...args: readonly string[]) =>
    gatehouse(args, { env: { TABLE_NAME: world.table }, now: world.clock.now });
  const applied = await run('apply', fileOf(manifest), '--yes');
  expect(applied).toMatchObject({ code: 0 });
  return run;
}

test('two tables with the same content export the same file, whatever was written first', async () => {
  const [one, other] = [await tableOf(FORWARDS), await tableOf(BACKWARDS)];
  const exported = (await one('export')).out;
  expect((await other('export')).out).toBe(exported);
  // Promotion: what one table holds is what the other one should; nothing is left to do.
  expect(await other('plan', fileOf(exported), '--prune')).toMatchObject({ code: 0 });
});

test('drift: what was changed by hand differs in the export, and plan takes back what the file says', async () => {
  const run = await tableOf(FORWARDS);
  const approved = (await run('export')).out;
  expect(await run('revoke-user', 'ben@example.com', '--yes')).toMatchObject({ code: 0 });
  const disabled = (await run('export')).out;
  expect(disabled).toContain('status: disabled');
  // A manifest does not say that a user is active, so a plan leaves the status as it is: compare the exports.
  expect(await run('plan', fileOf(approved), '--prune')).toMatchObject({ code: 0 });
  expect(disabled).not.toBe(approved);
  const left = await run('command', 'membership.delete', 'user=user:ann', 'group=staff', '--yes');
  expect(left).toMatchObject({ code: 0 });
  const { code, out } = await run('plan', fileOf(approved), '--prune', '--json');
  expect(code).toBe(1);
  expect(JSON.parse(out).steps).toHaveLength(1);
});
