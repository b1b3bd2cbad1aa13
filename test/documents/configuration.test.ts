import { describe, expect, test } from 'vitest';
import { parseConfiguration } from '../../authorizer/configuration.ts';
import { composeFrom, SOCKETS } from '../../authorizer/sockets/compose.ts';
import { OWN, parseAuthzenConfiguration } from '../../authzen/configuration.ts';
import { OF_AUTHORIZER, OF_MIDDLEWARE, OF_SERVICE } from '../../docs/.vitepress/variables.ts';
import { LOCAL, readConfiguration } from '../../local/configuration.ts';
import { fromEnvironment } from '../../middleware/environment.ts';
import { createHandlerFrom, PROVISIONING } from '../../provisioning/compose.ts';
import { createHandleFrom } from '../../scim/compose.ts';
import { SCIM } from '../../scim/configuration.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The names that are read from an environment. */
function namesReadBy(read: (env: Environment) => unknown, environments: readonly Environment[]) {
  const names = new Set<string>();
  const note = (name: string | symbol): string => {
    names.add(String(name));
    return String(name);
  };
  for (const env of environments)
    read(new Proxy(env, { get: (all, name) => all[note(name)], has: (all, name) => note(name) in all }));
  return names;
}

const ISSUERS = JSON.stringify([{ issuer: 'https://issuer.example', audience: 'api' }]);
const ONE = { TABLE_NAME: 'gatehouse', TOKEN_ISSUER: 'https://issuer.example', TOKEN_AUDIENCE: 'api' };
const SEVERAL = { TABLE_NAME: 'gatehouse', TOKEN_ISSUERS: ISSUERS };

const SERVICE = [ONE, SEVERAL, { TABLE_NAME: 'gatehouse' }] as const;

interface Process {
  readonly process: string;
  /** By name: those of its section of docs/configuration.md. */
  readonly variables: object;
  readonly read: (env: Environment) => unknown;
  /** Between them they read all variables. */
  readonly environments: readonly Environment[];
}

const PROCESSES: readonly Process[] = [
  {
    process: 'the authorizer',
    variables: OF_AUTHORIZER,
    read: parseConfiguration,
    environments: [ONE, SEVERAL],
  },
  { process: 'the middleware', variables: OF_MIDDLEWARE, read: fromEnvironment, environments: SERVICE },
  {
    process: 'the AuthZEN API',
    variables: { ...OF_SERVICE, ...OWN.shape },
    read: parseAuthzenConfiguration,
    environments: SERVICE,
  },
  {
    process: 'SCIM',
    variables: SCIM.shape,
    read: (env) => createHandleFrom(env),
    environments: [{ TABLE_NAME: 'gatehouse' }],
  },
  {
    process: 'provisioning',
    variables: { ...PROVISIONING.shape, ...OF_SERVICE },
    read: (env) => createHandlerFrom(env),
    environments: [
      { TABLE_NAME: 'gatehouse' },
      ...[ONE, SEVERAL].map((one) => ({ ...one, OPERATORS: 'token' })),
    ],
  },
  {
    process: 'live revocation',
    variables: SOCKETS.shape,
    read: (env) => composeFrom(env, () => {}),
    environments: [{ TABLE_NAME: 'gatehouse', CONNECTIONS_TABLE: 'connections' }],
  },
  { process: 'the local stack', variables: LOCAL.shape, read: readConfiguration, environments: [{}] },
];

describe.each(PROCESSES)('$process', ({ variables, read, environments }) => {
  const names = Object.keys(variables).sort();

  test('reads the variables that docs/configuration.md is made from, and no other', () => {
    expect([...namesReadBy(read, environments)].sort()).toEqual(names);
  });

  test('an empty variable counts as not set, also one that is required', () => {
    const outcomeOf = (env: Environment): unknown => {
      try {
        return JSON.stringify(read(env));
      } catch (error) {
        return String(error);
      }
    };
    for (const env of environments)
      for (const name of names)
        expect([name, outcomeOf({ ...env, [name]: '' })]).toEqual([
          name,
          outcomeOf({ ...env, [name]: undefined }),
        ]);
  });
});
