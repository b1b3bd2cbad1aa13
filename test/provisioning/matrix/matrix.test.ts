import { describe, expect, test } from 'vitest';
import { queriesBy } from '../../../provisioning/apply/queries.ts';
import { type Matrix, readMatrix } from '../../../provisioning/index.ts';
import { MATRIX_BOUNDS } from '../../../provisioning/matrix/matrix.ts';
import { createMemoryWorld } from '../../support/world.ts';

/** Roles by permissions: what each role says of each permission, and what comes of it. */
const MANIFEST = {
  properties: [{ of: 'context', name: 'hour', type: 'int', source: 'passed' }],
  pages: ['home', 'grades', 'plans'],
  permissions: {
    'doors:open:gate': { description: 'Opens a gate' },
    'doors:open:door': null,
    'doors:lock:door': null,
  },
  scopes: {
    north: { type: 'client', combination: 'deny-overrides' },
    harbour: { type: 'project', parent: 'north' },
    south: { type: 'client' },
  },
  roles: {
    auditor: { global: true, allow: ['*:*:*'] },
    reader: { allow: ['home'] },
    teacher: { owner: 'north', parent: 'reader', allow: ['grades', 'doors:open:*'] },
    intern: { owner: 'north', parent: 'teacher', deny: ['grades'] },
    porter: {
      owner: 'north',
      allow: [{ permission: 'doors:*:*', when: 'context.hour < 18' }],
      deny: [{ permission: 'doors:open:gate', when: 'context.hour < 6' }],
    },
    keeper: { owner: 'south', allow: ['grades', 'doors:*:*'], deny: ['doors:open:gate', 'tools:*:*'] },
    trainee: {
      owner: 'south',
      parent: 'keeper',
      deny: ['grades'],
      allow: [{ permission: 'plans', when: 'context.hour < 18' }],
    },
  },
  users: Object.fromEntries(
    [
      ...['auditor', 'reader', 'teacher', 'intern', 'porter'].map((role) => [role, 'north']),
      ...['keeper', 'trainee'].map((role) => [role, 'south']),
    ].map(([role = '', scope]) => [role, { assignments: [{ role, scope }] }]),
  ),
} as const;

const INHERITED = { effect: 'ALLOW', from: 'reader (any tenant)' };

/** Each role, scope and user has its name as its id. */
const withIds = (section: Readonly<Record<string, object>>) =>
  Object.fromEntries(Object.entries(section).map(([name, of]) => [name, { id: name, ...of }]));
const table = createMemoryWorld();
const { roles, scopes, users, ...rest } = MANIFEST;
await table.run('tenant.apply', {
  manifest: { ...rest, roles: withIds(roles), scopes: withIds(scopes), users: withIds(users) },
});
table.settle();
const calls: string[] = [];
const { read } = queriesBy(async (command, input) => {
  calls.push(command);
  const answer = await table.provision({ command, input });
  if (answer.ok) return answer.result;
  if (answer.error.code === 'not_found') return undefined;
  throw new Error(answer.error.message);
});
const engine = table.newEngine();

const refOf = (scope: string) => `${scopes[scope as keyof typeof scopes].type}:${scope}`;
const matrixAt = (scope?: string, roles?: readonly string[]) =>
  readMatrix(read, { scope: scope && refOf(scope), roles });
const cellOf = ({ roles, cells }: Matrix, role: string, permission: string) =>
  cells.find(
    (cell) => cell.permission === permission && cell.role === roles.find(({ name }) => name === role)?.id,
  );

test('the roles that can be granted at a scope: those of its root, then shared ones; every page, permission and pattern', async () => {
  const matrix = await matrixAt('harbour');
  expect(matrix.scope).toEqual({ ref: 'client:north', name: 'north' });
  expect(matrix.combination).toBe('deny-overrides');
  expect(matrix.roles.map(({ label, inherits }) => [label, inherits])).toEqual([
    ['intern', 'teacher'],
    ['porter', undefined],
    ['teacher', 'reader (any tenant)'],
    ['reader (any tenant)', undefined],
    ['auditor (global)', undefined],
  ]);
  expect(matrix.permissions.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    ...['page grades', 'page home', 'page plans'],
    ...['permission doors:lock:door', 'permission doors:open:door', 'permission doors:open:gate'],
    ...['pattern *:*:*', 'pattern doors:*:*', 'pattern doors:open:*'],
  ]);
  expect(matrix.permissions.find(({ name }) => name === 'doors:open:gate')?.description).toBe('Opens a gate');
});

test('without a scope, the roles that no tenant owns, combined as where a tenant chooses nothing', async () => {
  const matrix = await matrixAt();
  expect(matrix.scope).toBeUndefined();
  expect(matrix.combination).toBe('allow-overrides');
  expect(matrix.roles.map(({ name }) => name)).toEqual(['reader', 'auditor']);
});

