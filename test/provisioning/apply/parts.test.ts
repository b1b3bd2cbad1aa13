import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { partsOf } from '../../../cli/manifest/export/parts.ts';
import { parseManifest } from '../../../provisioning/apply/parse.ts';
import { referenceProblems } from '../../../provisioning/apply/references.ts';
import type { Manifest } from '../../../provisioning/apply/schema.ts';
import { largeManifest, manifestOfAll } from '../../cli/manifest/large.ts';
import { applyOn, createMemoryWorld, exportOn, planOn } from './support.ts';

/** A manifest that is too large for one file, in parts that are applied one after the other. */
const BOUNDS = { bytes: 6_000, entries: 60, steps: 60 };

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

test('a tenant of 20,000 users is divided into files that one call takes each', () => {
  // An export has mappings where a person may write lists of names.
  const { manifest } = parseManifest(JSON.parse(largeManifest({ users: 1_000 }))).parsed ?? {};
  const [user] = Object.values(manifest?.users ?? {});
  const users = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`user-${n}`, user]));
  const parts = partsOf(JSON.parse(JSON.stringify({ ...manifest, users })));
  expect(parts.length).toBeGreaterThan(2);
  const names = parts.flatMap((part) => {
    expect(parseManifest(part).problems).toEqual([]);
    expect(referenceProblems(parseManifest(part).parsed?.manifest as Manifest)).toEqual([]);
    return Object.keys((part.users ?? {}) as object);
  });
  expect(new Set(names).size).toBe(20_000);
  expect(names.length).toBe(20_000);
});
