import { createEngine } from '../../engine/index.ts';
import { createModel } from '../../explorer/playground/model.ts';
import type { PolicyShown } from '../../explorer/service/index.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import { createMemoryTable } from '../../table/memory/index.ts';

/** All entries that the explorer imports go along. */
export * as policies from '../../authorizer/policies/index.ts';
export * as engine from '../../engine/index.ts';
export * as provisioning from '../../provisioning/index.ts';
export * as table from '../../table/index.ts';
export * as memory from '../../table/memory/index.ts';
export * as model from '../../testing/model.ts';

const MANIFEST = `# Everybody reads, and Ann may write.
pages: [read, write]
scopes: { acme: { id: acme, type: tenant } }
roles: { writer: { owner: acme, allow: [read, write] } }
users: { ann: { id: ann, grants: { acme: [writer] } }, ben: { id: ben } }
routes: [{ method: GET, path: "/{tenant}/texts", permission: read, scope: "tenant:{tenant}" }]
`;
const TESTS = 'tests: [{ subject: ann, permission: write, scope: acme, expect: allow }]';

/** The playground without its page: a manifest as it is typed, a model test, and the policy of a caller. */
export async function playInBrowser(): Promise<unknown> {
  const { update, service } = createModel({ now: Date.now });
  const [bad, good] = [
    await update({ manifest: MANIFEST.replace('owner: acme', 'owner: acne'), tests: TESTS }),
    await update({ manifest: MANIFEST, tests: TESTS }),
  ];
  const shown = await service('policy', { subject: 'user:ann', api: 'default' });
  return {
    problems: bad.problems.map(({ text, line }) => `${text}:${line}`),
    passed: good.tests.map(({ passed }) => passed),
    policy: shown.ok && (shown.result as PolicyShown).answer?.policyDocument.Statement,
  };
}

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
