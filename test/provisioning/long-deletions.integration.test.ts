import { ulid } from 'ulid';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { modelOf } from '../proof/oracle/model-of-items.ts';
import { judge } from '../proof/oracle/oracle.ts';
import { size } from '../support/tier.ts';
import { afterWrites } from '../support/watched-writer.ts';
import { foldRoles } from './folded.ts';
import { furnishLarge, furnishTenant, LARGE, type Large, MANY } from './large.ts';
import { type Event, interruptAfter, provisionWith } from './stepwise.ts';
import { copyOf, createLightLedgerWorld, type Input, type LedgerWorld } from './support.ts';
import { expectWhole as expectAllWhole } from './whole.ts';

/**
 * The deletion of what has more edges than one transaction holds: the first step closes it, the next ones take
 * the edges away, the last one takes the node. Nothing is opened on the way, and nothing is left behind.
 */
let world: LedgerWorld;
const ACME = 'tenant:acme';
/** Enough for many steps, as each node of a tree is one; each is looked at whole. */
const IN_TREE = MANY.slice(0, size(20, 40));
const PAGES = ['home', 'grades'];
/** Those who are asked about; one may by the role, one is forbidden by it, one both, one neither. */
const WITNESSES = ['u0', 'u1', 'u2', 'large-user', 'u3'];
const GROUP = LARGE['a group with 60 members that forbids'];

/** What a world is furnished with, once: each test of the group has a copy of its own. */
function furnished<T>(furnish: (world: LedgerWorld) => Promise<T>): () => T {
  let made: { readonly world: LedgerWorld; readonly of: T };
  beforeAll(async () => {
    const world = await createLightLedgerWorld();
    made = { of: await furnish(world), world };
  });
  beforeEach(async () => {
    world = await copyOf(made.world);
  });
  return () => made.of;
}

const questions = (scopes: readonly string[]) =>
  WITNESSES.flatMap((name) =>
    PAGES.flatMap((permission) => scopes.map((scope) => ({ subject: `user:${name}`, permission, scope }))),
  );
const isAllowed = (reason: string | undefined) => reason === 'role' || reason === 'admin';

const expectWhole = () => expectAllWhole(world);

/** What fresh engines say, which is what the oracle says of a table that is whole. */
async function ask(scopes: readonly string[]): Promise<readonly string[]> {
  const items = await expectWhole();
  const asked = questions(scopes);
  const { decisions } = await world.newEngine().checkMany(asked);
  const model = modelOf(items);
  const naive = asked.map((question) => judge(model, { ...question, at: world.clock.now() }).reason);
  expect(decisions.map(({ reason }) => reason)).toEqual(naive);
  return naive;
}

/**
 * Deletes, interrupted after every `portion` steps, with a look at the table after each of them: who is allowed then is
 * allowed before or after.
 */
async function deleteInterrupted(
  event: Event,
  scopes: readonly string[],
  portion: number,
  between: () => Promise<unknown>,
) {
  const states = [await ask(scopes)];
  for (let isDone = false; !isDone; ) {
    const answer = await interruptAfter(world, event, portion);
    isDone = answer.ok;
    states.push(await ask(scopes));
    if (!isDone) await between();
    expect(states.length).toBeLessThan(100);
  }
  const [before, after] = [states[0], states.at(-1)];
  for (const state of states) {
    for (const [i, reason] of state.entries()) {
      if (isAllowed(reason)) expect(isAllowed(before?.[i]) || isAllowed(after?.[i])).toBe(true);
    }
  }
  return states;
}

const cases: readonly (readonly [string, Large, isFolded: boolean])[] = [
  ...Object.entries(LARGE).map(([name, large]) => [name, large, false] as const),
  [
    'a role with 60 permissions, of a root with folded roles',
    LARGE['a role with 60 permissions, patterns too'],
    true,
  ],
];

describe.each(cases)('%s', (_, large, isFolded) => {
  const { meanwhile, named } = large;
  const of = furnished(async (world) => {
    const event = await furnishLarge(world, large);
    if (isFolded) expect(await foldRoles(world)).toMatchObject({ split: 1, unsplit: 0 });
    return event;
  });

  test('goes in steps, interrupted after each: opens nothing, is refused what comes, and leaves nothing', async () => {
    const states = await deleteInterrupted(of(), [ACME], 1, async () => {
      for (const [command, input] of meanwhile) {
        // An edge that is gone by now cannot be changed either.
        const code = command.endsWith('.update') ? /^(?:conflict|not_found)$/ : /^conflict$/;
        expect(await world.refused(command, input), command).toMatchObject({
          code: expect.stringMatching(code),
          retryable: false,
        });
      }
      const items = await world.everything();
      if (!items.some(({ deletingSince }) => deletingSince !== undefined)) throw new Error('not under way');
    });
    expect(states.length).toBeGreaterThan(3);
    expect(await world.traces(named)).toEqual([]);
  });
});

