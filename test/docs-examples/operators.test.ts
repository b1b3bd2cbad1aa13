import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS } from '../../provisioning/index.ts';
import { permissionOf } from '../../provisioning/operators/operator.ts';
import { createOperatorsWorld } from '../provisioning/operators.ts';
import { createLedgerWorld } from '../provisioning/support.ts';

/** docs/examples/operators.manifest.yaml: every permission of a command, and roles that may what they say. */
const manifest = parse(
  readFileSync(new URL('../../docs/examples/operators.manifest.yaml', import.meta.url), 'utf8'),
);

test('it registers the permission of every command, and no other', () => {
  // A transaction needs what its parts need.
  const names = [...COMMANDS.keys()].filter((name) => name !== 'transaction.write').map(permissionOf);
  expect(Object.keys(manifest.permissions).sort()).toEqual(names.sort());
});

test('its roles may what they say, where they are granted', async () => {
  const world = await createOperatorsWorld(await createLedgerWorld());
  const { run, outcome, tokens } = world;
  // The scope is there already, under another name.
  const { scopes: _, ...rest } = manifest;
  await run('tenant.apply', { manifest: rest });
  await run('group.create', { id: 'night', scope: 'tenant:acme', name: 'night' });
  const { items } = (await run('role.list', { scope: 'tenant' })) as unknown as {
    items: { id: string; name: string }[];
  };
  for (const name of ['tenant administrator', 'support', 'auditor']) {
    const user = name.replace(' ', '-');
    await run('user.create', { id: user });
    const role = items.find((each) => each.name === name)?.id;
    await run('grant.create', { user, scope: 'tenant:acme', roles: [role] });
    const { id, token } = await run('token.create', { user, tokenType: 'api' });
    tokens[user] = { id, text: String(token) };
  }
  const join = ['membership.create', { user: 'bob', group: 'night' }] as const;
  const group = ['group.create', { scope: 'tenant:acme', name: 'day' }] as const;
  const log = ['audit.list', { tenant: 'tenant:acme' }] as const;
  const end = ['tenant.delete', { id: 'acme' }] as const;
  const may = async (user: string) => {
    const outcomes: string[] = [];
    for (const [command, input] of [join, group, log, end])
      outcomes.push((await outcome(user, command, input, { dryRun: true })).split(' ')[0] ?? '');
    return outcomes;
  };
  expect({
    'tenant-administrator': await may('tenant-administrator'),
    support: await may('support'),
    auditor: await may('auditor'),
  }).toEqual({
    'tenant-administrator': ['ok', 'ok', 'ok', 'not_permitted'],
    support: ['ok', 'not_permitted', 'ok', 'not_permitted'],
    auditor: ['not_permitted', 'not_permitted', 'ok', 'not_permitted'],
  });
});
