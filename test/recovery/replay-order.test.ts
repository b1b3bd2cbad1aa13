import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../provisioning/index.ts';
import { createCollection, replay, type Sent } from '../../provisioning/replay/index.ts';
import { concernsAccess } from '../../provisioning/replay/rules.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { createMemoryWorld } from '../support/world.ts';

/** The removals of a tree of scopes, from below, at one instant: the ids of the records do not tell their order. */
function collectionOf(scopes: readonly string[]) {
  const at = '2026-01-01T00:00:00.000Z';
  const collection = createCollection(Date.parse(at));
  for (const [index, id] of scopes.entries()) {
    const entity = { type: 'location', id };
    const record = { id: `record-${index}`, action: 'location.delete', entity, at, before: { id } };
    collection.add({ kind: 'change', record });
  }
  return collection;
}

/** A table of scopes, each with its parent; a scope with a child is not deleted. */
function tableOf(parents: ReadonlyMap<string, string | undefined>) {
  const left = new Map(parents);
  const calls: unknown[] = [];
  return {
    reader: createMemoryWorld().reader,
    left,
    calls,
    read: async ({ input }: Sent) => (left.has(String(input.id)) ? { id: input.id } : undefined),
    write: async ({ input: { id } }: Sent) => {
      calls.push(id);
      if ([...left.values()].includes(String(id))) return { message: 'it has children' };
      return left.delete(String(id)) ? ('done' as const) : ('gone' as const);
    },
  };
}

const TREE = new Map([
  ['top', undefined],
  ['middle', 'top'],
  ['bottom', 'middle'],
]);

test('removals of one instant that stand in the wrong order are all carried out', async () => {
  const { left, ...table } = tableOf(TREE);
  const { replayed, refused } = await replay(collectionOf(['top', 'middle', 'bottom']), table);
  expect(replayed.map(({ input }) => input.id)).toEqual(['bottom', 'middle', 'top']);
  expect(refused).toEqual([]);
  expect(left.size).toBe(0);
});

test('what stays refused is reported once, and is sent again only while something else succeeds', async () => {
  const { calls, ...table } = tableOf(TREE);
  const { replayed, refused } = await replay(collectionOf(['top', 'middle']), table);
  expect(replayed).toEqual([]);
  expect(refused).toEqual([
    { command: 'location.delete', input: { id: 'top' }, message: 'it has children' },
    { command: 'location.delete', input: { id: 'middle' }, message: 'it has children' },
  ]);
  expect(calls).toEqual(['top', 'middle', 'top', 'middle']);
});

/** What is sent again of records, of which a table has this now. */
async function replayedOf(
  records: readonly (Pick<Parameters<typeof concernsAccess>[0], 'action' | 'entity'> & object)[],
  has: (sent: Sent) => Readonly<Record<string, unknown>> | undefined,
  { reader }: Pick<ReturnType<typeof createMemoryWorld>, 'reader'> = createMemoryWorld(),
) {
  const begun = Date.parse('2026-01-01T00:00:00.000Z');
  const collection = createCollection(begun);
  for (const [index, record] of records.entries()) {
    const at = new Date(begun + index * 3_600_000).toISOString();
    collection.add({ kind: 'change', record: { id: `r${index}`, at, ...record } });
  }
  return replay(collection, { reader, read: async (sent) => has(sent), write: async () => 'done' });
}

test('scopes and subjects of added types are read, closed and removed by their reference', async () => {
  const kinds = [
    [{ type: 'ward', id: 'w1' }, 'scope', 'scope', 'ward:w1'],
    [{ type: 'subject', id: 'sensor:s1' }, 'subject', 'user', 'sensor:s1'],
  ] as const;
  const records = kinds.flatMap(([entity, kind]) => {
    const gone = { ...entity, id: entity.id.replace('1', '2') };
    return [
      { action: `${kind}.update`, entity, after: { status: 'inactive' } },
      { action: `${kind}.delete`, entity: gone, before: { id: gone.id } },
    ];
  });
  const read: Sent[] = [];
  const { replayed } = await replayedOf(records, (sent) => {
    read.push(sent);
    return { status: 'active' };
  });
  const expected = kinds.flatMap(([, kind, field, ref]) => [
    { command: `${kind}.update`, input: { [field]: ref, status: 'inactive' } },
    { command: `${kind}.delete`, input: { [field]: ref.replace('1', '2') } },
  ]);
  expect(replayed).toHaveLength(4);
  expect(replayed).toEqual(expect.arrayContaining(expected));
  for (const sent of [...read, ...replayed]) {
    const parsed = COMMANDS.get(sent.command)?.input.safeParse(sent.input);
    expect(parsed?.success, JSON.stringify(sent)).toBe(true);
  }
});

