import { ulid } from 'ulid';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { modelOf } from '../proof/oracle/model-of-items.ts';
import { judge } from '../proof/oracle/oracle.ts';
import { size } from '../support/tier.ts';
import { foldRoles } from './folded.ts';
import { type Event, inParallel, interruptAfter, provisionWatched, provisionWith } from './stepwise.ts';
import { copyOf, createLightLedgerWorld, type Input, type LedgerWorld } from './support.ts';
import { expectWhole as expectAllWhole, expectVerified } from './whole.ts';

// Every state is verified by the naive verifier, and that at the end of a test by the product's as well.

/**
 * The deletion of what has more edges than one transaction holds: the first step closes it, the next ones take
 * the edges away, the last one takes the node. Nothing is opened on the way, and nothing is left behind.
 */
let world: LedgerWorld;
const id: Record<string, string> = {};
const make = async (name: string, command: string, input: Input) => {
  id[name] = (await world.run(command, input)).id;
  return id[name];
};
const acme = () => `tenant:${id.tenant}`;
const MANY = [...Array(60).keys()];
/** Enough for many steps, as each node of a tree is one; each is looked at whole. */
const IN_TREE = MANY.slice(0, size(20, 40));
const PAGES = ['home', 'grades'];
/** Those who are asked about; one may by the role, one is forbidden by it, one both, one neither. */
const WITNESSES = ['u0', 'u1', 'u2', 'u3'];

/** A tenant under deny-overrides, one role that allows and one that forbids, and users. */
async function createTenant(): Promise<void> {
  world = await createLightLedgerWorld();
  await make('tenant', 'tenant.create', { name: 'Acme', combination: 'deny-overrides' });
  for (const name of PAGES) await world.run('page.create', { name });
  for (const name of ['allows', 'forbids']) {
    const effect = name === 'allows' ? 'ALLOW' : 'DENY';
    await make(name, 'role.create', { name, scope: acme() });
    await world.run('role-permission.create', { role: id[name], permission: 'home', effect });
  }
  await world.run('role-permission.create', { role: id.allows, permission: 'grades', effect: 'ALLOW' });
  for (const name of WITNESSES) await make(name, 'user.create', { username: name });
  for (const user of [id.u0, id.u2])
    await world.run('assignment.create', { user, role: id.allows, scope: acme() });
  for (const user of [id.u1, id.u2])
    await world.run('assignment.create', { user, role: id.forbids, scope: acme() });
}

/** What a tenant is furnished with, once: each test of the group has a copy of its own. */
function furnished<T>(make: () => Promise<T>): () => T {
  let made: { readonly world: LedgerWorld; readonly ids: typeof id; readonly of: T };
  beforeAll(async () => {
    await createTenant();
    const of = await make();
    made = { world, ids: { ...id }, of };
  });
  beforeEach(async () => {
    world = await copyOf(made.world);
    Object.assign(id, made.ids);
  });
  return () => made.of;
}

const questions = (scopes: readonly string[]) =>
  WITNESSES.flatMap((name) =>
    PAGES.flatMap((permission) =>
      scopes.map((scope) => ({ subject: `user:${id[name]}`, permission, scope })),
    ),
  );
const isAllowed = (reason: string | undefined) => reason === 'role' || reason === 'admin';

const expectWhole = () => expectAllWhole(world);
afterEach(() => expectVerified(world));

/** What still speaks of it, beside the log. */
const traces = async (word: unknown) => {
  // What a root has noted of refusals stays: it is no right, and cannot be counted down.
  const text = (name: string, value: unknown) =>
    name === 'denials' ? undefined : value instanceof Set ? [...value] : value;
  const found = (await world.dataItems()).filter((item) => JSON.stringify(item, text).includes(String(word)));
  return found.map(({ PK, SK }) => `${PK} / ${SK}`);
};

/**
 * Deletes with a look at the table and at fresh engines after every transaction: who is allowed then is allowed
 * before or after.
 */
