import { randomBytes } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type CheckOptions, createEngine } from '../../engine/index.ts';
import type { Item } from '../../table/item.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import type { Reader } from '../../table/reader.ts';
import { openStore, type Store } from '../support/store.ts';
import { commandsOf, createClock } from '../support/world.ts';

/** Something that is allowed until it is revoked. */
interface Case {
  readonly name: string;
  readonly question: readonly [subject: string, permission: string, scope: string, options?: CheckOptions];
  readonly revoke: () => Promise<unknown>;
}

const PAGE = 'dashboard';

/** A new table with these items: what a restore from a backup makes. */
export async function restored(items: readonly Item[]): Promise<Store> {
  const store = await openStore();
  const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, n) =>
    items.slice(n * 25, n * 25 + 25),
  );
  await inParallel(batches, async (batch) => {
    const requests = batch.map((Item) => ({ PutRequest: { Item } }));
    await store.client.send(new BatchWriteCommand({ RequestItems: { [store.table]: requests } }));
  });
  return store;
}

/** The lines that the pipe has stored of the audit log of a table: its records, and its counts as they stand. */
const linesOf = (items: readonly Item[]): readonly string[] =>
  items
    .filter(({ PK }) => PK.startsWith('AUDIT'))
    .map((item) =>
      JSON.stringify({
        eventName: item.PK.startsWith('AUDIT#') ? 'INSERT' : 'MODIFY',
        dynamodb: { Keys: marshall({ PK: item.PK, SK: item.SK }), NewImage: marshall(item) },
        eventSource: 'aws:dynamodb',
      }),
    );

async function inParallel<T>(values: readonly T[], act: (value: T) => Promise<unknown>): Promise<void> {
  const rest = values.values();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const value of rest) await act(value);
    }),
  );
}

/**
 * A table with users who are allowed, some of whom lose that after the restore point, in every way there is; and
 * what the table was at the restore point, in a new table.
 */
export async function createDrill<Copy extends { readonly reader: Reader }>(
  size: { readonly users: number; readonly revocations: number },
  restore: (items: readonly Item[]) => Promise<Copy>,
) {
  // The table that is lost needs no engine: what is restored is on one.
  const memory = createMemoryTable();
  const clock = createClock();
  const newSecret = () => randomBytes(32).toString('base64url');
  const world = { ...memory, clock, ...commandsOf({ ...memory, clock, newSecret }) };
  const { run } = world;
  const all = await furnish(world);
  const cases: Case[] = [];
  await inParallel(
    Array.from({ length: size.revocations }, (_, n) => n),
    async (n) => void cases.push(await (all.kinds[n % all.kinds.length] as (typeof all.kinds)[number])(n)),
  );
  const others: string[] = [];
  await inParallel(
    Array.from({ length: size.users - size.revocations }, (_, n) => n),
    async (n) => {
      const user = (await run('user.create', { username: `other-${n}` })).id;
      await run('grant.create', { user, scope: all.tenant, roles: [all.role] });
      others.push(user);
    },
  );
  clock.advance(2 * 3_600_000);
  const since = clock.now();
  const backup = memory.items();
  clock.advance(5_000);
  await inParallel(cases, ({ revoke }) => revoke());
  // What opens is not replayed.
  const [first = '', second = ''] = others;
  const late = (await run('user.create', { username: 'late' })).id;
  await run('grant.create', { user: late, scope: all.tenant, roles: [all.role] });
  await run('grant.update', { user: first, scope: all.tenant, roles: [all.role, all.spare] });
  await run('user.update', { id: second, status: 'disabled' });
  clock.advance(10_000);
  await run('user.update', { id: second, status: 'active' });
  clock.advance(60_000);
  const outside = linesOf(memory.items());
  const copy = await restore(backup);
  clock.advance(60_000);

  /** Who is allowed in the restored table. */
  async function allowed() {
    const engine = createEngine({ reader: copy.reader, clock, random: () => 0, wait: clock.wait });
    const open: string[] = [];
    await inParallel(cases, async ({ name, question: [subject, permission, scope, options] }) => {
      const { allowed } = await engine.check(subject, permission, scope, options);
      if (allowed) open.push(name);
    });
    const left: string[] = [];
    await inParallel(others, async (user) => {
      const { allowed } = await engine.check(`user:${user}`, PAGE, all.tenant);
      if (allowed) left.push(user);
    });
    return { revoked: open.sort(), others: left.length };
  }

  return { world, copy, since: new Date(since).toISOString(), outside, cases, others, allowed, all };
}