const LINK = { type: 'scim-user', id: 'c:ann' };
const SAID = { connection: 'c', user: 'ann', userName: 'pseudonym:user:ann:x', active: true };

test('whom a connection ended is ended again', async () => {
  const record = { action: 'scim-user.update', entity: LINK, after: { ...SAID, active: false } };
  const { replayed } = await replayedOf([record], () => SAID);
  expect(replayed).toEqual([
    { command: 'scim-user.update', input: { connection: 'c', user: 'ann', active: false } },
  ]);
});

test('a mandate that was ended is ended again, and an agent needs one again', async () => {
  const ended = {
    action: 'mandate.end',
    entity: { type: 'mandate', id: 'm1' },
    before: { id: 'm1', status: 'active' },
    after: { id: 'm1', status: 'ended' },
  };
  const agent = {
    action: 'subject.update',
    entity: { type: 'subject', id: 'agent:bot' },
    before: { id: 'bot', mandateOptional: true },
    after: { id: 'bot' },
  };
  const { replayed } = await replayedOf([ended, agent], ({ command }) =>
    command === 'mandate.read' ? { status: 'active' } : { id: 'bot', mandateOptional: true },
  );
  expect(replayed).toHaveLength(2);
  expect(replayed).toContainEqual({ command: 'mandate.end', input: { id: 'm1' } });
  expect(replayed).toContainEqual({
    command: 'subject.update',
    input: { user: 'agent:bot', mandateOptional: null },
  });
});

test('a mandate that was used ends: the table has forgotten what is left of its budget', async () => {
  const after = { use: 'u1', subject: 'user:ann', actor: 'agent:bot', taken: 300 };
  const used = { action: 'mandate.use', entity: { type: 'mandate', id: 'm1' }, after };
  const { replayed, lost } = await replayedOf([used], () => ({ id: 'm1', status: 'active' }));
  expect(replayed).toEqual([{ command: 'mandate.end', input: { id: 'm1' } }]);
  expect(lost).toEqual([]);
});

/** Made before the removal, and after it. */
const [OLD, NEW] = ['2025-01-01T00:00:00.000Z', '2026-01-01T00:01:00.000Z'];

describe.each<[entity: typeof LINK, of: Readonly<Record<string, unknown>>, input: unknown]>([
  [LINK, SAID, { connection: 'c', user: 'ann' }],
  [{ type: 'user', id: 'ann' }, { id: 'ann' }, { id: 'ann' }],
  [{ type: 'role', id: 'clerk' }, { id: 'clerk' }, { id: 'clerk' }],
  [{ type: 'page', id: 'bills' }, { name: 'bills' }, { name: 'bills' }],
  [{ type: 'location', id: 'hall' }, { id: 'hall' }, { id: 'hall' }],
])('what was removed, and then made anew: %o', (entity, of, input) => {
  const { type } = entity;
  const removed = { action: `${type}.delete`, entity, before: of };
  const records = [removed, { action: `${type}.create`, entity, after: of }];

  test('goes with all that hung on it', async () => {
    const { replayed, lost } = await replayedOf(records, () => ({ ...of, createdAt: OLD }));
    expect(replayed).toEqual([{ command: `${type}.delete`, input }]);
    expect(lost).toEqual([`${type}:${entity.id}: ${type}.create: it is not in the table`]);
  });

  test('stays where that was before the restore point', async () => {
    const { replayed, lost } = await replayedOf(records, () => ({ ...of, createdAt: NEW }));
    expect([...replayed, ...lost]).toEqual([]);
  });

  test('stays where that was at once, and it was changed later', async () => {
    const createdAt = '2026-01-01T00:00:01.000Z';
    const after = { ...of, createdAt };
    const made = { action: `${type}.create`, entity, after, at: createdAt };
    const changed = { action: `${type}.update`, entity, after };
    const { replayed, lost } = await replayedOf([removed, made, changed], () => after);
    expect([...replayed, ...lost]).toEqual([]);
  });
});

test('a DENY that a template gave comes again', async () => {
  const given = (effect: string) => ({
    label: 'RolePermission',
    after: { role: 'r', permission: effect, effect },
  });
  const record = {
    action: 'role-template.apply',
    entity: { type: 'role', id: 'r' },
    after: { template: 't', given: ['ALLOW', 'DENY'] },
    edges: [given('ALLOW'), given('DENY')],
  };
  const { replayed, lost } = await replayedOf([record], ({ command }) =>
    command === 'role.read' ? { id: 'r' } : undefined,
  );
  expect(replayed).toEqual([
    { command: 'role-permission.create', input: { role: 'r', permission: 'DENY', effect: 'DENY' } },
  ]);
  expect(lost).toEqual(['role-permission:r ALLOW: its ALLOW was added']);
});

