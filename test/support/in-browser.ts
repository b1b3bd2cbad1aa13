import { createEngine } from '../../engine/index.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import { createMemoryTable } from '../../table/memory/index.ts';

/** The door with keys, entities and access patterns goes along. */
export * as table from '../../table/index.ts';

/**
 * A tenant with a user who may see one of two pages, and another from one address, written and asked in memory: what browser.integration.test.ts
 * bundles for a browser and runs with nothing but what browsers have.
 */
export async function decideInBrowser(): Promise<readonly unknown[]> {
  const { reader, writer } = createMemoryTable();
  const clock = { now: Date.now };
  let ids = 0;
  const newId = (): string => {
    ids += 1;
    return `01J8Z0E2Z8D2A3J7A7Y2H${String(ids).padStart(5, '0')}`;
  };
  const provision = createProvisioning({ reader, writer, clock, newId, newSecret: () => 'A'.repeat(43) });
  const run = async (command: string, input: Readonly<Record<string, unknown>>): Promise<string> => {
    const answer = await provision({ command, input });
    if (!answer.ok) throw new Error(`${command}: ${answer.error.code} ${answer.error.message}`);
    return String((answer.result as { readonly id?: unknown }).id);
  };
  for (const name of ['grades', 'payroll', 'settings']) await run('page.create', { name });
  const tenant = `tenant:${await run('tenant.create', { name: 'Acme' })}`;
  const role = await run('role.create', { name: 'teacher', scope: tenant });
  await run('role-permission.create', { role, permission: 'grades', effect: 'ALLOW' });
  const when = "cidr('192.0.2.0/24').containsIP(context.ip)";
  await run('role-permission.create', { role, permission: 'payroll', effect: 'ALLOW', when });
  const user = await run('user.create', { email: 'ann@example.com' });
  await run('grant.create', { user, scope: tenant, roles: [role] });
  await run('token.create', { user, tokenType: 'api' });
  const engine = createEngine({ reader, clock, random: () => 0 });
  const decisions = [];
  for (const permission of ['grades', 'payroll', 'settings']) {
    const given = { context: { ip: '192.0.2.7' } };
    const { allowed, reason } = await engine.check(`user:${user}`, permission, tenant, given);
    decisions.push({ permission, allowed, reason });
  }
  return decisions;
}
