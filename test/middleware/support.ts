import { bearer } from '../../middleware/index.ts';
import { AUDIENCE, createIssuer, goodClaims, ISSUER } from '../authorizer/support.ts';
import { createWorld, type World } from '../support/world.ts';

/** Pages that Ann may use where a condition holds. */
const CONDITIONS = {
  office: `context.ip == '127.0.0.1' && context.method == 'GET' && context.userAgent == 'test/1.0'`,
  elsewhere: `context.ip == '198.51.100.1'`,
  mfa: `context.path == '/page/mfa/north' && context.claims.acr == 'mfa'`,
  afternoon: `context.time >= timestamp('2026-01-15T12:00:00Z')`,
  records: 'resource.properties.owner == subject.id',
} as const;

/**
 * A tenant with the locations `north` and `auth0|north`. Ann may use the page `grades`, and others where
 * their conditions hold; Ben exists and may nothing.
 */
export async function createSchool(newWorld: () => Promise<World> = createWorld) {
  const world = await newWorld();
  const { run } = world;
  const issuer = await createIssuer();
  await run('property.create', { of: 'resource:record', name: 'owner', type: 'string', source: 'passed' });
  for (const name of ['grades', 'payroll', ...Object.keys(CONDITIONS)]) await run('page.create', { name });
  await run('tenant.create', { id: 'school', name: 'School' });
  await run('location.create', { id: 'north', name: 'North', parent: 'tenant:school' });
  await run('location.create', { id: 'auth0|north', name: 'Other', parent: 'tenant:school' });
  const role = (await run('role.create', { name: 'teacher', scope: 'tenant:school' })).id;
  await run('role-permission.create', { role, permission: 'grades', effect: 'ALLOW' });
  for (const [permission, when] of Object.entries(CONDITIONS))
    await run('role-permission.create', { role, permission, effect: 'ALLOW', when });
  await run('user.create', { id: 'ann', email: 'ann@school.example' });
  await run('user.create', { id: 'ben' });
  await run('grant.create', { user: 'ann', scope: 'tenant:school', roles: [role] });
  const { id: apiTokenId, token: apiToken } = await run('token.create', { user: 'ann', tokenType: 'api' });
  world.settle();
  const keys = JSON.stringify({ keys: [issuer.jwk] });
  const fetched: string[] = [];
  const fetch = async (address: string) => {
    fetched.push(address);
    return new Response(keys);
  };
  const { clock } = world;
  const who = bearer({ issuer: ISSUER, audience: AUDIENCE }, { clock, fetch });
  /** A token of a user, valid for an hour from now; other claims may be given. */
  const tokenOf = (sub: string, claims: Record<string, unknown> = {}) => {
    const seconds = Math.floor(clock.now() / 1_000);
    return issuer.token(goodClaims({ sub, iat: seconds, exp: seconds + 3_600, ...claims }));
  };
  return { ...world, role, apiToken: String(apiToken), apiTokenId, who, fetched, tokenOf };
}

export type School = Awaited<ReturnType<typeof createSchool>>;

/** An answer of any of the servers. */
export interface Answered {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly text: string;
}

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
