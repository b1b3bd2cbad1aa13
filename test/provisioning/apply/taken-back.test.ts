import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { commandsOf } from '../../support/world.ts';
import { allowedIn, createMemoryWorld, exportOn } from './support.ts';

/** An export from before an apply takes it back. */
const BEFORE = `
pages: [vault]
properties: [{ of: "subject:user", name: team, type: string, source: stored }]
scopes: { acme: { type: tenant, id: acme } }
roles:
  reader: { id: reader, owner: acme, allow: [{ permission: vault, when: 'subject.properties.team == "red"' }] }
  guest: { id: guest, owner: acme, allow: [vault] }
users: { eve: { id: eve, tenant: acme, grants: { acme: [reader] } } }
`;
const AFTER = `${BEFORE.replace('tenant: acme,', 'tenant: acme, properties: { team: red },')}
modules: [safes]
groups: { all: { scope: acme, everyone: true, roles: [guest] } }
subscriptions: [{ scope: acme, module: safes }]
settings: [{ scope: acme, key: colour, value: red }]
`;

test('with the sections that were empty, and the properties that nobody had', async () => {
  const world = createMemoryWorld();
  const { run, apply } = commandsOf(world);
  const allowed = () => allowedIn(world, ['user:eve'], ['vault'], ['tenant:acme']);
  await apply(BEFORE);
  const before = await exportOn(world);
  await apply(AFTER);
  expect(await allowed()).not.toEqual(new Set());
  await run('tenant.apply', { manifest: parse(stringify(before)), prune: true });
  expect(await allowed()).toEqual(new Set());
  // What belongs to no tenant stays.
  expect(await exportOn(world)).toEqual({ ...before, modules: { safes: {} } });
});