describe('a cell keeps apart', () => {
  test('what the role says itself, what it inherits through any number of roles, and patterns', async () => {
    const matrix = await matrixAt('north');
    expect(cellOf(matrix, 'teacher', 'grades')).toMatchObject({
      marks: [{ effect: 'ALLOW' }],
      text: 'ALLOW',
    });
    expect(cellOf(matrix, 'intern', 'home')?.marks).toEqual([INHERITED]);
    expect(cellOf(matrix, 'intern', 'doors:open:door')).toMatchObject({
      marks: [{ effect: 'ALLOW', from: 'teacher', pattern: 'doors:open:*' }],
      text: 'ALLOW, inherited from teacher, by doors:open:*',
    });
    expect(cellOf(matrix, 'auditor', 'home')?.marks).toEqual([{ effect: 'ALLOW', pattern: '*:*:*' }]);
    expect(cellOf(matrix, 'teacher', 'doors:lock:door')).toBeUndefined();
  });

  test('conditions, and a pattern as a row of its own', async () => {
    const matrix = await matrixAt('north');
    const when = 'context.hour < 18';
    expect(cellOf(matrix, 'porter', 'doors:lock:door')).toMatchObject({
      marks: [{ effect: 'ALLOW', pattern: 'doors:*:*', when }],
      text: `ALLOW, by doors:*:*, if ${when}`,
    });
    expect(cellOf(matrix, 'porter', 'doors:*:*')?.marks).toEqual([{ effect: 'ALLOW', when }]);
    // A wider pattern is not one more row of a narrower one.
    expect(cellOf(matrix, 'porter', 'doors:open:*')).toBeUndefined();
  });

  test('which of both effects wins', async () => {
    const cell = cellOf(await matrixAt('south'), 'trainee', 'grades');
    expect(cell?.wins).toEqual({ effect: 'ALLOW', onCondition: false });
    expect(cell?.text).toMatch(/; ALLOW wins \(allow-overrides\)$/);
  });
});

test('every cell says what the engine decides for somebody who has that role alone', async () => {
  let compared = 0;
  for (const scope of ['north', 'south'])
    for (const { role, permission, allowed, at } of await expectations(scope))
      for (const hour of [3, 12, 20]) {
        const { allowed: decided } = await engine.check(`user:${role}`, permission, refOf(at), {
          context: { hour },
        });
        expect(decided, `${role} ${permission} at ${hour}`).toBe(allowed(hour));
        compared += 1;
      }
  expect(compared).toBeGreaterThan(100);
});

/** What a matrix says of each of the roles that somebody of the manifest has there. */
async function expectations(at: string) {
  const matrix = await matrixAt(at);
  const named = matrix.roles.filter(({ name }) => (at === 'north') !== ['keeper', 'trainee'].includes(name));
  return named.flatMap(({ name: role }) =>
    matrix.permissions
      .filter(({ kind }) => kind !== 'pattern')
      .map(({ name: permission }) => {
        const cell = cellOf(matrix, role, permission);
        const counts = (effect: string, hour: number) =>
          cell?.marks.some(
            (mark) =>
              mark.effect === effect &&
              (mark.when === undefined || hour < Number(/< (\d+)$/.exec(mark.when)?.[1])),
          ) === true;
        const allowed = (hour: number) => {
          if (cell?.wins && counts(cell.wins.effect, hour)) return cell.wins.effect === 'ALLOW';
          return counts('ALLOW', hour);
        };
        return { role, permission, allowed, at };
      }),
  );
}

describe('what is read', () => {
  test('chosen roles alone, with what they inherit from', async () => {
    calls.length = 0;
    const matrix = await matrixAt('north', ['intern']);
    expect(matrix.roles.map(({ name }) => name)).toEqual(['intern']);
    expect(cellOf(matrix, 'intern', 'home')?.marks).toEqual([INHERITED]);
    expect(calls.filter((call) => call === 'role.list')).toEqual([]);
    expect(calls.filter((call) => call === 'role-permission.list')).toHaveLength(3);
  });

  test('a role of another tenant, one that does not exist and a scope that does not exist are refused', async () => {
    await expect(matrixAt('north', ['keeper'])).rejects.toMatchObject({ code: 'invalid', field: 'roles' });
    const gone = { code: 'not_found' };
    await expect(readMatrix(read, { roles: ['nobody'] })).rejects.toMatchObject(gone);
    await expect(readMatrix(read, { scope: 'client:nowhere' })).rejects.toMatchObject(gone);
    await expect(readMatrix(read, { scope: 'nowhere' })).rejects.toMatchObject({ code: 'invalid' });
  });

  test('more than a matrix holds is an error, not a part of it', async () => {
    const items = Array.from({ length: MATRIX_BOUNDS.roles + 1 }, (_, at) => ({
      id: `${at}`,
      name: `r${at}`,
    }));
    const read = async (command: string) => ({ items: command === 'role.list' ? items : [] });
    await expect(readMatrix(read, {})).rejects.toMatchObject({ code: 'limit_exceeded', field: 'roles' });
    const names = Array.from({ length: MATRIX_BOUNDS.permissions + 1 }, (_, at) => ({ name: `p${at}` }));
    const many = async (command: string) => ({ items: command === 'page.list' ? names : [] });
    const refused = { code: 'limit_exceeded', field: 'permissions' };
    await expect(readMatrix(many, {})).rejects.toMatchObject(refused);
  });

  test('a role that is being deleted is in force nowhere: neither a column nor inherited from', async () => {
    const roles = [
      { id: 'a', name: 'a', scope: 'global', parent: 'b' },
      { id: 'b', name: 'b', scope: 'global', deletingSince: '2026-03-01T00:00:00Z' },
    ];
    const read = async (command: string, { scope, id: of, role }: Record<string, unknown>) => {
      if (command === 'role.list') return { items: scope === 'global' ? roles : [] };
      if (command === 'role.read') return roles.find((each) => each.id === of);
      return { items: role === 'b' ? [{ permission: 'home', effect: 'ALLOW' }] : [] };
    };
    expect(await readMatrix(read, {})).toMatchObject({
      roles: [{ id: 'a', name: 'a', scope: 'global', label: 'a (global)' }],
      permissions: [],
      cells: [],
    });
  });
});