async function deleteWatched(event: Event, scopes: readonly string[] = [acme()]) {
  const ask = async () => {
    const items = await expectWhole();
    const asked = questions(scopes);
    const { decisions } = await world.newEngine().checkMany(asked);
    const model = modelOf(items);
    const naive = asked.map((question) => judge(model, { ...question, at: world.clock.now() }).reason);
    expect(decisions.map(({ reason }) => reason)).toEqual(naive);
    return naive;
  };
  const states = [await ask()];
  const answer = await provisionWatched(world, event, async () => states.push(await ask()));
  expect(answer).toEqual({ ok: true, result: expect.anything(), token: expect.anything() });
  const [before, after] = [states[0], states.at(-1)];
  for (const state of states) {
    for (const [i, reason] of state.entries()) {
      if (isAllowed(reason)) expect(isAllowed(before?.[i]) || isAllowed(after?.[i])).toBe(true);
    }
  }
  return states;
}

/** Things that are deleted in steps, each with many edges of all kinds that it can have. */
const cases: Readonly<
  Record<
    string,
    {
      readonly make: () => Promise<Event>;
      readonly named: string;
      /** An edge that somebody tries to add meanwhile. */
      readonly meanwhile: () => readonly (readonly [string, Input])[];
    }
  >
> = {
  'a group with 60 members that forbids': {
    named: 'group',
    make: async () => {
      await make('group', 'group.create', { name: 'large', scope: acme() });
      await world.run('group-role.create', { group: id.group, role: id.forbids });
      await world.run('membership.create', { user: id.u0, group: id.group });
      await inParallel(MANY.slice(1), 6, async () =>
        world.run('membership.create', {
          user: (await world.run('user.create', {})).id,
          group: id.group,
        }),
      );
      return { command: 'group.delete', input: { id: id.group } };
    },
    meanwhile: () => [
      ['membership.create', { user: id.u3, group: id.group }],
      ['group-role.create', { group: id.group, role: id.allows }],
      ['group.update', { id: id.group, name: 'other' }],
      ['group-role.update', { group: id.group, role: id.forbids, assignedAt: '2026-01-01T00:00:00.000Z' }],
    ],
  },
  'a role with 60 holders of three kinds': {
    named: 'forbids',
    make: async () => {
      await make('kept', 'role.create', { name: 'kept', scope: acme() });
      await inParallel(MANY, 6, async (i) => {
        const user = (await world.run('user.create', {})).id;
        if (i % 3 === 0) {
          await world.run('assignment.create', { user, role: id.forbids, scope: acme() });
        } else if (i % 3 === 1) {
          const roles = i % 2 ? [id.forbids] : [id.forbids, id.kept];
          await world.run('grant.create', { user, roles, scope: acme() });
        } else {
          const group = (await world.run('group.create', { name: 'group', scope: acme() })).id;
          await world.run('group-role.create', { group, role: id.forbids });
        }
      });
      return { command: 'role.delete', input: { id: id.forbids } };
    },
    meanwhile: () => [
      ['assignment.create', { user: id.u3, role: id.forbids, scope: acme() }],
      ['grant.create', { user: id.u3, roles: [id.forbids], scope: acme() }],
      ['role.create', { name: 'child', scope: acme(), parent: id.forbids }],
      ['role-permission.create', { role: id.forbids, permission: 'grades', effect: 'ALLOW' }],
      ['role-permission.update', { role: id.forbids, permission: 'home', effect: 'ALLOW' }],
      ['role.update', { id: id.forbids, parent: id.allows }],
    ],
  },
  'a role with 60 permissions, patterns too': {
    named: 'forbids',
    make: async () => {
      await inParallel(MANY, 6, async (i) => {
        const permission = i % 4 ? `page-${i}` : `m${i}:*:*`;
        if (i % 4) await world.run('page.create', { name: permission });
        const effect = i % 2 ? 'ALLOW' : 'DENY';
        await world.run('role-permission.create', { role: id.forbids, permission, effect });
      });
      await world.run('role-permission.create', { role: id.forbids, permission: '*:*:*', effect: 'DENY' });
      return { command: 'role.delete', input: { id: id.forbids } };
    },
    meanwhile: () => [
      ['role-permission.create', { role: id.forbids, permission: 'grades', effect: 'ALLOW' }],
    ],
  },
  'a page on which 60 roles have an effect': {
    named: 'a-page',
    make: async () => {
      id['a-page'] = 'home';
      await inParallel(MANY, 6, async (i) => {
        const name = `role ${i}`;
        const role = (await world.run('role.create', { name, scope: i % 2 ? acme() : 'global' })).id;
        const effect = i % 3 ? 'ALLOW' : 'DENY';
        await world.run('role-permission.create', { role, permission: 'home', effect });
      });
      return { command: 'page.delete', input: { name: 'home' } };
    },
    meanwhile: () =>
      [
        ['role-permission.create', { role: id.allows, permission: 'home', effect: 'ALLOW' }],
        ['page.update', { name: 'home', description: 'x' }],
      ].filter(([command]) => command !== 'role-permission.create') as never,
  },
  'a user with 60 memberships, grants, tokens, sessions': {
    named: 'u2',
    make: async () => {
      await inParallel(MANY, 6, async (i) => {
        const user = id.u2;
        if (i % 6 === 0) {
          await world.run('token.create', { user, tokenType: i % 4 ? 'api' : 'refresh', tenant: acme() });
        } else if (i % 6 === 1) await world.run('session.create', { user });
        else {
          const group = (await world.run('group.create', { name: 'group', scope: acme() })).id;
          await world.run('membership.create', { user, group });
        }
      });
      await world.run('grant.create', { user: id.u2, scope: acme(), roles: [id.allows] });
      await world.run('admin.create', { user: id.u2 });
      await world.run('setting.create', { scope: `user:${id.u2}`, key: 'theme', value: 'dark' });
      return { command: 'user.delete', input: { id: id.u2 } };
    },
    meanwhile: () => [
      ['token.create', { user: id.u2, tokenType: 'api' }],
      ['session.create', { user: id.u2 }],
      ['assignment.create', { user: id.u2, role: id.allows, scope: acme() }],
      ['setting.create', { scope: `user:${id.u2}`, key: 'other', value: 'dark' }],
      ['user.update', { id: id.u2, status: 'active' }],
    ],
  },
};