describe('what others take away meanwhile', () => {
  beforeEach(async () => {
    world = await createLightLedgerWorld();
  });
  const holding = (count: number, roles: readonly string[]) =>
    Object.fromEntries(MANY.slice(0, count).map((i) => [`holder ${i}`, { grants: { Acme: roles } }]));

  test('is no failure of the deletion: members, their user, a role', async () => {
    const event = await furnishLarge(world, GROUP);
    const members = (await world.listed('membership.list', { group: GROUP.named })).map(({ user }) =>
      String(user),
    );
    let next = 0;
    for (const step of [1, 2, 3]) {
      const answer = await provisionWith(world, event, step, async () => {
        for (const user of members.splice(-2))
          await (next++ % 2
            ? world.run('user.delete', { id: user })
            : world.run('membership.delete', { user, group: GROUP.named }));
        if (step === 2) await world.run('role.delete', { id: 'forbids' });
        if (step < 3) throw new Error('killed');
      });
      expect(answer.ok).toBe(step === 3);
      if (step < 3) await expectWhole();
    }
    expect(await world.traces(GROUP.named)).toEqual([]);
    await expectWhole();
  });

  test('two roles of the same grants, both in deletion', async () => {
    await furnishTenant(world, { users: holding(40, ['allows', 'forbids']) });
    const events = ['allows', 'forbids'].map((id) => ({ command: 'role.delete', input: { id } }));
    for (const event of events) {
      expect(await interruptAfter(world, event, 1)).toMatchObject({ ok: false });
      await expectWhole();
    }
    for (const event of events) expect(await world.provision(event)).toMatchObject({ ok: true });
    await expectWhole();
    expect([...(await world.traces('allows')), ...(await world.traces('forbids'))]).toEqual([]);
  });

  test('a role whose holders are in deletion', async () => {
    const user = LARGE['a user with 60 memberships, grants, tokens, sessions'];
    const users = { ...user.manifest.users, ...holding(30, ['allows']) };
    const event = await furnishLarge(world, { ...user, manifest: { ...user.manifest, users } });
    await interruptAfter(world, event, 1);
    await world.run('role.delete', { id: 'allows' });
    await expectWhole();
    expect(await world.provision(event)).toMatchObject({ ok: true });
    expect([...(await world.traces('allows')), ...(await world.traces(user.named))]).toEqual([]);
    await expectWhole();
  });
});

describe('the budget of a command', () => {
  beforeEach(async () => {
    world = await createLightLedgerWorld();
  });
  const slowly = (budgetMs: number) =>
    createProvisioning({
      ...world,
      newId: () => ulid(),
      budgetMs,
      writer: afterWrites(world.writer, () => world.clock.advance(8_000)),
    });

  test('is over between two steps, and the same command goes on', async () => {
    const event = { ...(await furnishLarge(world, GROUP)), operationId: 'slow' };
    const provision = slowly(10_000);
    const first = await provision(event);
    expect(first).toMatchObject({ ok: false, error: { code: 'unfinished', retryable: true } });
    expect(first.ok || first.error.message).toContain('2 step(s)');
    await expectWhole();
    let answer = first;
    let turns = 0;
    for (; !answer.ok; turns++) answer = await provision(event);
    expect(turns).toBeLessThan(6);
    expect(await provision(event)).toEqual(answer);
    expect(await world.traces(GROUP.named)).toEqual([]);
    await expectWhole();
  });

  test('that is over with the last step is no failure', async () => {
    await furnishTenant(world, { groups: { small: { id: 'small', scope: 'Acme' } } });
    const deletion = { command: 'group.delete', input: { id: 'small' } };
    expect(await slowly(1)(deletion)).toMatchObject({ ok: true });
  });
});

