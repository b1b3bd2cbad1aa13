import { expect, test } from 'vitest';
import { createVisibleRows, type Row, type VisibleRows } from '../../../engine/rows/index.ts';
import { type TestEngine, testEngine } from '../../../testing/index.ts';
import { rowsInMemory } from '../../../testing/rows-in-memory.ts';
import { SEED } from '../../support/seed.ts';
import { DEFINED, EXPRESSIONS, PROPERTIES, randomRows } from './random-rows.ts';

/** Each expression, as the only way to a permission: no row is lost that it allows, whatever its columns hold. */
const permissionOf = (position: number) => `rows:read:e${position}`;
const MANIFEST = JSON.stringify({
  permissions: EXPRESSIONS.map((_, position) => permissionOf(position)),
  properties: PROPERTIES,
  scopes: {
    acme: { id: 'acme', type: 'client' },
    plan: { id: 'plan', type: 'project', parent: 'acme' },
    house: { id: 'house', type: 'building', parent: 'plan' },
    outer: { id: 'outer', type: 'zone', parent: 'house' },
    inner: { id: 'inner', type: 'zone', parent: 'outer' },
  },
  roles: {
    reader: {
      owner: 'acme',
      allow: EXPRESSIONS.map((when, position) => ({ permission: permissionOf(position), when })),
    },
  },
  users: {
    me: {
      id: 'me',
      properties: { department: 'sales' },
      assignments: [{ role: 'reader', scope: 'outer' }],
    },
  },
});
const [ROWS] = DEFINED;
const GIVEN = {
  subject: { properties: { friends: ["o'neil", 'tenant:ab'] } },
  context: { claims: { sub: 'me' }, time: new Date('2026-01-01T00:00:00.001Z') },
};
const PATHS = [
  { scope_id: 'outer', building_id: 'house', client_id: 'acme' },
  { scope_id: 'inner', building_id: 'house', client_id: 'acme' },
];

const there: TestEngine = await testEngine(MANIFEST);
const { reader, engine, clock } = there;
const visibleRows: VisibleRows = createVisibleRows({
  reader,
  engine,
  clock,
  cursorSecret: 'cursors of tests are encrypted with this',
});
const all: readonly Row[] = randomRows(SEED, 400).map((row, position) => ({
  ...row,
  ...PATHS[position % 2],
  id: String(position),
}));

test.each(EXPRESSIONS.map((expression, position) => ({ expression, position })))(
  '$expression',
  async ({ position }) => {
    if (ROWS === undefined) throw new Error('no rows are defined');
    const permission = permissionOf(position);
    const { engine } = there;
    const expected = new Set<unknown>();
    for (const row of all) {
      const options = { ...GIVEN, resource: ROWS.resourceOf(row) };
      const decided = await engine.check('user:me', permission, ROWS.scopeOf(row) as string, options);
      if (decided.allowed) expected.add(row.id);
    }
    const page = await visibleRows({
      subject: 'user:me',
      permission,
      rows: ROWS,
      limit: 500,
      given: GIVEN,
      fetch: rowsInMemory(ROWS, () => all),
    });
    expect(new Set(page.rows.map(({ id }) => id))).toEqual(expected);
  },
);