/** The same where the roles of the tenant are folded. */
const folded = (name: string): typeof cases => {
  const of = cases[name];
  if (!of) throw new Error(name);
  const make = async () => {
    const event = await of.make();
    expect(await foldRoles(world)).toMatchObject({ split: 1, unsplit: 0 });
    return event;
  };
  return { [`${name}, of a root with folded roles`]: { ...of, make } };
};
const all = { ...cases, ...folded('a role with 60 permissions, patterns too') };

describe.each(Object.entries(all))('%s', (_, { make: prepare, named, meanwhile }) => {
  const of = furnished(prepare);

  test('goes in steps, opens nothing, and is refused what comes', async () => {
    const event = of();
    const states = await deleteWatched(event);
    expect(states.length).toBeGreaterThan(3);
    expect(await traces(named === 'a-page' ? 'PAGE#home' : id[named])).toEqual([]);
  });

  test('is interrupted after every step in turn, and goes on', async () => {
    const event = of();
    for (let steps = 0; ; steps++) {
      // Each time one step more than nothing: closed, then one portion after the other.
      const answer = await interruptAfter(world, event, 1);
      if (answer.ok) break;
      expect(steps).toBeLessThan(40);
      await expectWhole();
      for (const [command, input] of meanwhile()) {
        // An edge that is gone by now cannot be changed either.
        const code = command.endsWith('.update') ? /^(?:conflict|not_found)$/ : /^conflict$/;
        expect(await world.refused(command, input), command).toMatchObject({
          code: expect.stringMatching(code),
          retryable: false,
        });
      }
      const again = await interruptAfter(world, event, 0);
      expect(again).toMatchObject({ ok: false });
      const items = await world.everything();
      if (!items.some(({ deletingSince }) => deletingSince !== undefined)) throw new Error('not under way');
    }
    expect(await traces(named === 'a-page' ? 'PAGE#home' : id[named])).toEqual([]);
    await expectWhole();
  });
});

