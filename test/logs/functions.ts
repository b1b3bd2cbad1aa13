import { createHandlerFrom, type Overrides } from '../../authorizer/index.ts';
import { createHandleFrom } from '../../authzen/compose.ts';
import { EVALUATE } from '../../authzen/questions.ts';
import { startWith } from '../../engine/log.ts';
import { createProvisioning, type ProvisioningOptions } from '../../provisioning/index.ts';
import type { Item } from '../../table/item.ts';
import { AUDIENCE, createIssuer, httpEvent, ISSUER, restRequestEvent, TTL_0 } from '../authorizer/support.ts';
import { createLogged } from '../support/log.ts';
import { createWorld } from '../support/world.ts';

type Environment = Readonly<Record<string, string>>;

const ENV = { TABLE_NAME: 'gatehouse', TOKEN_ISSUER: ISSUER, TOKEN_AUDIENCE: AUDIENCE, RESULT_CACHE: TTL_0 };

/** What the AuthZEN API calls the action `see` on a location. */
const SEE = 'location:see:location';

/** What no log line may hold. */
const PRIVATE = {
  email: 'ann.seeded@example.com',
  name: 'Ann Seeded',
  username: 'ann-seeded-login',
  passwordHash: '$2b$12$SeededSeededSeededSeededSeeded',
  idOfPerson: 'eve.seeded@example.com',
  cookie: 'seeded-cookie-5f1c',
};

const MANIFEST = `
pages: [roster, payroll]
permissions: ["${EVALUATE}", "${SEE}"]
scopes: { North: { type: location, id: north, code: n }, Callers: { type: account } }
roles: { reader: { owner: North, allow: [roster, "${EVALUATE}", "${SEE}"] } }
users:
  ann:
    id: ann
    email: ${PRIVATE.email}
    username: ${PRIVATE.username}
    displayName: ${PRIVATE.name}
    assignments: [{ role: reader, scope: North }]
  eve: { id: ${PRIVATE.idOfPerson} }
technicalUsers: { pep: { id: pep, account: Callers, assignments: [{ role: reader, scope: North }] } }
routes: [{ method: GET, path: "/locations/{id}/{page}", permission: "{page}", scope: "location:{id}" }]
`;

/**
 * The three functions over one table, in which Ann may use the page `roster` at the location North and Eve, whose id is
 * her email, may do nothing; the log lines that they write; and what is private there.
 */
export async function createFunctions() {
  const world = await createWorld(MANIFEST);
  const { run, clock } = world;
  const issuer = await createIssuer();
  const { email, name, passwordHash } = PRIVATE;
  const [ann, eve, north] = ['ann', PRIVATE.idOfPerson, 'north'];
  await run('user.update', { id: ann, passwordHash });
  const api = String((await run('token.create', { user: 'technical-user:pep', tokenType: 'api' })).token);
  world.settle();

  const { log, lines, write, take } = createLogged('provisioning');
  const tokens = new Set<string>([api]);
  const tokenOf = async (claims: Record<string, unknown> = {}): Promise<string> => {
    const at = Math.floor(clock.now() / 1_000);
    const token = await issuer.token({
      sub: ann,
      iat: at,
      exp: at + 600,
      email,
      email_verified: true,
      name,
      ...claims,
    });
    tokens.add(token);
    return token;
  };
  const keySet = JSON.stringify({ keys: [issuer.jwk] });
  const overrides: Overrides = {
    reader: world.reader,
    clock,
    wait: clock.wait,
    random: () => 0,
    log: write,
    fetch: async () => new Response(keySet),
  };
  return {
    world,
    ann,
    eve,
    north,
    lines,
    tokenOf,
    /** The issuer's answer. */
    keys: () => new Response(keySet),
    /** A question of the AuthZEN API: may Ann do this at North? */
    evaluation: (name: string) => ({
      subject: { type: 'user', id: ann },
      action: { name },
      resource: { type: 'location', id: north },
    }),
    /** All private texts, with the tokens that were made. */
    secrets: (): readonly string[] => [...Object.values(PRIVATE), ...tokens],
    authorizer: (env: Environment = {}, changes: Overrides = {}) =>
      createHandlerFrom({ ...ENV, ...env }, { ...overrides, ...changes }),
    authzen: (env: Environment = {}, changes: Overrides = {}) => {
      const handle = createHandleFrom({ ...ENV, ...env }, { ...overrides, ...changes });
      return (path: string, body: unknown, headers: Record<string, string> = {}) => {
        const all: Record<string, string> = {
          authorization: `Bearer ${api}`,
          'content-type': 'application/json',
          ...headers,
        };
        return handle({
          method: 'POST',
          paths: [path],
          query: () => new URLSearchParams(),
          invocationId: 'invocation-1',
          header: (wanted) => (all[wanted] === undefined ? [] : [all[wanted]]),
          body: new TextEncoder().encode(JSON.stringify(body)),
        });
      };
    },
    provisioning: (changes: Partial<ProvisioningOptions> = {}) =>
      createProvisioning({ ...world, newId: () => 'fresh-id', log, ...changes }),
    /** An authorizer that is started with a wrong configuration. */
    startWrong: (env: Environment) =>
      startWith({ service: 'authorizer', write }, () => createHandlerFrom({ ...ENV, ...env }, overrides)),
    event: async (page: string, claims: Record<string, unknown> = {}, place: string = north) =>
      httpEvent('GET', `/locations/${place}/${page}`, {
        authorization: `Bearer ${await tokenOf(claims)}`,
        cookie: `session=${PRIVATE.cookie}`,
      }),
    restEvent: async (page: string, claims: Record<string, unknown> = {}) =>
      restRequestEvent('GET', `/locations/${north}/${page}`, {
        Authorization: [`Bearer ${await tokenOf(claims)}`],
      }),
    /** The lines so far, which are forgotten. */
    take: take as () => Item[],
  };
}

export type Functions = Awaited<ReturnType<typeof createFunctions>>;
