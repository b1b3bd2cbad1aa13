import { createModel } from '../../explorer/playground/model.ts';
import type { PolicyShown } from '../../explorer/service/index.ts';

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
roles: { writer: { owner: acme, allow: [read, { permission: write, when: "cidr('192.0.2.0/24').containsIP(context.ip)" }] } }
users: { ann: { id: ann, grants: { acme: [writer] } }, ben: { id: ben } }
routes: [{ method: GET, path: "/{tenant}/texts", permission: read, scope: "tenant:{tenant}" }]
`;
const TESTS = `tests:
  - { subject: ann, permission: write, scope: acme, context: { ip: 192.0.2.7 }, expect: allow }
  - { subject: ann, permission: write, scope: acme, context: { ip: 198.51.100.7 }, expect: deny }
  - { subject: ben, permission: read, scope: acme, expect: no_grant }
`;

/**
 * The playground without its page: a manifest as it is typed, model tests, a token, and the policy of a caller. What
 * browser.integration.test.ts bundles for a browser and runs with nothing but what browsers have.
 */
export async function playInBrowser(): Promise<unknown> {
  const { update, service } = createModel({ now: Date.now });
  const [bad, good] = [
    await update({ manifest: MANIFEST.replace('owner: acme', 'owner: acne'), tests: TESTS }),
    await update({ manifest: MANIFEST, tests: TESTS }),
  ];
  const shown = await service('policy', { subject: 'user:ann', api: 'default' });
  const input = { user: 'ann', tokenType: 'api' };
  return {
    token: (await service('command', { command: 'token.create', input })).ok,
    problems: bad.problems.map(({ text, line }) => `${text}:${line}`),
    passed: good.tests.map(({ passed }) => passed),
    policy: shown.ok && (shown.result as PolicyShown).answer?.policyDocument.Statement,
  };
}
