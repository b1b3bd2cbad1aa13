import { expect } from 'vitest';
import { hashOfToken, readApiToken } from '../../table/api-token.ts';
import type { World } from '../support/world.ts';
import { day, idOf, newAccount, newEnterprise, newLicense, newWorkstream } from './platform-setup.ts';
import { type RowContext, row } from './row.ts';
import { create, newRole, newUser, setPage } from './setup.ts';

/** Seed 002 in checks: licences, and technical users. */
const DAY = 24 * 3_600_000;

/** Asks with nothing cached: in one call at a root, in two below it. */
const asking =
  ({ world, record }: RowContext, permission: string) =>
  async (subject: string, scope: string): Promise<string> => {
    world.settle();
    const engine = world.newEngine();
    const before = world.calls.length;
    const decision = await record(() => engine.check(subject, permission, scope));
    const calls = world.calls.slice(before).map(({ operation }) => operation);
    expect(new Set(calls)).toEqual(new Set(['BatchGetItem']));
    expect(calls.length).toBeLessThanOrEqual(scope.startsWith('account:') ? 1 : 2);
    expect(decision.allowed).toBe(['role', 'admin'].includes(decision.reason));
    return decision.reason;
  };

/** A page, and a global role that allows it. */
async function newRoleFor(world: World, name: string): Promise<string> {
  await world.run('page.create', { name });
  const role = await newRole(world, name);
  await setPage(world, role, name, 'ALLOW');
  return role;
}

row('PL-22', async (context) => {
  const { world } = context;
  const ask = asking(context, 'pl22');
  const role = await newRoleFor(world, 'pl22');
  const [mine, other] = [await newAccount(world, 'PL22'), await newAccount(world, 'PL22 other')];
  const [north, south] = [await newEnterprise(world, 'PL22 N'), await newEnterprise(world, 'PL22 S')];
  const inNorth = `workstream:${await newWorkstream(world, mine, north)}`;
  const inSouth = `workstream:${await newWorkstream(world, mine, south)}`;
  // A type that was added stands below workstreams: what is below one needs its licence.
  await world.run('scope-type.create', {
    name: 'pl22-desk',
    root: false,
    parents: ['workstream'],
    children: [],
  });
  const desk = { type: 'pl22-desk', name: 'Desk', parent: inNorth };
  const below = `pl22-desk:${(await world.run('scope.create', desk)).id}`;
  const [ann, bob, eve] = [await newUser(world), await newUser(world), await newUser(world)];
  for (const scope of [mine, other]) await world.run('assignment.create', { user: ann, scope, role });
  await world.run('admin.create', { user: eve });
  const [asAnn, asBob] = [(at: string) => ask(`user:${ann}`, at), (at: string) => ask(`user:${bob}`, at)];

  // The account itself is linked to no enterprise; a workstream is, and the role alone does not do.
  expect(await asAnn(mine)).toBe('role');
  expect(await asAnn(inNorth)).toBe('not_licensed');
  expect(await asAnn(below)).toBe('not_licensed');
  // A licence of another account, or for another enterprise, is none.
  await newLicense(world, other, north);
  const elsewhere = await newLicense(world, mine, south);
  expect(await asAnn(inNorth)).toBe('not_licensed');
  expect(await asAnn(inSouth)).toBe('role');
  // Nor is one that is past its end, whatever its status says, or not open, or yet to begin.
  await newLicense(world, mine, north, { endDate: day(1, 10) });
  const closed = await newLicense(world, mine, north, { status: 'expired' });
  const start = Date.parse(day(2, 1));
  const coming = await newLicense(world, mine, north, { startDate: day(2, 1), endDate: day(2, 11) });
  expect(await asAnn(inNorth)).toBe('not_licensed');
  expect(await ask(`user:${eve}`, inNorth)).toBe('admin');

  world.clock.advance(start - world.clock.now());
  expect(await asAnn(inNorth)).toBe('role');
  expect(await asAnn(below)).toBe('role');
  // It entitles, and grants nothing.
  expect(await asBob(inNorth)).toBe('no_grant');
  // To the millisecond: what ends at an instant has ended by then.
  const at = (instant: string) => {
    const question = [`user:${ann}`, 'pl22', inNorth, { at: Date.parse(instant) }] as const;
    return context.record(async () => (await world.newEngine().check(...question)).reason);
  };
  expect(await at('2026-01-31T23:59:59.999Z')).toBe('not_licensed');
  expect(await at(day(2, 1))).toBe('role');
  expect(await at('2026-02-10T23:59:59.999Z')).toBe('role');
  expect(await at(day(2, 11))).toBe('not_licensed');
  world.clock.advance(10 * DAY);
  expect(await asAnn(inNorth)).toBe('not_licensed');
  expect(await asBob(inNorth)).toBe('not_licensed');

  // Prolonged, closed, opened again and taken away.
  await world.run('license.update', { id: coming, endDate: null });
  expect(await asAnn(inNorth)).toBe('role');
  await world.run('license.update', { id: coming, status: 'expired' });
  expect(await asAnn(inNorth)).toBe('not_licensed');
  await world.run('license.update', { id: closed, status: 'active' });
  expect(await asAnn(inNorth)).toBe('role');
  await world.run('license.delete', { id: closed });
  expect(await asAnn(inNorth)).toBe('not_licensed');
  // Linked to the other enterprise, a workstream needs the other licence.
  await world.run('workstream.update', { id: idOf(inNorth), enterprise: south });
  expect(await asAnn(inNorth)).toBe('role');
  await world.run('license.delete', { id: elsewhere });
  expect(await asAnn(inNorth)).toBe('not_licensed');
  expect(await asAnn(inSouth)).toBe('not_licensed');
  expect(await asAnn(mine)).toBe('role');
});

