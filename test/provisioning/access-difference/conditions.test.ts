import { beforeEach, expect, test } from 'vitest';
import { accessDifference } from '../../../provisioning/access-difference/access-difference.ts';
import { COMMANDS } from '../../../provisioning/index.ts';
import { copyOf } from '../../support/world.ts';
import { type MemoryWorld, worldOf } from '../apply/support.ts';

/** Who loses and who gains what where conditions, stored properties or declarations change. */
const made = await worldOf(`
properties:
  - { of: "subject:user", name: department, type: string, source: stored }
  - { of: "resource:tenant", name: department, type: string, source: stored }
pages: [orders, plans, files]
scopes: { shop: { id: shop, type: tenant, properties: { department: sales } } }
roles:
  clerk:
    id: clerk
    owner: shop
    allow: [plans, { permission: orders, when: 'subject.properties.department == "sales"' }]
  keeper: { id: keeper, owner: shop, allow: [{ permission: files, when: 'context.ip == "10.0.0.1"' }] }
users:
  ann: { id: ann, grants: { shop: [clerk] }, properties: { department: sales } }
  ben: { id: ben, grants: { shop: [clerk] }, properties: { department: sales } }
  cem: { id: cem, grants: { shop: [clerk] }, properties: { department: legal } }
  dan: { id: dan, grants: { shop: [keeper] } }
`);
made.settle();
let world: MemoryWorld;
beforeEach(() => {
  world = copyOf(made);
});

/** Who loses and who gains what, as `ann orders`. */
async function differenceBy(command: string, input: object) {
  const { loses, gains, incomplete } = await accessDifference([{ command, input: { ...input } }], {
    reader: world.reader,
    commands: COMMANDS,
    at: world.clock.now(),
  });
  const shown = ({ rows }: typeof loses) =>
    rows
      .flatMap(({ subjects, permissions }) => subjects.map((ref) => `${ref.slice(5)} ${permissions}`))
      .sort();
  return { loses: shown(loses), gains: shown(gains), incomplete };
}

const [EFFECT, ORDERS] = ['role-permission.update', { role: 'clerk', permission: 'orders' }];
const LEGAL = 'subject.properties.department == "legal"';
const [ANN, BEN, CEM] = ['ann orders', 'ben orders', 'cem orders'];
const SALES = 'subject.properties.department == "sales"';

test.each<[string, string, object, loses: readonly string[], gains: readonly string[]]>([
  ['a condition that comes', EFFECT, { role: 'clerk', permission: 'plans', when: SALES }, ['cem plans'], []],
  ['one that goes', EFFECT, { ...ORDERS, when: null }, [], [CEM]],
  ['one that changes', EFFECT, { ...ORDERS, when: LEGAL }, [ANN, BEN], [CEM]],
  ['one that names one person', EFFECT, { ...ORDERS, when: 'subject.id == "ann"' }, [BEN], []],
  ['properties of a person', 'user.update', { id: 'ann', properties: { department: 'legal' } }, [ANN], []],
  ['properties that go', 'user.update', { id: 'ann', properties: null }, [ANN], []],
  ['a declaration', 'property.delete', { of: 'subject:user', name: 'department' }, [ANN, BEN], []],
])('%s', async (_, command, input, loses, gains) => {
  const { incomplete, ...difference } = await differenceBy(command, input);
  expect(difference).toEqual({ loses, gains });
  if (command === EFFECT) expect(incomplete).toBeUndefined();
});

test('of a condition that takes what only a request passes, what is known is the least', async () => {
  const input = { ...ORDERS, when: 'context.ip == "10.0.0.1"' };
  const incomplete = 'some conditions take values that only a request passes';
  expect(await differenceBy(EFFECT, input)).toEqual({ loses: [ANN, BEN], gains: [], incomplete });
});

test('properties of a scope concern all who are granted something there', async () => {
  const when = 'subject.properties.department == resource.properties.department';
  await world.run(EFFECT, { ...ORDERS, when });
  const input = { id: 'shop', properties: { department: 'legal' } };
  expect(await differenceBy('tenant.update', input)).toMatchObject({ loses: [ANN, BEN], gains: [CEM] });
});
