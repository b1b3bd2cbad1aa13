import { beforeEach, describe, expect, inject, test } from 'vitest';
import type { Engine, Observation } from '../../engine/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { createWorld } from '../support/world.ts';
import { createSchool } from './fake-table.ts';

/** What is told of each decision: its reason and what it cost, as DynamoDB itself states it. */
/** So many units, where absent items cost what they cost on AWS. */
const units = (count: number) => (inject('countsAbsent') ? count : expect.any(Number));
let seen: Observation[];
let engine: Engine;
const NOWHERE = 'location:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';

const [user, tenant, place] = ['user:ann', 'tenant:school', 'location:north'];
const world = await createWorld(`
pages: [home, marks]
scopes: { School: { id: school, type: tenant }, North: { id: north, type: location, parent: School } }
users: { ann: { id: ann } }
`);
beforeEach(() => {
  seen = [];
  engine = world.newEngine({ observe: (observation) => seen.push(observation) });
});

test('a cold check, then a warm one', async () => {
  await engine.check(user, 'home', place);
  await engine.check(user, 'home', place);
  const asked = { subject: user, permission: 'home', scope: place, tenant, consistency: 'cached' };
  const decision = { allowed: false, reason: 'no_grant' };
  const observed = { ...asked, decision, fault: undefined, milliseconds: 0, isStale: false };
  expect(seen).toEqual([
    { ...observed, calls: 2, units: units(7), isFirst: true, isKept: false },
    { ...observed, calls: 0, units: 0, isFirst: false, isKept: true },
  ]);
});

test('a strong check pays twice for each item, as TransactGetItems does', async () => {
  await engine.check(user, 'home', tenant, { consistency: 'strong' });
  expect(seen).toMatchObject([{ consistency: 'strong', tenant, calls: 1, units: units(10) }]);
});

test('of many, the first bears the cost of all', async () => {
  const requests = ['home', 'marks'].map((permission) => ({ subject: user, permission, scope: place }));
  await engine.checkMany([...requests, { subject: user, permission: 'home', scope: NOWHERE }]);
  expect(seen).toMatchObject([
    { permission: 'home', scope: place, tenant, calls: 2, units: units(12), isFirst: true },
    { permission: 'marks', scope: place, tenant, calls: 0, units: 0, isFirst: true },
    { scope: NOWHERE, tenant: undefined, decision: { reason: 'scope_unknown' }, calls: 0 },
  ]);
});

test('a session tells of each of its permissions when it opens', async () => {
  await engine.session(user, place, { permissions: ['home', 'marks'] });
  expect(seen.map(({ permission, calls }) => [permission, calls])).toEqual([
    ['home', 2],
    ['marks', 0],
  ]);
});

describe('what it does not change', () => {
  test('a hook that throws changes no answer', async () => {
    const careless = world.newEngine({
      observe: () => {
        throw new Error('full');
      },
    });
    expect(await careless.check(user, 'home', place)).toEqual({ allowed: false, reason: 'no_grant' });
    expect(await careless.check(user, 'home', place)).toEqual({ allowed: false, reason: 'no_grant' });
  });

  test('without a hook DynamoDB is not asked for what a call cost', async () => {
    const asked: unknown[] = [];
    world.client.middlewareStack.add(
      (next) => (args) => {
        asked.push((args.input as { ReturnConsumedCapacity?: string }).ReturnConsumedCapacity);
        return next(args);
      },
      { step: 'initialize', name: 'capacity' },
    );
    await world.newEngine().check(user, 'home', place);
    await engine.check(user, 'home', tenant);
    world.client.middlewareStack.remove('capacity');
    expect(asked).toEqual([undefined, undefined, 'TOTAL']);
  });
});

test('a decision that fails is told with its fault and what it cost until then', async () => {
  const school = createSchool();
  const watched = school.newEngine({ observe: (observation) => seen.push(observation) });
  school.hold();
  const answer = school.ask(watched);
  school.clock.advance(3_000);
  school.reads[0]?.fail(new GatehouseError('throttled', 'BatchGetItem was throttled'));
  await expect(answer).rejects.toMatchObject({ code: 'throttled' });
  expect(seen).toMatchObject([
    { decision: undefined, fault: 'throttled', milliseconds: 3_000, isFirst: true, tenant: undefined },
  ]);
});
