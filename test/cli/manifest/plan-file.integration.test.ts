import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createLightWorld, type World } from '../../support/world.ts';
import { fileOf, gatehouse, removeFiles } from '../support.ts';

/** What a plan says of who loses access, and plans in files: what was approved is what runs. */
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-plans-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
  removeFiles();
});

const school = (more = '', staff = 'north') => `
pages: [grades]
scopes: { school: { type: tenant }, north: { type: location, parent: school } }
roles: { teacher: { owner: school, allow: [grades] } }
groups: { staff: { scope: ${staff}, roles: [teacher] } }
users: { ann: { groups: [staff] }, ben: { groups: [staff] }${more} }
`;

let world: World;
let number = 0;
const run = (...args: readonly string[]) => gatehouse(args, { env: { TABLE_NAME: world.table } });
beforeEach(async () => {
  world = await createLightWorld();
  expect((await run('apply', fileOf(school()), '--yes')).code).toBe(0);
});

/** A plan of a manifest in a file. */
async function planned(text: string, ...args: readonly string[]): Promise<string> {
  const path = join(folder, `${++number}.plan`);
  const { code, error } = await run('plan', fileOf(text), '--out', path, ...args);
  expect({ code, error }).toEqual({ code: 1, error: '' });
  return path;
}
const userCount = async () => ((await world.run('user.list', {})).items as readonly unknown[]).length;

describe('a plan', () => {
  const WITHOUT = school().replace(', roles: [teacher]', ', roles: []');

  test('says how many people lose which access; every removal is dangerous', async () => {
    const { out } = await run('plan', fileOf(WITHOUT), '--prune');
    expect(out).toMatch(
      /who loses access: 2 people\n {2}(?:(?:ann|ben) \(user:[\w-]+\)(?:, )?){2} lose grades at north \(location:[\w-]+\)\n/,
    );
    expect(out).toContain('1 to remove; 1 dangerous;');
    expect(out).toContain('undo: gatehouse apply of a file that gatehouse export wrote');
    const json = JSON.parse((await run('plan', fileOf(WITHOUT), '--prune', '--json')).out);
    expect(json).toMatchObject({ remove: 1, dangerous: 1, access: { loses: { people: 2, more: false } } });
    expect(json.access.loses.rows).toMatchObject([{ name: 'north', people: 2, permissions: ['grades'] }]);
  });

  test('without losses says that nobody loses anything', async () => {
    const { out } = await run('plan', fileOf(school(', cyd: { groups: [staff] }')));
    expect(out).toContain('who loses access: nobody\nwho gains access: 1 person\n');
  });
});

describe('a plan in a file', () => {
  test('is applied as it was approved, and only its owner can read it', async () => {
    const path = await planned(school(', cyd: {}'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await run('apply', path)).code).toBe(1);
    expect(await userCount()).toBe(2);
    const { code, out } = await run('apply', path, '--yes');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('+ user cyd') });
    expect(await userCount()).toBe(3);
    // It is done: nothing is left of it.
    expect((await run('apply', path, '--yes')).code).toBe(0);
  });

  test('removes what it was made to remove, without --prune', async () => {
    const path = await planned(school().replace(', ben: { groups: [staff] }', ''), '--prune');
    const { code, out } = await run('apply', path, '--yes');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('- user ben') });
    expect(await userCount()).toBe(1);
    expect(await run('apply', path, '--prune', '--yes')).toMatchObject({
      code: 2,
      error: expect.stringContaining('is a plan, which says itself what is removed: leave --prune out'),
    });
  });

  test('is refused as out of date when the table takes another change now', async () => {
    const path = await planned(school().replace(', ben: { groups: [staff] }', ''), '--prune');
    const { id: user } = await world.run('user.create', { displayName: 'Dan' });
    const [group] = (await world.run('group.list', {})).items as readonly { readonly id: string }[];
    await world.run('membership.create', { user, group: group?.id });
    const { code, error } = await run('apply', path, '--yes');
    expect(code).toBe(1);
    expect(error).toMatch(
      /gatehouse apply: .*\.plan is out of date: since .*Z the table has changed, and it takes/,
    );
    expect(error).toContain('Nothing was done: plan again');
    expect(await userCount()).toBe(3);
  });

  test('of a harmless change as well', async () => {
    const path = await planned(school(', cyd: {}'));
    await world.run('page.delete', { name: 'grades' });
    expect((await run('apply', path, '--yes')).error).toContain('is out of date');
    expect(await userCount()).toBe(2);
  });

  test('with some of its changes done goes on with the others', async () => {
    const path = await planned(school(', cyd: {}, dan: {}'));
    const part = await run('apply', fileOf(school(', cyd: {}')), '--yes');
    expect(part.code).toBe(0);
    expect((await run('apply', path, '--yes')).code).toBe(0);
    expect(await userCount()).toBe(4);
  });

  test('is refused for another table, and when it was changed to be no plan', async () => {
    const path = await planned(school(', cyd: {}'));
    const other = await createLightWorld();
    expect(await run('apply', path, '--yes', '--table', other.table)).toMatchObject({
      code: 2,
      error: expect.stringMatching(/is a plan for the table .* and this is the table .*: nothing was done/),
    });
    const broken = join(folder, 'broken.plan');
    writeFileSync(broken, '{"gatehousePlan": 2}');
    expect(await run('apply', broken, '--yes')).toMatchObject({
      code: 2,
      error: expect.stringContaining('is not a plan that gatehouse plan --out wrote'),
    });
  });

  test('is written to a new file only, and refused before anything is read', async () => {
    const there = fileOf('something');
    const file = fileOf(school());
    for (const [path, why] of [
      [there, 'exists already'],
      [join(folder, 'no', 'such', 'folder'), 'there is no such folder'],
    ] as const) {
      const { code, error } = await run('plan', file, '--out', path, '--table', 'no-such-table');
      expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(why) });
    }
    expect(existsSync(join(folder, 'no'))).toBe(false);
  });
});