row('PL-23', async (context) => {
  const { world, record } = context;
  const ask = asking(context, 'pl23');
  const role = await newRoleFor(world, 'pl23');
  const [mine, other] = [await newAccount(world, 'PL23'), await newAccount(world, 'PL23 other')];
  const newBot = async (account: string, name: string, more: object = {}) =>
    `technical-user:${await create(world, 'technical-user', { account, name, ...more })}`;
  const [bot, twin] = [await newBot(mine, 'bot'), await newBot(other, 'bot')];
  /** An API token: its id, and its text, which is shown once. */
  const issue = async (user: string, more: object = {}) => {
    const { id, token } = await world.run('token.create', { user, tokenType: 'api', ...more });
    return { id, text: String(token) };
  };
  const authenticate = async (text: string): Promise<string | undefined> => {
    const read = readApiToken(text);
    if (!read) return undefined;
    world.settle();
    const before = world.calls.length;
    const { id, subject } = read;
    const credential = { ref: `token:${id}`, hash: await hashOfToken(text) };
    const question = { subject, credential, permission: undefined, scope: undefined };
    const { decision } = await record(() => world.newEngine().checkAsked(() => question));
    expect(world.calls.slice(before).map(({ operation }) => operation)).toEqual(['BatchGetItem']);
    return decision === undefined ? subject : undefined;
  };

  const first = await issue(bot);
  const second = await issue(bot, { expiresAt: new Date(world.clock.now() + DAY).toISOString() });
  const foreign = await issue(twin);
  for (const [{ text }, subject] of [
    [first, bot],
    [second, bot],
    [foreign, twin],
  ] as const) {
    expect(readApiToken(text)?.subject).toBe(subject);
    expect(await authenticate(text)).toBe(subject);
  }
  // The table holds no text: neither what is read of the token nor a list shows it, or its hash.
  const shown = JSON.stringify([
    await world.run('token.read', { id: first.id }),
    await world.run('token.list', { user: bot }),
  ]);
  expect(shown).toContain(first.id);
  for (const secret of [first.text, await hashOfToken(first.text)]) expect(shown).not.toContain(secret);
  // Another secret, another's id, another's name: none is a token.
  const flip = (text: string) => `${text.slice(0, -2)}${text.endsWith('AA') ? 'BB' : 'AA'}`;
  expect(await authenticate(flip(first.text))).toBeUndefined();
  expect(await authenticate(first.text.replace(first.id, second.id))).toBeUndefined();
  expect(await authenticate(first.text.replace(idOf(bot), idOf(twin)))).toBeUndefined();
  expect(await authenticate(`Bearer ${first.text}`)).toBeUndefined();

  // Checked like users: by a group's role, by an assignment, at its account and nowhere else.
  expect(await ask(bot, mine)).toBe('no_grant');
  const group = await create(world, 'group', { scope: mine, name: 'programs' });
  await world.run('group-role.create', { group, role });
  await world.run('membership.create', { user: bot, group });
  expect(await ask(bot, mine)).toBe('role');
  expect(await ask(twin, mine)).toBe('no_grant');
  expect(await ask(bot, other)).toBe('no_grant');
  // A user of the same id is nobody.
  expect(await ask(`user:${idOf(bot)}`, mine)).toBe('subject_unknown');
  await world.run('membership.delete', { user: bot, group });
  expect(await ask(bot, mine)).toBe('no_grant');
  const endsAt = new Date(world.clock.now() + 2 * DAY).toISOString();
  await world.run('assignment.create', { user: bot, scope: mine, role, endsAt });
  expect(await ask(bot, mine)).toBe('role');
  await world.run('grant.create', { user: twin, scope: mine, roles: [role] });
  expect(await ask(twin, mine)).toBe('role');

  // Inactive, ended, gone: the token still says who it is, and who it is may do nothing.
  await world.run('technical-user.update', { id: idOf(bot), status: 'inactive' });
  expect(await ask(bot, mine)).toBe('subject_inactive');
  await world.run('technical-user.update', { id: idOf(bot), status: 'active' });
  expect(await ask(bot, mine)).toBe('role');
  await world.run('technical-user.update', {
    id: idOf(bot),
    endsAt: new Date(world.clock.now() - 1).toISOString(),
  });
  expect(await ask(bot, mine)).toBe('subject_ended');
  await world.run('technical-user.update', { id: idOf(bot), endsAt: null });
  expect(await ask(bot, mine)).toBe('role');

  // One token revoked, the next past its end; a new one does.
  await world.run('token.revoke', { id: first.id });
  expect(await authenticate(first.text)).toBeUndefined();
  expect(await authenticate(second.text)).toBe(bot);
  expect(await authenticate(foreign.text)).toBe(twin);
  world.clock.advance(DAY);
  expect(await authenticate(second.text)).toBeUndefined();
  const third = await issue(bot);
  expect(await authenticate(third.text)).toBe(bot);
  world.clock.advance(DAY);
  expect(await ask(bot, mine)).toBe('no_grant');
  world.clock.advance(30 * DAY);
  expect(await authenticate(third.text)).toBeUndefined();
  // With the technical user its tokens go.
  const last = await issue(twin);
  await world.run('technical-user.delete', { id: idOf(twin) });
  expect(await authenticate(last.text)).toBeUndefined();
  expect(await ask(twin, mine)).toBe('subject_unknown');
  expect(await ask(bot, mine)).toBe('no_grant');
});