describe('whole trees', () => {
  const COMBINED = { combination: 'deny-overrides' };
  const CLIENT = {
    client: { ...COMBINED, id: 'client', type: 'client' },
    project: { id: 'project', type: 'project', parent: 'client' },
    building: { id: 'building', type: 'building', parent: 'project' },
    zone: { id: 'zone', type: 'zone', parent: 'building' },
    inner: { id: 'inner', type: 'zone', parent: 'zone' },
    device: { id: 'device', type: 'device', parent: 'inner' },
    rack: { id: 'rack', type: 'rack', parent: 'inner' },
  };
  const inClient = Object.keys(CLIENT);
  const entries = <T>(of: (i: number) => readonly [string, T]) => Object.fromEntries(IN_TREE.map(of));

  /** Each with all that it can have, and the references of the scopes in it, the top first. */
  const trees: Readonly<
    Record<string, { scopes: readonly string[]; more: Input; beside?: Large['beside'] }>
  > = {
    'a location with 40 groups': {
      scopes: ['location:large'],
      more: {
        scopes: { large: { id: 'large', type: 'location', code: 'large', parent: 'Acme' } },
        groups: entries((i) => [`g${i}`, { scope: 'large', roles: [i % 2 ? 'forbids' : 'allows'] }]),
        users: Object.fromEntries(
          ['u0', 'u1', 'u2', 'u3'].map((name, n) => {
            const groups = IN_TREE.filter((i) => i % 4 === n).map((i) => `g${i}`);
            return [name, { id: name, groups }];
          }),
        ),
      },
    },
    'a client with all that it can have': {
      scopes: inClient.map((name) => `${CLIENT[name as keyof typeof CLIENT].type}:${name}`),
      more: {
        scopeTypes: { rack: { parents: ['zone'] } },
        modules: { m: { sold: true } },
        scopes: { ...CLIENT, ...entries((i) => [`d${i}`, { type: 'device', parent: 'zone' }]) },
        roles: {
          above: { id: 'above', owner: 'client', deny: ['home'] },
          own: { id: 'own', owner: 'client', parent: 'above', allow: ['home'] },
        },
        groups: Object.fromEntries(inClient.map((scope) => [`g ${scope}`, { scope, roles: ['own'] }])),
        users: {
          ...entries((i) => [`holder ${i}`, { grants: { client: ['own'] } }]),
          u0: { id: 'u0', groups: inClient.map((scope) => `g ${scope}`), grants: { client: ['own'] } },
          u1: { id: 'u1', assignments: inClient.map((scope) => ({ scope, role: 'own' })) },
        },
        subscriptions: inClient.map((scope) => ({ scope, module: 'm' })),
        settings: inClient.map((scope) => ({ scope, key: 'k', value: 'v' })),
      },
    },
    'an account with licences, workstreams, robots': {
      scopes: ['account:account', 'workstream:work'],
      more: {
        scopes: {
          account: { id: 'account', type: 'account' },
          enterprise: { id: 'enterprise', type: 'enterprise' },
          work: { id: 'work', type: 'workstream', parent: 'account', enterprise: 'enterprise' },
        },
        roles: { everywhere: { global: true } },
        licenses: [{ account: 'account', enterprise: 'enterprise', name: 'l' }],
        technicalUsers: {
          robot: { id: 'robot', account: 'account', assignments: [{ scope: 'work', role: 'everywhere' }] },
        },
      },
      beside: async ({ run }) => {
        const [account, workstream, user] = ['account:account', 'workstream:work', 'technical-user:robot'];
        await run('tool.create', { workstream, name: 't' });
        await run('address.create', { account, street: 's', city: 'c', country: 'DE' });
        await run('workstream-member.create', { user: 'u0', workstream });
        for (const _ of MANY) await run('token.create', { user, tokenType: 'api', tenant: account });
      },
    },
  };

  describe.each(Object.entries(trees))('%s', (_, { scopes, more, beside }) => {
    const event = { command: 'scope.delete-tree', input: { scope: scopes[0] } };
    furnished(async (world) => {
      await furnishTenant(world, more);
      await beside?.(world);
    });

    test('is closed at once, takes nothing new, and leaves nothing, interrupted again and again', async () => {
      const asked = [ACME, ...scopes];
      const group = { name: 'late', scope: scopes[0] };
      const states = await deleteInterrupted(event, asked, 2, async () =>
        expect(await world.refused('group.create', group)).toMatchObject({ code: 'conflict' }),
      );
      const inTree = questions(asked).map(({ scope }) => scope !== ACME);
      for (const state of states.slice(1)) {
        for (const [i, reason] of state.entries()) if (inTree[i]) expect(isAllowed(reason)).toBe(false);
      }
      for (const scope of scopes) {
        const partition = scope.replace(/^.*:/, (type) => `${type.slice(0, -1).toUpperCase()}#`);
        const left = [...(await world.traces(scope)), ...(await world.traces(partition))];
        // A token says in which tenant it was issued, and keeps saying so; the lease of the manifest ends by itself.
        expect(left.filter((key) => !/^(?:TOKEN|OPERATION)#/.test(key))).toEqual([]);
      }
      expect(await world.provision(event)).toMatchObject({ error: { code: 'not_found', field: 'scope' } });
    });
  });

  test('what of another tenant is linked in it is not deleted with it', async () => {
    world = await createLightLedgerWorld();
    await world.apply(`
scopes:
  account: { type: account }
  enterprise: { id: enterprise, type: enterprise }
  work: { id: work, type: workstream, parent: account, enterprise: enterprise }
`);
    const event = { command: 'scope.delete-tree', input: { scope: 'enterprise:enterprise' } };
    expect(await world.provision(event)).toMatchObject({ error: { code: 'conflict', field: 'scope' } });
    expect(await world.run('workstream.read', { id: 'work' })).toMatchObject({ name: 'work' });
    await expectWhole();
  });
});
