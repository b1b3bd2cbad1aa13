import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { queriesOn } from '../../../provisioning/apply/queries.ts';
import { exportManifest } from '../../../provisioning/export/export.ts';
import { COMMANDS } from '../../../provisioning/index.ts';
import { roundTrip } from './round-trip.ts';
import { applyOn, createMemoryWorld, exportOn, planOn, worldOf } from './support.ts';

/** Resource types in manifests. */
const manifest = (resourceTypes: string, more = '') => `
scopeTypes: { record: { parents: [tenant] } }
permissions: ["billing:read:invoice", "record:read:record", "record:write:record"]
scopes:
  acme: { id: acme, type: tenant }
  first: { id: first, type: record, parent: acme }
  other: { id: other, type: client }
resourceTypes: ${resourceTypes}
${more}`;
const INVOICE = '{ permission: "billing:{action}:invoice", scope: "tenant:{tenant}", description: Rows }';
const FULL = `
  invoice: ${INVOICE}
  bill: { actions: { look: "billing:read:invoice" }, scope: "tenant:acme" }
  record: { actions: { view: "record:read:record" } }
  parcel: { scope: "client:other" }`;

const shown = ({ steps }: Awaited<ReturnType<typeof planOn>>) =>
  steps
    .filter(({ kind }) => kind === 'resource-type')
    .map(({ phase, verb, label, details }) => `${phase}: ${verb} ${label}: ${details.join(', ')}`);

describe('resource types in a manifest', () => {
  test('are applied, have nothing to do then, and are exported as they are', async () => {
    const { exported } = await roundTrip(manifest(FULL));
    expect(exported.resourceTypes).toEqual(parse(manifest(FULL)).resourceTypes);
  });

  test('change when both what was and what will be allows', async () => {
    const world = createMemoryWorld();
    const before = manifest(`{ invoice: ${INVOICE}, bill: {} }`);
    expect(shown(await planOn(world, before))).toEqual([
      'switch: create invoice: permission billing:{action}:invoice, scope tenant:{tenant}',
      'switch: create bill: ',
    ]);
    await applyOn(world, before);
    const after = manifest(
      '{ invoice: { permission: null, scope: "tenant:acme", actions: { look: "billing:read:invoice" } } }',
    );
    expect(shown(await planOn(world, after))).toEqual([
      'switch: remove bill: ',
      'switch: change invoice: permission billing:{action}:invoice > none, actions none > {"look":"billing:read:invoice"}, scope tenant:{tenant} > acme',
    ]);
    await applyOn(world, after);
    expect((await exportOn(world)).resourceTypes).toEqual({
      invoice: { scope: 'tenant:acme', actions: { look: 'billing:read:invoice' }, description: 'Rows' },
    });
  });

  test('change in one transaction, with the properties that conditions look at', async () => {
    const world = createMemoryWorld();
    const before = manifest(FULL);
    await applyOn(world, before);
    const after = manifest(FULL)
      .replace('tenant:acme', 'tenant:{tenant}')
      .replace('record:read:record" } }', 'record:write:record" } }')
      .replace('id: first,', 'id: first, properties: { team: red },');
    let transactions = 0;
    const steps = await applyOn(world, after, { atOnce: 1, after: async () => void transactions++ });
    expect([steps.length, transactions]).toEqual([3, 1]);
  });

  test('are removed with what belongs to no tenant only', async () => {
    const world = await worldOf(manifest(FULL));
    const without = manifest('{}');
    const kept = await planOn(world, without, true, false);
    expect(kept.steps).toEqual([]);
    expect(kept.kept.map(({ label }) => label).sort()).toEqual(['bill', 'invoice', 'parcel', 'record']);
    await applyOn(world, without);
    expect((await exportOn(world)).resourceTypes).toBeUndefined();
  });

  test('are exported with the tenants in which they are decided', async () => {
    const world = await worldOf(manifest(FULL));
    const typesIn = async (root: string) => {
      const options = { roots: [root], apis: [], ids: true };
      const { manifest } = await exportManifest(queriesOn(world.reader, COMMANDS), options);
      return Object.keys((manifest.resourceTypes ?? {}) as object);
    };
    expect(await typesIn('tenant:acme')).toEqual(['bill', 'invoice', 'record']);
    expect(await typesIn('client:other')).toEqual(['parcel']);
  });

  test.each([
    ['{ x: { scope: "plot:{plot}" } }', ['resourceTypes', 'x', 'scope'], 'there is no scope type plot'],
    ['{ x: { scope: acme } }', ['resourceTypes', 'x', 'scope'], 'is neither type:id nor type:{property}'],
    ['{ x: { permission: read } }', ['resourceTypes', 'x', 'permission'], 'is no permission with {action}'],
    [
      '{ x: { actions: { a: "b:c" } } }',
      ['resourceTypes', 'x', 'actions', 'a'],
      'is neither a page name nor',
    ],
    ['{ X y: {} }', ['resourceTypes', 'X y'], 'is no type'],
  ])('%s is refused with its place', async (types, path, message) => {
    const found = async () => {
      const { problems } = await planOn(createMemoryWorld(), manifest(types));
      return problems;
    };
    const problems = await found().catch((error: Error) => JSON.parse(error.message));
    expect(problems[0]).toMatchObject({ path, message: expect.stringContaining(message) });
  });
});
