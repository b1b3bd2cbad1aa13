import { expect, test } from 'vitest';
import { systemClock } from '../../engine/clock.ts';
import { createIds } from '../../provisioning/ids.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import { keyOf } from '../../table/write/action.ts';
import type { Writer } from '../../table/writer.ts';
import { fileOf, gatehouse } from '../cli/support.ts';
import { inParallel } from '../provisioning/stepwise.ts';
import { size } from '../support/tier.ts';
import { createWorld } from '../support/world.ts';
import { groupOf, patchOf, USER } from './support.ts';
import { makeTenant, serve } from './tenants.ts';

/**
 * What a sync of a whole company writes: each user is in four groups, and each group has forty members. `SCIM_USERS=50000`
 * syncs as many, and says how long it takes beside `gatehouse load` of the same.
 */
const GIVEN = process.env.SCIM_USERS;
const USERS = Number(GIVEN ?? size(40, 400));
const GROUPS = USERS / 10;
const PARALLEL = 8;

const email = (n: number) => `ann${n}@acme.example`;
/** Which users are in a group. */
const membersOf = (g: number) => Array.from({ length: 40 }, (_, n) => (g * 10 + n) % USERS);
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Counts transactions and their items, how often each item is written, and how often the connection is. */
function createMeter(writer: Writer) {
  const keys = new Map<string, number>();
  const sums = { transactions: 0, items: 0 };
  const send: Writer['send'] = async (actions, notes) => {
    await writer.send(actions, notes);
    sums.transactions += 1;
    sums.items += actions.length;
    for (const action of actions) {
      const { PK, SK } = keyOf(action);
      keys.set(`${PK} / ${SK}`, (keys.get(`${PK} / ${SK}`) ?? 0) + 1);
    }
  };
  /** Transactions and items of `act`, and the items that it writes most often. */
  async function of(act: () => Promise<unknown>) {
    keys.clear();
    Object.assign(sums, { transactions: 0, items: 0 });
    const begun = Date.now();
    await act();
    const hottest = [...keys].sort(([a, most], [b, less]) => less - most || (a < b ? -1 : 1)).slice(0, 50);
    const asked = keys.get('SCIM_CONNECTION#acme / META') ?? 0;
    return { ...sums, asked, seconds: (Date.now() - begun) / 1_000, hottest };
  }
  return { writer: { send }, of };
}

async function sync() {
  const world = await createWorld();
  const { writer, of } = createMeter(world.writer);
  world.clock.advance(Date.now() - world.clock.now() - 3_600_000);
  const tenant = await makeTenant(world, 'acme');
  world.clock.advance(3_600_000);
  const provisioning = createProvisioning({ ...world, clock: systemClock, writer, newId: createIds() });
  const send = serve(world, provisioning).as(tenant);
  let users: string[] = [];
  // The first request of all is noted.
  const noted = await of(() => send('GET', '/Users?count=0'));
  const made = await of(async () => {
    users = await inParallel(numbers(USERS), PARALLEL, async (n) => {
      const body = {
        schemas: [USER],
        userName: email(n),
        externalId: `x${n}`,
        emails: [{ value: email(n) }],
      };
      const { status, json } = await send('POST', '/Users', body);
      expect(status, JSON.stringify(json)).toBe(201);
      return json.id as string;
    });
  });
  let groups: string[] = [];
  const grouped = await of(async () => {
    groups = await inParallel(numbers(GROUPS), PARALLEL, (g) => groupOf(send, `Group ${g}`));
  });
  const filled = await of(() =>
    inParallel(groups, PARALLEL, async (group, g) => {
      const value = membersOf(g).map((n) => ({ value: users[n] }));
      const { status } = await send(
        'PATCH',
        `/Groups/${group}`,
        patchOf({ op: 'add', path: 'members', value }),
      );
      expect(status).toBe(204);
    }),
  );
  return { noted, made, grouped, filled };
}

/** The same by the command line. It has no rows for groups: these are made by commands. */
async function load() {
  const world = await createWorld();
  await makeTenant(world, 'acme');
  const env = { TABLE_NAME: world.table, DYNAMODB_ENDPOINT: world.endpoint };
  const seconds = async (act: () => Promise<unknown>) => {
    const begun = Date.now();
    await act();
    return (Date.now() - begun) / 1_000;
  };
  const loadFile = async (kind: string, rows: readonly string[]) => {
    const { code, error } = await gatehouse(['load', kind, fileOf(rows.join('\n'), 'csv')], { env });
    expect([code, code === 0 ? '' : error]).toEqual([0, '']);
  };
  const id = (n: number) => `01J8Z0E2Z8${String(n).padStart(16, '0')}`;
  const users = await seconds(() =>
    loadFile('users', ['id,email,tenant', ...numbers(USERS).map((n) => `${id(n)},${email(n)},tenant:acme`)]),
  );
  const groups = await seconds(() =>
    inParallel(numbers(GROUPS), PARALLEL, (g) =>
      world.run('group.create', { id: id(USERS + g), name: `Group ${g}`, scope: 'tenant:acme' }),
    ),
  );
  const rows = numbers(GROUPS).flatMap((g) => membersOf(g).map((n) => `${id(n)},${id(USERS + g)}`));
  const memberships = await seconds(() => loadFile('memberships', ['user,group', ...rows]));
  return { users, groups, memberships };
}

const HOURS_MS = 10 * 3_600_000;

test('each request writes what it is about', { timeout: HOURS_MS }, async () => {
  const { noted, made, grouped, filled } = await sync();
  if (GIVEN !== undefined)
    console.info(
      JSON.stringify(
        [made, grouped, filled].map(({ hottest, ...rest }) => ({ ...rest, hottest: hottest.slice(0, 5) })),
      ),
    );
  const written = ({ transactions, items }: typeof made) => [transactions, items];
  expect(written(noted)).toEqual([1, 5]);
  expect(written(made)).toEqual([USERS, USERS * 14 + made.asked * 3]);
  expect(written(grouped)).toEqual([GROUPS, GROUPS * 12 + grouped.asked * 2]);
  // Of forty members thirteen in each transaction.
  expect(written(filled)).toEqual([GROUPS * 4, GROUPS * 256]);

  // The first through each gate of the tenant ask for the connection, its tenant and the domain, the others for the gate.
  expect(made.asked).toBeLessThanOrEqual(16 + PARALLEL);
  expect(made.hottest[0]?.[1]).toBeLessThanOrEqual(Math.max(16 + PARALLEL, USERS / 8));
  // Members write their group, once in a transaction, and nothing of the connection or the tenant.
  const most = filled.hottest.find(([key]) => !key.startsWith('AUDIT_COUNT#'));
  expect(most?.[1]).toBe(4);
  if (GIVEN !== undefined) console.info(JSON.stringify(await load()));
});