describe('what was given since is for people where a role of it has a DENY that counts', async () => {
  const world = createMemoryWorld();
  await world.apply(`
pages: { bills: }
scopes:
  north: { id: north, type: tenant, combination: deny-overrides }
  hall: { id: hall, type: location, parent: north }
  south: { id: south, type: tenant }
roles:
  clerk: { id: clerk, allow: [bills] }
  barrier: { id: barrier, deny: [bills] }
  below: { id: below, parent: barrier }
groups:
  clerks: { id: clerks, scope: north, roles: [clerk] }
  barred: { id: barred, scope: hall, roles: [barrier] }
  southern: { id: southern, scope: south, roles: [barrier] }
`);
  const given = (type: string, after: Readonly<Record<string, unknown>>) => ({
    action: `${type}.create`,
    entity: { type, id: Object.values(after).join(' ') },
    after,
  });
  const roles = (of: string) =>
    [
      'grant',
      { id: 'g', scope: 'tenant:north', roles: ['clerk', of] },
      { id: 'g', roles: ['clerk'] },
    ] as const;
  const member = (group: string) => ['membership', { user: 'ann', group, origins: ['c', 'd'] }] as const;
  const NEW_DENY = given('role-permission', { role: 'clerk', permission: 'bills', effect: 'DENY' });
  const NEW_CARRIED = given('group-role', { group: 'clerks', role: 'barrier' });

  const node = (type: string, after: Readonly<Record<string, unknown>>) => ({
    ...given(type, after),
    entity: { type, id: String(after.id) },
  });
  const NEW_ROLE = node('role', { id: 'new', parent: 'below' });
  const NEW_SOUTH = node('tenant', { id: 'south', root: 'tenant:south', combination: 'deny-overrides' });
  const NEW_GROUP = node('group', { id: 'new', scope: 'tenant:south', root: 'tenant:south' });
  const TEMPLATE = { ...NEW_ROLE, action: 'role-template.apply', after: { template: 't', given: ['bills'] } };

  test.each([
    [false, ...roles('other')],
    [true, ...roles('barrier')],
    [true, ...roles('below')],
    [true, ...roles('new'), NEW_ROLE],
    [true, ...roles('new'), NEW_ROLE, TEMPLATE],
    [false, ...roles('clerk'), NEW_DENY],
    [true, 'assignment', { user: 'ann', scope: 'tenant:north', role: 'clerk' }, undefined, NEW_DENY],
    [false, 'assignment', { user: 'ann', scope: 'tenant:north', role: 'clerk' }],
    [true, 'assignment', { user: 'ann', scope: 'location:hall', role: 'barrier' }],
    [false, 'assignment', { user: 'ann', scope: 'tenant:south', role: 'barrier' }],
    [true, 'assignment', { user: 'ann', scope: 'tenant:south', role: 'barrier' }, undefined, NEW_SOUTH],
    [true, 'assignment', { user: 'ann', scope: 'tenant:unknown', role: 'barrier' }],
    [true, 'global-role', { user: 'ann', role: 'barrier' }],
    [true, 'group-role', { group: 'clerks', role: 'barrier' }],
    [false, 'group-role', { group: 'southern', role: 'barrier' }],
    [true, ...member('barred')],
    [false, ...member('barred'), { origins: ['c'] }],
    [true, ...member('barred'), { origins: ['c', 'e'], suspended: ['c'] }],
    [false, ...member('southern')],
    [false, ...member('new'), undefined, NEW_GROUP, given('group-role', { group: 'new', role: 'barrier' })],
    [false, ...member('clerks')],
    [true, ...member('clerks'), undefined, NEW_CARRIED],
  ] as const)('%s: %s %j', async (isByHand, type, after, has?, beside?, later?) => {
    const record = given(type, after);
    const all = [record, beside, later].filter((each) => each !== undefined);
    const { byHand } = await replayedOf(
      all,
      ({ command }) => (command === `${type}.read` ? has : undefined),
      world,
    );
    const name = `${type}:${record.entity.id}`;
    expect(byHand.some((text) => text.startsWith(name))).toBe(isByHand);
  });
});

test('kinds of nodes that give no access are left out, and no others', () => {
  const isLeftOut = (type: string): boolean =>
    !concernsAccess({
      id: 'one',
      action: `${type}.delete`,
      entity: { type, id: 'one' },
      at: '2026-01-01T00:00:00.000Z',
    });
  // Those of added types, as scopes are, have the type's own name.
  expect(Object.keys(ENTITIES).filter(isLeftOut)).toEqual([
    ...['scope', 'subject-type', 'scope-type', 'invariant', 'role-template', 'policy', 'address', 'tool'],
    ...['product', 'service', 'notification'],
  ]);
});
