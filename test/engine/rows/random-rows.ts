import { SCOPE } from '../../../engine/items.ts';
import { readItems } from '../../../engine/read-items.ts';
import {
  bool,
  defineRows,
  double,
  int,
  type Row,
  type Rows,
  text,
  texts,
  time,
} from '../../../engine/rows/index.ts';
import type { ScopeItem } from '../../../table/decision/items.ts';
import { PERMISSIONS } from '../../proof/oracle/generate.ts';
import * as fc from '../../support/fast-check.ts';
import type { World } from '../../support/world.ts';
import type { Furnished } from '../search/random-world.ts';

/** Rows that are hard to find by a condition: odd values, scopes that are closed, gone or of another type. */

const EXPRESSIONS = [
  'resource.properties.owner == subject.id',
  'subject.id == resource.properties.owner && resource.properties.amount < 500',
  'resource.properties.owner == "tenant:a" || resource.properties.amount >= 10',
  'resource.properties.owner in ["a_b", "A_B", "é", "é", ""]',
  'resource.properties.owner in subject.properties.friends',
  'subject.id in resource.properties.shared',
  '"%" in resource.properties.shared || resource.properties.isOpen == true',
  'resource.properties.amount <= 9007199254740991 && resource.properties.amount > -1',
  'resource.properties.share < 0.5 || resource.properties.share == 1.0',
  'resource.properties.paidAt >= timestamp("2026-01-01T00:00:00.001Z")',
  'resource.properties.paidAt == timestamp("2026-01-01T00:00:00.001Z")',
  'resource.properties.paidAt < context.time',
  'resource.properties.paidAt <= timestamp("9999-12-31T23:59:59.999Z")',
  'subject.properties.department == "sales" && resource.properties.owner == subject.id',
  'subject.properties.department == "sales" || resource.properties.isOpen == true',
  'resource.properties.department == "sales"',
  'resource.type == "invoice" && resource.properties.owner == context.claims.sub',
  'resource.properties.owner == context.claims.missing || !(resource.properties.isOpen == true)',
  'has(resource.properties.amount) ? resource.properties.amount == 5 : true',
  'resource.id == "7"',
  'resource.properties.shared.exists(x, x == subject.id)',
  'resource.properties.owner != subject.id',
];

