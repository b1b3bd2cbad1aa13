import { describe, expect, test } from 'vitest';
import { parseConfiguration } from '../../authorizer/configuration.ts';
import { parseServiceConfiguration } from '../../authorizer/service-configuration.ts';
import { composeFrom } from '../../authorizer/sockets/compose.ts';
import { parseAuthzenConfiguration } from '../../authzen/configuration.ts';
import { readConfiguration } from '../../local/configuration.ts';
import { createHandlerFrom } from '../../provisioning/compose.ts';
import { textOf } from './documents.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of a section of docs/configuration.md with their defaults, where they are values: if none is there, the authorizer's. */
function variablesOf(section: string): ReadonlyMap<string, string | undefined> {
  const [, text = ''] = textOf('docs/configuration.md').split(`## ${section}\n`);
  const rows = (text.split('\n## ')[0] ?? '').split('\n').filter((line) => /^[|-] `/.test(line));
  return new Map(
    rows.flatMap((row) => {
      const [, names = row, fallback = ''] = row.split('|');
      const value = /^ `([^`]+)` $/.exec(fallback)?.[1];
      return [...names.matchAll(/`([A-Z_]+)`/g)].map(
        ([, name = '']) =>
          [name, fallback.trim() === '' ? variablesOf('Authorizer').get(name) : value] as const,
      );
    }),
  );
}

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
  readonly section: string;
  /** Another section, whose variables it reads too. */
  readonly and?: string;
  readonly read: (env: Environment) => unknown;
  /** Between them they read all variables; the first one takes every one that has a default. */
  readonly environments: readonly [Environment, ...Environment[]];
}

const PROCESSES: readonly Process[] = [
  { section: 'Authorizer', read: parseConfiguration, environments: [ONE, SEVERAL] },
  { section: 'Middleware', read: parseServiceConfiguration, environments: SERVICE },
  { section: 'AuthZEN API', and: 'Middleware', read: parseAuthzenConfiguration, environments: SERVICE },
  {
    section: 'Provisioning',
    and: 'Middleware',
    read: (env) => createHandlerFrom(env),
    environments: [
      { TABLE_NAME: 'gatehouse' },
      ...[ONE, SEVERAL].map((one) => ({ ...one, OPERATORS: 'token' })),
    ],
  },
  {
    section: 'Live revocation',
    read: (env) => composeFrom(env, () => {}),
    environments: [{ TABLE_NAME: 'gatehouse', CONNECTIONS_TABLE: 'connections' }],
  },
  { section: 'Local stack', read: readConfiguration, environments: [{}] },
];

describe.each(PROCESSES)('docs/configuration.md: $section', ({ section, and, read, environments }) => {
  const variables = new Map([...variablesOf(section), ...(and === undefined ? [] : variablesOf(and))]);

  test('names every variable that is read, and no other', () => {
    const names = namesReadBy(read, environments);
    expect([...variables.keys()].sort()).toEqual([...names].sort());
  });

  test('its defaults are what holds when a variable is not set', () => {
    const defaults = [...variables].filter(([, value]) => value !== undefined);
    const [env] = environments;
    if (!['Provisioning', 'Live revocation'].includes(section)) expect(defaults.length).toBeGreaterThan(4);
    for (const [name, value] of defaults)
      expect(JSON.stringify(read({ ...env, [name]: value })), name).toBe(JSON.stringify(read(env)));
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
      for (const name of variables.keys())
        expect([name, outcomeOf({ ...env, [name]: '' })]).toEqual([
          name,
          outcomeOf({ ...env, [name]: undefined }),
        ]);
  });
});