describe('what others take away meanwhile', () => {
  beforeEach(createTenant);

  test('is no failure of the deletion: members, their user, a role', async () => {
    const event = await cases['a group with 60 members that forbids']?.make();
    const members = (await world.listed('membership.list', { group: id.group })).map(({ user }) =>
      String(user),
    );
    let next = 0;
    for (const step of [1, 2, 3]) {
      const answer = await provisionWith(world, event as Event, step, async () => {
        for (const user of members.splice(-2))
          await world.run(
            next++ % 2 ? 'user.delete' : 'membership.delete',
            next % 2 ? { user, group: id.group } : { id: user },
          );
        if (step === 2) await world.run('role.delete', { id: id.forbids });
        if (step < 3) throw new Error('killed');
      });
      expect(answer.ok).toBe(step === 3);
      if (step < 3) await expectWhole();
    }
    expect(await traces(id.group)).toEqual([]);
    await expectWhole();
  });

  test('two roles of the same grants, both in deletion', async () => {
    await inParallel(MANY.slice(0, 40), 6, async () => {
      const user = (await world.run('user.create', {})).id;
      await world.run('grant.create', { user, roles: [id.allows, id.forbids], scope: acme() });
    });
    const events = ['allows', 'forbids'].map((name) => ({ command: 'role.delete', input: { id: id[name] } }));
    for (const event of events) {
      expect(await interruptAfter(world, event, 1)).toMatchObject({ ok: false });
      await expectWhole();
    }
    for (const event of events) expect(await world.provision(event)).toMatchObject({ ok: true });
    await expectWhole();
    expect([...(await traces(id.allows)), ...(await traces(id.forbids))]).toEqual([]);
  });

  test('a role whose holders are in deletion', async () => {
    await cases['a user with 60 memberships, grants, tokens, sessions']?.make();
    await inParallel(MANY.slice(0, 30), 6, async () => {
      const user = (await world.run('user.create', {})).id;
      await world.run('grant.create', { user, roles: [id.allows], scope: acme() });
    });
    await interruptAfter(world, { command: 'user.delete', input: { id: id.u2 } }, 1);
    await world.run('role.delete', { id: id.allows });
    await expectWhole();
    await world.run('user.delete', { id: id.u2 });
    expect([...(await traces(id.allows)), ...(await traces(id.u2))]).toEqual([]);
    await expectWhole();
  });
});

describe('the budget of a command', () => {
  beforeEach(createTenant);

  const slowly = (budgetMs: number) =>
    createProvisioning({
      ...world,
      newId: () => ulid(),
      budgetMs,
      writer: {
        send: async (actions) => {
          await world.writer.send(actions);
          world.clock.advance(8_000);
        },
      },
    });

  test('is over between two steps, and the same command goes on', async () => {
    const event = {
      ...((await cases['a group with 60 members that forbids']?.make()) as Event),
      operationId: 'slow',
    };
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
    expect(await traces(id.group)).toEqual([]);
    await expectWhole();
  });

  test('that is over with the last step is no failure', async () => {
    const provision = slowly(1);
    const group = (await world.run('group.create', { name: 'small', scope: acme() })).id;
    expect(await provision({ command: 'group.delete', input: { id: group } })).toMatchObject({ ok: true });
  });
});

