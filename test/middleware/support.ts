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
  // It holds where nothing is given.
  unowned: '!has(resource.properties.owner)',
} as const;

const MANIFEST = {
  pages: ['grades', 'payroll', ...Object.keys(CONDITIONS)],
  properties: [{ of: 'resource:record', name: 'owner', type: 'string', source: 'passed' }],
  scopes: {
    School: { id: 'school', type: 'tenant' },
    North: { id: 'north', type: 'location', parent: 'School' },
    Other: { id: 'auth0|north', type: 'location', parent: 'School' },
  },
  roles: {
    teacher: {
      id: 'teacher',
      owner: 'School',
      allow: ['grades', ...Object.entries(CONDITIONS).map(([permission, when]) => ({ permission, when }))],
    },
  },
  users: {
    ann: { id: 'ann', email: 'ann@school.example', grants: { School: ['teacher'] } },
    ben: { id: 'ben' },
  },
};

/**
 * A tenant with the locations `north` and `auth0|north`. Ann may use the page `grades`, and others where
 * their conditions hold; Ben exists and may nothing.
 */
export async function createSchool(newWorld: () => Promise<World> = createWorld) {
  const world = await newWorld();
  const issuer = await createIssuer();
  await world.apply(JSON.stringify(MANIFEST));
  world.settle();
  const keys = JSON.stringify({ keys: [issuer.jwk] });
  const fetch = async () => new Response(keys);
  const { clock } = world;
  const who = bearer({ issuer: ISSUER, audience: AUDIENCE }, { clock, fetch });
  /** A token of a user, valid for an hour from now; other claims may be given. */
  const tokenOf = (sub: string, claims: Record<string, unknown> = {}) => {
    const seconds = Math.floor(clock.now() / 1_000);
    return issuer.token(goodClaims({ sub, iat: seconds, exp: seconds + 3_600, ...claims }));
  };
  return { ...world, role: 'teacher', who, tokenOf };
}

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
