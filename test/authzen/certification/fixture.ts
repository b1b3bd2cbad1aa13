import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { EVALUATE } from '../../../authzen/questions.ts';
import type { World } from '../../support/world.ts';

/** The fixture of the certification scenario (its section 2), as `gatehouse serve` takes it. */
export const MANIFEST = fileURLToPath(
  new URL('../../../docs/examples/authzen-certification.manifest.yaml', import.meta.url),
);

/**
 * Applies the fixture to a table.
 *
 * @returns the API token of a caller that may evaluate in it
 */
export async function createCertificationFixture({ run }: Pick<World, 'run'>): Promise<string> {
  await run('tenant.apply', { manifest: parse(readFileSync(MANIFEST, 'utf8')) });
  const scope = 'tenant:records';
  await run('permission.create', { name: EVALUATE });
  await run('role.create', { id: 'evaluator', name: 'evaluator', scope });
  await run('role-permission.create', { role: 'evaluator', permission: EVALUATE, effect: 'ALLOW' });
  await run('account.create', { id: 'callers', name: 'Callers' });
  await run('technical-user.create', { id: 'gateway', account: 'account:callers', name: 'gateway' });
  const user = 'technical-user:gateway';
  await run('assignment.create', { user, scope, role: 'evaluator' });
  return String((await run('token.create', { user, tokenType: 'api' })).token);
}