/** What cases are made of, and a case of each kind of revocation. */
async function furnish({
  run,
  clock,
}: Pick<ReturnType<typeof commandsOf>, 'run'> & { clock: { now: () => number } }) {
  await run('page.create', { name: PAGE });
  const tenant = `tenant:${(await run('tenant.create', { name: 'Acme' })).id}`;
  const role = (await run('role.create', { name: 'reader', scope: 'tenant' })).id;
  const spare = (await run('role.create', { name: 'spare', scope: 'tenant' })).id;
  const everywhere = (await run('role.create', { name: 'everywhere', scope: 'global' })).id;
  for (const each of [role, everywhere])
    await run('role-permission.create', { role: each, permission: PAGE, effect: 'ALLOW' });

  const user = async (n: number, more = {}) =>
    (await run('user.create', { username: `case-${n}`, ...more })).id;
  const granted = async (n: number, scope = tenant, of = role) => {
    const id = await user(n);
    const grant = (await run('grant.create', { user: id, scope, roles: [of] })).id;
    return { id, grant, question: [`user:${id}`, PAGE, scope] as const };
  };
  const ofUser =
    (name: string, command: string, input: (of: { id: string; grant: string }) => Record<string, unknown>) =>
    async (n: number): Promise<Case> => {
      const of = await granted(n);
      return { name: `${name} ${n}`, question: of.question, revoke: () => run(command, input(of)) };
    };
  const soon = () => new Date(clock.now() + 1_000).toISOString();

  /** A credential of a granted user. */
  const ofCredential =
    (
      name: string,
      create: (user: string) => readonly [string, Record<string, unknown>],
      revoke: readonly [string, Record<string, unknown>],
    ) =>
    async (n: number): Promise<Case> => {
      const { id, question } = await granted(n);
      const [command, input] = create(id);
      const record = (await run(command, input)).id;
      const ref = `${command.split('.')[0]}:${record}`;
      return {
        name: `${name} ${n}`,
        question: [...question, { credential: { ref } }],
        revoke: () => run(revoke[0], { id: record, ...revoke[1] }),
      };
    };
  const session = (id: string) => ['session.create', { user: id }] as const;
  const token = (id: string) => ['token.create', { user: id, tokenType: 'JWT' }] as const;

  /** Something of its own that one user has access by. */
  const ofOwn =
    (name: string, make: (n: number) => Promise<Omit<Case, 'name'>>) =>
    async (n: number): Promise<Case> => ({ name: `${name} ${n}`, ...(await make(n)) });
  const newTenant = async (n: number) => `tenant:${(await run('tenant.create', { name: `T${n}` })).id}`;
  const newLocation = async (n: number, parent = tenant) =>
    `location:${(await run('location.create', { name: `L${n}`, parent })).id}`;
  const newRole = async (n: number) => {
    const id = (await run('role.create', { name: `role-${n}`, scope: 'tenant' })).id;
    await run('role-permission.create', { role: id, permission: PAGE, effect: 'ALLOW' });
    return id;
  };
  const inGroup = async (n: number) => {
    const id = await user(n);
    const group = (await run('group.create', { scope: tenant, name: `group-${n}` })).id;
    await run('group-role.create', { group, role });
    await run('membership.create', { user: id, group });
    return { id, group, question: [`user:${id}`, PAGE, tenant] as const };
  };
  const byOwnRole = async (n: number) => {
    const own = await newRole(n);
    return { own, question: (await granted(n, tenant, own)).question };
  };
  const assigned = async (n: number) => {
    const id = await user(n);
    const of = { user: id, scope: await newLocation(n), role };
    await run('assignment.create', of);
    return { of, question: [`user:${id}`, PAGE, of.scope] as const };
  };

  const kinds = [
    ofUser('disabled user', 'user.update', ({ id }) => ({ id, status: 'disabled' })),
    ofUser('deleted user', 'user.delete', ({ id }) => ({ id })),
    ofUser('ended user', 'user.update', ({ id }) => ({ id, endsAt: soon() })),
    ofUser('deleted grant', 'grant.delete', ({ grant }) => ({ id: grant })),
    ofUser('role taken from a grant', 'grant.update', ({ grant }) => ({ id: grant, roles: [spare] })),
    ofCredential('revoked session', session, ['session.update', { status: 'revoked' }]),
    ofCredential('deleted session', session, ['session.delete', {}]),
    ofCredential('revoked token', token, ['token.revoke', {}]),
    ofCredential('deleted token', token, ['token.delete', {}]),
    ofOwn('deleted membership', async (n) => {
      const { id, group, question } = await inGroup(n);
      return { question, revoke: () => run('membership.delete', { user: id, group }) };
    }),
    ofOwn('role taken from a group', async (n) => {
      const { group, question } = await inGroup(n);
      return { question, revoke: () => run('group-role.delete', { group, role }) };
    }),
    ofOwn('deleted group', async (n) => {
      const { group, question } = await inGroup(n);
      return { question, revoke: () => run('group.delete', { id: group }) };
    }),
    ofOwn('deleted assignment', async (n) => {
      const { of, question } = await assigned(n);
      return { question, revoke: () => run('assignment.delete', of) };
    }),
    ofOwn('ended assignment', async (n) => {
      const { of, question } = await assigned(n);
      return { question, revoke: () => run('assignment.update', { ...of, endsAt: soon() }) };
    }),
    ofOwn('removed global role', async (n) => {
      const id = await user(n);
      await run('global-role.create', { user: id, role: everywhere });
      return {
        question: [`user:${id}`, PAGE, tenant],
        revoke: () => run('global-role.delete', { user: id, role: everywhere }),
      };
    }),
    ofOwn('removed administrator', async (n) => {
      const id = await user(n);
      await run('admin.create', { user: id });
      return { question: [`user:${id}`, PAGE, tenant], revoke: () => run('admin.delete', { user: id }) };
    }),
    ofOwn('deleted effect', async (n) => {
      const { own, question } = await byOwnRole(n);
      return { question, revoke: () => run('role-permission.delete', { role: own, permission: PAGE }) };
    }),
    ofOwn('effect that became DENY', async (n) => {
      const { own, question } = await byOwnRole(n);
      return {
        question,
        revoke: () => run('role-permission.update', { role: own, permission: PAGE, effect: 'DENY' }),
      };
    }),
    ofOwn('new DENY', async (n) => {
      const id = await user(n);
      const scope = `location:${(await run('location.create', { name: `S${n}`, combination: 'deny-overrides' })).id}`;
      const other = (await run('role.create', { name: `denier-${n}`, scope: 'tenant' })).id;
      await run('grant.create', { user: id, scope, roles: [role, other] });
      return {
        question: [`user:${id}`, PAGE, scope],
        revoke: () => run('role-permission.create', { role: other, permission: PAGE, effect: 'DENY' }),
      };
    }),
    ofOwn('deleted role', async (n) => {
      const { own, question } = await byOwnRole(n);
      return { question, revoke: () => run('role.delete', { id: own }) };
    }),
    ofOwn('suspended tenant', async (n) => {
      const scope = await newTenant(n);
      const { question } = await granted(n, scope);
      return {
        question,
        revoke: () => run('tenant.update', { id: scope.slice('tenant:'.length), status: 'suspended' }),
      };
    }),
    ofOwn('deleted location', async (n) => {
      const scope = await newLocation(n);
      const { id } = await granted(n);
      return {
        question: [`user:${id}`, PAGE, scope],
        revoke: () => run('location.delete', { id: scope.slice('location:'.length) }),
      };
    }),
    ofOwn('deleted tree of scopes', async (n) => {
      const scope = await newTenant(n);
      const below = await newLocation(n, scope);
      const { id } = await granted(n, scope);
      return {
        question: [`user:${id}`, PAGE, below],
        revoke: () => run('scope.delete-tree', { scope }),
      };
    }),
    ofOwn('page that was removed', async (n) => {
      const page = `page-${n}`;
      await run('page.create', { name: page });
      await run('role-permission.create', { role, permission: page, effect: 'ALLOW' });
      const { id } = await granted(n);
      return { question: [`user:${id}`, page, tenant], revoke: () => run('page.delete', { name: page }) };
    }),
  ];
  return { tenant, role, spare, kinds };
}
