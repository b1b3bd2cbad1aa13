import { describe, expect, test } from 'vitest';
import { describeCommands } from '../../provisioning/documents/commands.ts';
import { COMMANDS, mayTakeAway, takesAway } from '../../provisioning/index.ts';

/** Commands that take access or data away say so, and how to bring it back. */
const WRITES = [...COMMANDS.values()].filter((command) => command.kind === 'write');
const destructive = WRITES.filter((command) => command.destructive !== undefined);
const described = new Map(describeCommands().map(({ name, undo }) => [name, undo]));

test('every command that deletes, revokes or moves is destructive', () => {
  const takesAway = WRITES.filter(({ name }) => /\.(?:delete|delete-tree|revoke|move)$/.test(name));
  expect(takesAway.length).toBeGreaterThan(40);
  for (const { name, destructive: marked } of takesAway) {
    expect(marked, name).toBeDefined();
    expect([marked?.when, marked?.possiblyWhen], name).toEqual([undefined, undefined]);
  }
});

test('so is every change of a status to another one than active', () => {
  const conditional = destructive.filter(
    ({ name, destructive: marked }) => name.endsWith('.update') && marked?.when?.({ status: 'suspended' }),
  );
  expect(conditional.map(({ name }) => name.replace('.update', ''))).toEqual([
    ...['tenant', 'location', 'client', 'project', 'building', 'zone', 'device', 'account', 'enterprise'],
    ...['workstream', 'scope', 'user', 'technical-user', 'subject', 'subscription', 'license', 'product'],
    ...['service', 'session'],
  ]);
  for (const { name, destructive: marked } of conditional) {
    expect(marked?.when?.({ status: 'active' }), name).toBe(false);
    expect(marked?.when?.({ name: 'Another' }), name).toBe(false);
    expect(marked?.when?.({ status: 'suspended' }), name).toBe(true);
  }
});

test('a change of what else access rests on may be', () => {
  const possible = destructive.filter(({ destructive: marked }) => marked?.possiblyWhen);
  const may = (name: string, input: object) => mayTakeAway(COMMANDS.get(name), { ...input });
  for (const { name, destructive: marked } of possible) {
    expect(marked?.when?.({ name: 'Another' }), name).toBe(false);
    expect(may(name, { name: 'Another' }), name).toBe(false);
  }
  expect(may('user.update', { endsAt: '2030-01-01' })).toBe(true);
  expect(may('assignment.update', { endsAt: null })).toBe(true);
  expect(may('grant.update', { roles: [] })).toBe(true);
  expect(may('role.update', { parent: null })).toBe(true);
  expect(may('module.update', { soldBySubscription: true })).toBe(true);
  expect(may('page.update', { module: 'sold' })).toBe(true);
  expect(may('tenant.update', { combination: 'deny-overrides' })).toBe(true);
  expect(may('role-permission.update', { effect: 'DENY' })).toBe(true);
  expect(may('role-permission.create', { effect: 'DENY' })).toBe(true);
  expect(may('role-permission.update', { when: 'context.ip == "10.0.0.1"' })).toBe(true);
  expect(may('role-permission.update', { when: null })).toBe(true);
  for (const type of ['user', 'technical-user', 'location', 'scope'])
    expect(may(`${type}.update`, { properties: {} }), type).toBe(true);
  expect(may('role-permission.create', { effect: 'ALLOW' })).toBe(false);
  expect(takesAway(COMMANDS.get('user.update'), { endsAt: '2030-01-01' })).toBe(false);
});

test('an apply is where it prunes, and a transaction where one of its commands is', () => {
  const isDestructive = (name: string, input: object) => takesAway(COMMANDS.get(name), { ...input });
  expect(isDestructive('tenant.apply', { manifest: {} })).toBe(false);
  expect(isDestructive('tenant.apply', { manifest: {}, prune: true })).toBe(true);
  const removal = { command: 'role.delete', input: {} };
  expect(isDestructive('transaction.write', { commands: [{ command: 'user.create', input: {} }] })).toBe(
    false,
  );
  expect(isDestructive('transaction.write', { commands: [removal] })).toBe(true);
});

describe.each(destructive)('$name', ({ name, destructive: marked }) => {
  test('names its undo: commands that there are, or none', () => {
    const undo = String(marked?.undo);
    const named = undo.match(/\b[a-z-]+\.[a-z-]+\b/g) ?? [];
    expect(undo.startsWith('none: ') || named.length > 0, undo).toBe(true);
    for (const each of named) expect([...COMMANDS.keys()], undo).toContain(each);
    expect(described.get(name)).toBe(undo);
  });
});
