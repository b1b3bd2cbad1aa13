import type { SampleStack } from '../../../local/sample/stack.ts';
import type { Visitor } from './visitor.ts';

/**
 * Creates a tenant while the stack runs: its user is allowed, and refused after the membership is deleted.
 */
export async function walkNewTenant(
  { school }: SampleStack,
  visitor: Visitor,
  cacheTtlSeconds: number,
): Promise<void> {
  const { check, expectStatus, invoke, provision } = visitor;
  const tenant = await provision('tenant.create', { name: 'Initech' });
  const place = await provision('location.create', { name: 'Office', parent: `tenant:${tenant.id}` });
  const other = await provision('location.create', { name: 'Annex', parent: `tenant:${tenant.id}` });
  await provision('page.create', { name: 'stapler' });
  const role = await provision('role.create', { name: 'keeper', scope: `tenant:${tenant.id}` });
  await provision('role-permission.create', { role: role.id, permission: 'stapler', effect: 'ALLOW' });
  const group = await provision('group.create', { scope: `location:${place.id}`, name: 'keepers' });
  await provision('group-role.create', { group: group.id, role: role.id });
  const user = await provision('user.create', { email: 'milton@initech.example' });
  await provision('membership.create', { user: user.id, group: group.id });
  const stapler = (location: string) => `/locations/${location}/pages/stapler`;
  await expectStatus(200, 'milton@initech.example', stapler(place.id));
  await expectStatus(403, 'milton@initech.example', stapler(other.id));
  await expectStatus(403, 'milton@initech.example', `/locations/${place.id}/pages/dashboard`);
  await expectStatus(403, 'milton@initech.example', stapler(school.north));

  await provision('membership.delete', { user: user.id, group: group.id });
  await new Promise((resolve) => setTimeout(resolve, cacheTtlSeconds * 1_000 + 50));
  await expectStatus(403, 'milton@initech.example', stapler(place.id));

  const refused = (await invoke('provisioning', {
    command: 'user.create',
    input: { email: 'tina@school.example' },
  })) as {
    ok: boolean;
    error?: { code: string; field: string };
  };
  check(
    'a second user with the same email is a conflict',
    refused.error?.code === 'conflict' && refused.error.field === 'email',
    refused,
  );
}
