import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { parseManifest } from '../../../provisioning/apply/parse.ts';
import { referenceProblems } from '../../../provisioning/apply/references.ts';
import type { Manifest } from '../../../provisioning/apply/schema.ts';
import { partsOf } from '../../../provisioning/export/parts.ts';
import { largeManifest, manifestOfAll } from '../../cli/manifest/large.ts';
import { watchReads } from '../../support/watched-reader.ts';
import { applyOn, createMemoryWorld, exportOn, planOn } from './support.ts';

/** A manifest that is too large for one file, in parts that are applied one after the other. */
const BOUNDS = { bytes: 15_000, entries: 150, steps: 150 };
/** More than two files hold. */
const USERS = 7_000;

const SECOND = `
scopes: { other: { type: tenant } }
groups: { there: { scope: other } }
users:
  nobody: { tenant: null, groups: [there] }
  someone: { tenant: other, email: someone@other.example }
settings: [{ user: nobody, key: size, value: 1 }]
`;

test.each([
  ['of every section', manifestOfAll()],
  ['of one tenant', JSON.stringify({ ...parse(SECOND), pages: {} })],
])('the parts of an export %s make the same of an empty table', async (_, text) => {
  const [whole, empty] = [createMemoryWorld(), createMemoryWorld()];
  await applyOn(whole, text, { prune: false });
  const exported = await exportOn(whole, ['default', 'acme']);
  const parts = partsOf(exported, { ...BOUNDS, ...(text.length < 1_000 ? { entries: 4 } : {}) });
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) {
    expect(part.part).toBe(true);
    expect((await planOn(whole, stringify(part), false)).steps).toEqual([]);
    await applyOn(empty, stringify(part), { prune: false });
  }
  expect(await exportOn(empty, ['default', 'acme'])).toEqual(exported);
  for (const part of parts) expect((await planOn(empty, stringify(part), false)).steps).toEqual([]);
});

test('what an invariant refuses comes before it: somebody may have both', async () => {
  const text = `
pages: { pay: {}, approve: {} }
scopes: { other: { type: tenant } }
roles: { both: { owner: other, allow: [pay, approve] } }
invariants: [{ scope: other, name: four eyes, separate: [approve, pay], within: tenant }]
users: { one: { tenant: other, grants: { other: [both] } }, two: { tenant: other } }
`;
  const world = createMemoryWorld();
  for (const part of partsOf(parse(text), { ...BOUNDS, entries: 5 }))
    await applyOn(world, stringify(part), { prune: false });
  expect((await planOn(world, text)).steps).toEqual([]);
});

test('what is small enough stays one file, and what cannot be divided is refused', () => {
  const manifest = parse(SECOND);
  expect(partsOf(manifest)).toEqual([manifest]);
  expect(() => partsOf(manifest, { ...BOUNDS, entries: 1 })).toThrow('too large for a file');
});

test('a part says nothing of what it leaves out, and cannot be pruned by', async () => {
  const world = createMemoryWorld();
  await applyOn(world, SECOND, { prune: false });
  const part = { part: true, scopes: { other: { type: 'tenant' } }, users: { third: { tenant: 'other' } } };
  const { steps, kept } = await planOn(world, stringify(part), false);
  expect(steps.map(({ verb, label }) => `${verb} ${label}`)).toEqual(['create third']);
  expect(kept).toEqual([]);
  for (const command of ['tenant.plan', 'tenant.apply'])
    expect(await world.provision({ command, input: { manifest: part, prune: true } })).toMatchObject({
      error: { code: 'invalid', field: 'prune' },
    });
});

test('what its people have is read by keys, so that no call is of one person', async () => {
  const world = createMemoryWorld();
  const scopes = { acme: { type: 'tenant', id: 'acme' } };
  const roles = { clerk: { owner: 'acme' } };
  const groups = { all: { scope: 'acme', id: 'all' } };
  const partOf = (count: number, until: string) => {
    const person = { groups: ['all'], assignments: [{ role: 'clerk', scope: 'acme', until }] };
    const users = Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`u${n}`, { id: `u${n}`, ...person }]),
    );
    return stringify({ part: true, scopes, roles, groups, users });
  };
  await applyOn(world, partOf(30, '2030-01-31'), { prune: false });
  const lists = async (text: string): Promise<readonly [steps: number, lists: number]> => {
    let count = 0;
    const reader = watchReads(world.reader, (method) => {
      if (method.startsWith('list')) count += 1;
    });
    const { steps } = await planOn({ reader }, text, false);
    return [steps.length, count];
  };
  const [none, few] = await lists(partOf(3, '2030-01-31'));
  expect(none).toBe(0);
  expect(await lists(partOf(30, '2030-01-31'))).toEqual([0, few]);
  expect(await lists(partOf(30, '2030-02-28'))).toEqual([30, few]);
});

test('somebody who exists is given something at a new scope of a new type', async () => {
  const world = createMemoryWorld();
  await applyOn(world, 'scopes: { acme: { type: tenant, id: acme } }\nusers: { ann: { id: ann } }', {
    prune: false,
  });
  const part = {
    part: true,
    scopeTypes: { campus: { parents: ['tenant'] } },
    scopes: {
      acme: { type: 'tenant', id: 'acme' },
      hill: { type: 'campus', id: 'hill', parent: 'acme' },
    },
    roles: { clerk: { owner: 'acme' } },
    users: { ann: { id: 'ann', assignments: [{ role: 'clerk', scope: 'hill' }] } },
  };
  const steps = await applyOn(world, stringify(part), { prune: false });
  expect(steps.map(({ kind }) => kind)).toEqual(['scope-type', 'scope', 'role', 'assignment']);
  expect((await planOn(world, stringify(part), false)).steps).toEqual([]);
});

test('a tenant of many thousand users is divided into files that one call takes each', () => {
  // An export has mappings where a person may write lists of names.
  const { manifest } = parseManifest(JSON.parse(largeManifest({ users: 1 }))).parsed ?? {};
  const [user] = Object.values(manifest?.users ?? {});
  const users = Object.fromEntries(Array.from({ length: USERS }, (_, n) => [`user-${n}`, user]));
  const parts = partsOf(JSON.parse(JSON.stringify({ ...manifest, users })));
  expect(parts.length).toBeGreaterThan(2);
  const names = parts.flatMap((part) => {
    expect(parseManifest(part).problems).toEqual([]);
    expect(referenceProblems(parseManifest(part).parsed?.manifest as Manifest)).toEqual([]);
    return Object.keys((part.users ?? {}) as object);
  });
  expect(new Set(names).size).toBe(USERS);
  expect(names.length).toBe(USERS);
});