describe('whole trees', () => {
  let scopes: readonly string[] = [];
  const prepare = {
    'a location with 40 groups': async () => {
      await make('location', 'location.create', { name: 'Large', parent: acme() });
      const location = `location:${id.location}`;
      await inParallel(IN_TREE, 6, async (i) => {
        const group = (await world.run('group.create', { name: 'group', scope: location })).id;
        await world.run('group-role.create', { group, role: i % 2 ? id.forbids : id.allows });
        await world.run('membership.create', { user: id[`u${i % 4}`], group });
      });
      scopes = [acme(), location];
      return location;
    },
    'a client with all that it can have': async () => {
      const client = `client:${await make('client', 'client.create', { name: 'Client', combination: 'deny-overrides' })}`;
      const project = `project:${await make('project', 'project.create', { name: 'p', parent: client })}`;
      const building = `building:${await make('building', 'building.create', { name: 'b', parent: project })}`;
      const zone = `zone:${await make('zone', 'zone.create', { name: 'z', parent: building })}`;
      const inner = `zone:${await make('inner', 'zone.create', { name: 'y', parent: zone })}`;
      const device = `device:${await make('device', 'device.create', { name: 'd', parent: inner })}`;
      await world.run('scope-type.create', { name: 'rack', parents: ['zone'] });
      const rack = `rack:${await make('rack', 'scope.create', { type: 'rack', name: 's', parent: inner })}`;
      await world.run('module.create', { name: 'm', soldBySubscription: true });
      scopes = [client, project, building, zone, inner, device, rack];
      await make('above', 'role.create', { name: 'above', scope: client });
      await make('own', 'role.create', { name: 'own', scope: client, parent: id.above });
      for (const name of ['above', 'own']) {
        const effect = name === 'own' ? 'ALLOW' : 'DENY';
        await world.run('role-permission.create', { role: id[name], permission: 'home', effect });
      }
      for (const scope of scopes) {
        const group = (await world.run('group.create', { name: 'g', scope })).id;
        await world.run('group-role.create', { group, role: id.own });
        await world.run('membership.create', { user: id.u0, group });
        await world.run('assignment.create', { user: id.u1, scope, role: id.own });
        await world.run('subscription.create', { scope, module: 'm' });
        await world.run('setting.create', { scope, key: 'k', value: 'v' });
      }
      await inParallel(IN_TREE, 6, async (i) => {
        const user = i < 4 ? id[`u${i}`] : (await world.run('user.create', {})).id;
        await world.run('grant.create', { user, scope: client, roles: [id.own] });
        if (i < 12) await world.run('device.create', { name: `d${i}`, parent: zone });
      });
      return client;
    },
    'an account with licences, workstreams, robots': async () => {
      const account = `account:${await make('account', 'account.create', { name: 'Account' })}`;
      await make('enterprise', 'enterprise.create', { name: 'Enterprise' });
      const enterprise = `enterprise:${id.enterprise}`;
      await make('license', 'license.create', { account, enterprise, name: 'l' });
      await make('work', 'workstream.create', { parent: account, enterprise, name: 'w' });
      const work = `workstream:${id.work}`;
      await world.run('tool.create', { workstream: work, name: 't' });
      await world.run('address.create', { account, street: 's', city: 'c', country: 'DE' });
      const robot = `technical-user:${await make('robot', 'technical-user.create', { account, name: 'r' })}`;
      await inParallel(MANY, 6, () =>
        world.run('token.create', { user: robot, tokenType: 'api', tenant: account }),
      );
      await world.run('workstream-member.create', { user: id.u0, workstream: work });
      await world.run('assignment.create', {
        user: robot,
        scope: work,
        role: await make('global', 'role.create', { name: 'g', scope: 'global' }),
      });
      scopes = [account, work];
      return account;
    },
  };

  describe.each(Object.entries(prepare))('%s', (_, build) => {
    const of = furnished(async () => ({ scope: await build(), scopes }));

    test('is closed at once, and nothing is left', async () => {
      const { scope, scopes } = of();
      const states = await deleteWatched({ command: 'scope.delete-tree', input: { scope } }, scopes);
      const inTree = questions(scopes).map((question) => question.scope !== acme());
      for (const state of states.slice(1)) {
        for (const [i, reason] of state.entries()) if (inTree[i]) expect(isAllowed(reason)).toBe(false);
      }
      for (const each of scopes.filter((ref) => ref !== acme())) {
        const gone = String(each.split(':')[1]);
        // A token says in which tenant it was issued, and keeps saying so.
        expect((await traces(gone)).filter((key) => !key.startsWith('TOKEN#'))).toEqual([]);
      }
    });

    test('interrupted after every step, it goes on', async () => {
      const { scope, scopes } = of();
      const event = { command: 'scope.delete-tree', input: { scope } };
      for (let steps = 0; ; steps++) {
        const answer = await interruptAfter(world, event, 1 + (steps % 3));
        if (answer.ok) break;
        expect(steps).toBeLessThan(200);
        if (steps % 8 === 0) {
          await expectWhole();
          const { decisions } = await world
            .newEngine()
            .checkMany(questions(scopes.filter((ref) => ref !== acme())));
          expect(decisions.filter(({ allowed }) => allowed)).toEqual([]);
          const group = { name: 'late', scope };
          expect(await world.refused('group.create', group)).toMatchObject({ code: 'conflict' });
        }
      }
      await expectWhole();
      expect(await world.provision(event)).toMatchObject({ error: { code: 'not_found', field: 'scope' } });
    });
  });

  test('what of another tenant is linked in it is not deleted with it', async () => {
    await createTenant();
    const account = `account:${(await world.run('account.create', { name: 'A' })).id}`;
    const enterprise = `enterprise:${(await world.run('enterprise.create', { name: 'E' })).id}`;
    const work = await world.run('workstream.create', { parent: account, enterprise, name: 'w' });
    const event = { command: 'scope.delete-tree', input: { scope: enterprise } };
    expect(await world.provision(event)).toMatchObject({ error: { code: 'conflict', field: 'scope' } });
    expect(await world.run('workstream.read', { id: work.id })).toMatchObject({ name: 'w' });
    await expectWhole();
  });
});

// Worlds are large; what one test has made does not wait for the next.
afterEach(() => {
  for (const name of Object.keys(id)) delete id[name];
});