const TEXTS = [
  ...['a_b', 'A_B', 'aXb', '%', "o'neil", 'é', 'é', 'tenant:a', 'tenant:ab', '', 'me', '5', 'x\u0000y'],
  ...['\ud83d'],
];
const LISTS = [[], ['%'], ['me'], ['a_b', 'me', "o'neil"], ['ME']];
const INTS = [0, -0, 5, 9, 10, 499, 500, -1, Number.MAX_SAFE_INTEGER, 2 ** 53 + 2, 5.5];
const DOUBLES = [0, 0.5, 0.49999999999999994, 1, -1e300, Number.NaN];
const TIMES = [
  ...['2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z'],
  ...['2026-01-01T00:00:00.001999Z', '2026-01-01T00:00:00.002Z', '2026-01-01T00:00:00Z'],
  ...['2026-01-01T01:00:00.001+01:00', '1969-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
];

/** What rows may be like. */
const row = fc.record({
  scope: fc.nat({ max: 30 }),
  owner: fc.constantFrom<unknown>(null, 5, ...TEXTS),
  amount: fc.constantFrom<unknown>(null, '5', 'x', ...INTS),
  share: fc.constantFrom<unknown>(null, '0.1', ...DOUBLES),
  isOpen: fc.constantFrom<unknown>(null, 0, 1, 2),
  paidAt: fc.constantFrom<unknown>(null, ...TIMES),
  shared: fc.constantFrom<unknown>(null, 'me', '{}', ...LISTS.map((list) => JSON.stringify(list))),
  // As texts they have another order.
  rank: fc.constantFrom(0, 1, 2, 10),
});

type Drawn = typeof row extends fc.Arbitrary<infer T> ? T : never;

export const DEFINED: readonly Rows[] = [
  { scope: 'zone', path: ['building', 'client'] },
  { scope: 'zone', path: [] },
  { scope: 'building', path: ['project', 'client'] },
  { scope: 'location', path: ['tenant'] },
  { scope: 'device', path: [] },
  { scope: 'device', path: ['building', 'project', 'client'] },
  { scope: 'device', path: ['zone', 'client'] },
  { scope: 'tenant', path: [] },
  { scope: 'campus', path: ['client'] },
].map(({ scope, path }) =>
  defineRows({
    type: 'invoice',
    id: 'id',
    scope: { column: 'scope_id', type: scope },
    path: path.map((type) => ({ column: `${type}_id`, type })),
    properties: {
      owner: text('owner'),
      amount: int('amount'),
      share: double('share'),
      isOpen: bool('is_open', 'number'),
      paidAt: time('paid_at', 'text'),
      shared: texts('shared', 'json'),
    },
    order: [{ column: 'rank', direction: 'desc' }],
    key: ['id'],
  }),
);

/** What these expressions look at. */
const PROPERTIES = [
  ...Object.entries({
    owner: 'string',
    amount: 'int',
    share: 'double',
    isOpen: 'bool',
    paidAt: 'timestamp',
    shared: 'list<string>',
  }).map(([name, type]) => ({ of: 'resource:invoice', name, type, source: 'passed' })),
  { of: 'resource:invoice', name: 'department', type: 'string', source: 'stored' },
  { of: 'subject:user', name: 'department', type: 'string', source: 'stored' },
  { of: 'subject:user', name: 'friends', type: 'list<string>', source: 'passed' },
];

/** Declares what conditions look at, and lets roles allow under conditions. */
export async function addConditions(
  { run, provision }: World,
  there: Furnished,
  seed: number,
): Promise<void> {
  for (const property of PROPERTIES) await run('property.create', property);
  for (const [position, subject] of there.subjects.entries())
    if (position % 2 === 0 && subject.startsWith('user:'))
      await run('user.update', { id: subject.slice(5), properties: { department: 'sales' } });
  const roles = await run('role.list', {});
  const drawn = fc.sample(
    fc.record({
      role: fc.nat({ max: 7 }),
      permission: fc.constantFrom(...PERMISSIONS),
      when: fc.constantFrom(...EXPRESSIONS),
      isDeny: fc.nat({ max: 4 }),
    }),
    { seed, numRuns: 40 },
  );
  // By name: ids are other ones in each run.
  const ids = (roles.items as unknown as readonly { readonly id: string; readonly name: string }[])
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ id }) => id);
  for (const { role, permission, when, isDeny } of drawn)
    await provision({
      command: 'role-permission.create',
      input: { role: ids[role % ids.length], permission, when, effect: isDeny === 0 ? 'DENY' : 'ALLOW' },
    });
}

/** Rows of a definition at the scopes of a world, and some at none. */
export async function rowsAt(
  { reader }: Pick<World, 'reader'>,
  { scopes }: Furnished,
  rows: Rows,
  seed: number,
  count: number,
): Promise<readonly Row[]> {
  const items = await readItems<ScopeItem[]>(reader, ...scopes.map((id) => ({ kind: SCOPE, id })));
  const idsOf = (type: string, refs: readonly string[]): string | null =>
    refs.find((ref) => ref.startsWith(`${type}:`))?.slice(type.length + 1) ?? null;
  const paths = items.flatMap((item) => (item ? [[item.ref, ...item.ancestors]] : []));
  const own = paths.filter(([ref = '']) => ref.startsWith(`${rows.scope.type}:`));
  return fc.sample(row, { seed, numRuns: count }).map((each, position) => {
    const path =
      [...own, ...own, ...own, ['gone:x'], ['no id:?'], paths[0] ?? []][each.scope % (3 * own.length + 3)] ??
      [];
    const isOwn = path[0]?.startsWith(`${rows.scope.type}:`);
    const columns = Object.fromEntries(
      rows.path.map(({ column, type }) => [column, idsOf(type, path.slice(1))] as const),
    );
    return {
      ...columnsOf(each),
      ...columns,
      scope_id: isOwn
        ? (path[0] as string).slice(rows.scope.type.length + 1)
        : each.scope % 2
          ? null
          : path[0],
      id: String(position),
    };
  });
}

const columnsOf = ({ isOpen, paidAt, scope: _, ...same }: Drawn): Row => ({
  ...same,
  is_open: isOpen,
  paid_at: paidAt,
});

/** Rows without a scope. */
export const randomRows = (seed: number, count: number): readonly Row[] =>
  fc.sample(row, { seed, numRuns: count }).map(columnsOf);
