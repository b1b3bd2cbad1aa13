import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { findingsOn } from '../findings.ts';
import { applyOn, createMemoryWorld, exportOn, planOn } from './support.ts';

/** Invariants in manifests. */
const manifest = (invariants: string, more = '') => `
permissions: ["payments:create:payment", "payments:approve:payment", "billing:refund:invoice"]
scopes:
  acme: { id: acme, type: tenant }
  ${more}
roles: { maker: { id: maker, owner: acme, allow: ["payments:create:payment"] } }
groups: { finance: { id: finance, scope: acme, roles: [maker] } }
invariants: ${invariants}`;
const EYES = 'name: four eyes, separate: ["payments:create:payment", "payments:approve:payment"]';
const REFUNDS =
  '{ name: refunds stay in finance, never: "billing:refund:invoice", except: { group: finance } }';
const FULL = `[{ ${EYES}, within: scope }, ${REFUNDS}]`;

const shown = ({ steps }: Awaited<ReturnType<typeof planOn>>) =>
  steps.map(({ phase, verb, label, details }) => [phase, verb, label, ...details].join(' '));

describe('invariants in a manifest', () => {
  test('are applied, have nothing to do then, and are exported as they are', async () => {
    const world = createMemoryWorld();
    await applyOn(world, manifest(FULL));
    expect((await planOn(world, manifest(FULL))).steps).toEqual([]);
    const exported = (await exportOn(world)) as Record<string, unknown>;
    const unnamed = (exported.invariants as readonly object[]).map((each) => ({ ...each, id: undefined }));
    expect(unnamed).toEqual(
      parse(manifest(FULL)).invariants.map((each: { separate?: string[] }) => ({
        scope: 'acme',
        ...each,
        ...(each.separate ? { separate: each.separate.toSorted() } : {}),
      })),
    );
    const again = createMemoryWorld();
    await applyOn(again, stringify(exported));
    expect(await exportOn(again)).toEqual(exported);
    world.settle();
    expect(await findingsOn(world)).toEqual([]);
  });

  test('are found by their names, and what an entry leaves out it has no more', async () => {
    const world = createMemoryWorld();
    await applyOn(world, manifest(FULL));
    expect(shown(await planOn(world, manifest(`[{ ${EYES} }]`)))).toEqual([
      'close remove refunds stay in finance',
      'prepare change four eyes within scope > none',
    ]);
  });

  test('name their tenant where the manifest has several', async () => {
    const world = createMemoryWorld();
    const several = manifest(`[{ ${EYES} }]`, 'other: { id: other, type: tenant }');
    expect((await planOn(world, several)).problems).toEqual([
      {
        path: ['invariants', 0, 'scope'],
        message: 'is needed: the manifest has several tenants, or none',
      },
    ]);
  });

  test('name a group and permissions of the manifest, and each name once', async () => {
    const wrong = manifest(
      `[{ ${EYES} }, { ${EYES} }, { name: a, never: "billing:x:y" }, { name: b, never: "billing:refund:invoice", except: { group: none } }]`,
    );
    const { problems } = await planOn(createMemoryWorld(), wrong);
    expect(problems.map(({ path }) => path.join('.'))).toEqual([
      'invariants.1',
      'invariants.2.never',
      'invariants.3.except',
    ]);
  });
});
