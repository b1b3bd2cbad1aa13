import { expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { createRandom } from '../proof/oracle/random.ts';
import { createLightLedgerWorld, type LedgerWorld } from '../provisioning/support.ts';
import { again, SEED } from '../support/seed.ts';
import { size } from '../support/tier.ts';
import { type Owned, requestOf } from './foreign-requests.ts';
import { type Client, groupOf, IDENTITY, userOf } from './support.ts';
import { makeTenant, serve, type Tenant } from './tenants.ts';

/**
 * A connection sends requests with what is another tenant's. The same requests go to a table where the other tenant has
 * nothing: each whole answer is the same to the byte, and nothing of the other's is written.
 *
 * `REQUESTS=5000` sends as many from each of the two connections.
 */
const REQUESTS = Number(process.env.REQUESTS ?? size(150, 1_000));

const IDS = { acme: '01J8Z0E2Z8D2A3J7A7Y2H90ACM', beta: '01J8Z0E2Z8D2A3J7A7Y2H90BET' };
type Name = keyof typeof IDS;

/** Where the other tenant is filled, and where requests begin: ids are counted from these numbers on. */
const [AT_TENANTS, AT_FILLING, AT_REQUESTS] = [0, 1, 2];

const idFrom = (begun: number, next: number): string =>
  `01J8Z0E2Z8${String(begun).padStart(8, '0')}${String(next).padStart(8, '0')}`;

/** A table with two tenants. Ids are given in order, so that another one like it comes to the same. */
async function createTable(mine: Name, other: Name) {
  const world = await createLightLedgerWorld();
  const counted = { begun: AT_TENANTS, next: 0 };
  const newId = () => idFrom(counted.begun, ++counted.next);
  const server = serve(world, createProvisioning({ ...world, newId }));
  const begin = (begun: number) => Object.assign(counted, { begun, next: 0 });
  const own = await makeTenant(world, mine, IDS[mine]);
  const theirs = await makeTenant(world, other, IDS[other]);
  const first = server.as(own);
  /** The request with this number, and the keys of all that it has written. */
  const send = async (nth: number, ...request: Parameters<Client>) => {
    begin(AT_REQUESTS + nth);
    const from = world.transactions.length;
    return { answer: await first(...request), written: keysIn(world.transactions.slice(from)) };
  };
  return { world, server, theirs, begin, send };
}

const keysIn = (transactions: LedgerWorld['transactions']): readonly string[] =>
  transactions.flatMap((sent) => sent.map(({ key }) => `${key.PK}\n${key.SK}`));

/** Users whom the connection made and linked, one with rights of operators, an administrator, and a group. */
async function fill({ run }: LedgerWorld, send: Client, { id, name }: Tenant): Promise<Owned> {
  const scope = `tenant:${id}`;
  const email = (who: string) => `${who}@${name}.example`;
  const idOf = (n: number) => idFrom(AT_FILLING, 90_000 + n);
  await run('user.create', { id: idOf(1), email: email('linked'), tenant: scope });
  await run('user.create', { id: idOf(2), email: email('admin'), tenant: scope });
  await run('admin.create', { user: idOf(2) });
  await run('permission.create', { name: 'provisioning:update:user' });
  await run('role.create', { id: idOf(3), name: 'operator', scope });
  await run('role-permission.create', {
    role: idOf(3),
    permission: 'provisioning:update:user',
    effect: 'ALLOW',
  });
  await run('user.create', { id: idOf(4), email: email('operator'), tenant: scope });
  await run('assignment.create', { user: idOf(4), role: idOf(3), scope });
  const users = [];
  for (const who of ['made', 'linked', 'operator'])
    users.push(
      await userOf(send, `Ann ${who}`, {
        externalId: `x-${who}`,
        emails: [{ value: email(who) }],
        [IDENTITY]: { sub: `s-${who}` },
      }),
    );
  expect(users.slice(1)).toEqual([idOf(1), idOf(4)]);
  const group = await groupOf(send, 'Staff', ...users);
  return {
    users: [...users, idOf(2)],
    groups: [group],
    others: [id, idOf(3), `${id}:${users[0]}`],
    userNames: ['Ann made', 'ann LINKED', 'Ann operator', email('made')],
    externalIds: ['x-made', 'x-linked'],
    displayNames: ['Staff', 'STAFF'],
    emails: ['made', 'linked', 'admin', 'operator'].map(email),
    subs: ['s-made', 's-linked'],
  };
}

test.each<[Name, Name]>([
  ['beta', 'acme'],
  ['acme', 'beta'],
])('a connection of %s learns and changes nothing of %s', async (mine, other) => {
  const [full, empty] = [await createTable(mine, other), await createTable(mine, other)];
  const beforehand = new Set(keysIn(full.world.transactions));
  full.begin(AT_FILLING);
  const theirs = await fill(full.world, full.server.as(full.theirs), full.theirs);
  const ids = [...theirs.users, ...theirs.groups, ...theirs.others];
  const isTheirs = (key: string) => ids.some((id) => key.includes(id));
  const keys = keysIn(full.world.transactions).filter((key) => !beforehand.has(key) || isTheirs(key));
  const ofTheirs = new Set(keys);
  const stateOf = async () =>
    (await full.world.everything()).filter(({ PK, SK }) => ofTheirs.has(`${PK}\n${SK}`));
  const state = await stateOf();

  const random = createRandom(SEED + (mine === 'beta' ? 0 : 1));
  const own = { users: new Set<string>(), groups: new Set<string>() };
  const counts = new Map<string, number>();
  for (let nth = 0; nth < REQUESTS; nth++) {
    const all = { users: [...own.users], groups: [...own.groups] };
    const { method, path, body } = requestOf(random, theirs, all, nth);
    const [seen, unseen] = [
      await full.send(nth, method, path, body),
      await empty.send(nth, method, path, body),
    ];
    const said = `${again()} ${nth}: ${method} ${path} ${JSON.stringify(body)}`;
    expect(JSON.stringify(seen.answer), said).toBe(JSON.stringify(unseen.answer));
    expect(
      seen.written.filter((key) => ofTheirs.has(key) || isTheirs(key)),
      said,
    ).toEqual([]);
    const { status, json } = seen.answer;
    const kept = path.startsWith('/Users') ? own.users : own.groups;
    if (status === 201) kept.add(json.id);
    if (status === 204 && method === 'DELETE') kept.delete(path.split('/')[2] as string);
    counts.set(`${method} ${status}`, (counts.get(`${method} ${status}`) ?? 0) + 1);
  }
  expect(await stateOf()).toEqual(state);
  // It says little unless requests succeed as well as fail.
  const of = ['GET 200', 'POST 201', 'POST 400', 'PUT 200', 'PATCH 200', 'DELETE 204', 'DELETE 404'];
  expect(of.filter((each) => !counts.has(each))).toEqual([]);
  if (process.env.REQUESTS) console.info(mine, Object.fromEntries([...counts].sort()));
});
