import { expect, test } from 'vitest';
import { systemClock } from '../../engine/clock.ts';
import { createIds } from '../../provisioning/ids.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import { keyOf } from '../../table/write/action.ts';
import type { Writer } from '../../table/writer.ts';
import { inParallel } from '../provisioning/stepwise.ts';
import { size } from '../support/tier.ts';
import { createWorld } from '../support/world.ts';
import { groupOf, patchOf, USER } from './support.ts';
import { makeTenant, serve } from './tenants.ts';

/** What a sync of a whole company writes: each user is in four groups, and each group has forty members. */
const USERS = size(40, 400);
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
    await act();
    const hottest = [...keys].sort(([a, most], [b, less]) => less - most || (a < b ? -1 : 1)).slice(0, 50);
    const asked = keys.get('SCIM_CONNECTION#acme / META') ?? 0;
    return { ...sums, asked, hottest };
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

test('each request writes what it is about', async () => {
  const { noted, made, grouped, filled } = await sync();
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
});
