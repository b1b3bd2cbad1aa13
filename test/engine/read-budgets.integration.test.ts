import type { BatchGetCommandOutput, QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import budgets from '../../bench/budgets.json' with { type: 'json' };
import { createExplainer, createLists, type Engine } from '../../engine/index.ts';
import { createWorld } from '../support/world.ts';

/**
 * The exact price of every kind of check, on a real DynamoDB engine: calls, dependent rounds (calls that had to wait
 * for others) and read units as DynamoDB states them. bench/budgets.json holds the figures; better ones belong there.
 */
type Budget = keyof typeof budgets.reads;
let engine: Engine;
const pages = Array.from({ length: 20 }, (_, n) => `page.${n}`);
let spent = { calls: 0, rounds: 0, units: 0 };

const GROUPS = ['Flat', 'Nested'].flatMap((scope) => [1, 2, 3, 4, 5].map((n) => [`${scope} ${n}`, scope]));
const NAMES = GROUPS.map(([name]) => name);
const [tenant, nested, flat] = ['tenant:school', 'location:nested', 'location:flat'];
const [ann, bob] = ['user:ann', 'user:bob'];

const world = await createWorld(`
pages: [${pages}]
roles: { teacher: { id: teacher, global: true, allow: [${pages}] } }
scopes:
  School: { id: school, type: tenant }
  Nested: { id: nested, type: location, parent: School }
  Flat: { id: flat, type: location }
groups:
${GROUPS.map(([name, scope]) => `  ${name}: { scope: ${scope}, roles: [teacher] }`).join('\n')}
users: { ann: { id: ann, groups: [${NAMES}] }, bob: { id: bob, groups: [${NAMES}] } }
`);

// Which calls began before an earlier one had ended: they did not wait for it.
let round = 0;
world.client.middlewareStack.add(
  (next) => async (args) => {
    const own = round + 1;
    const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
    const { ConsumedCapacity: consumed } = answer.output as BatchGetCommandOutput | QueryCommandOutput;
    for (const { CapacityUnits = 0 } of [consumed ?? []].flat()) spent.units += CapacityUnits;
    spent.calls += 1;
    spent.rounds = Math.max(spent.rounds, own);
    round = Math.max(round, own);
    return answer;
  },
  { step: 'initialize' },
);

/** What the reads cost that this takes. */
async function costOf(work: () => unknown): Promise<typeof spent> {
  round = 0;
  spent = { calls: 0, rounds: 0, units: 0 };
  await work();
  return spent;
}

/** Units are held where absent items cost what they cost on AWS. */
const comparable = ({ units, ...rest }: typeof spent) =>
  inject('countsAbsent') ? { ...rest, units } : { ...rest, units: undefined };
const of = (budget: Budget) => budgets.reads[budget];
const expectExactly = (cost: typeof spent, budget: Budget): void =>
  expect(comparable(cost)).toEqual(comparable(of(budget)));
/** Lists begin several reads at once, and which of them waits for which is chance: the rounds are a bound. */
function expectWithin({ rounds, ...cost }: typeof spent, budget: Budget): void {
  const bare = (one: typeof spent) => ({ ...comparable(one), rounds: undefined });
  expect(bare({ ...cost, rounds })).toEqual(bare(of(budget)));
  expect(rounds).toBeLessThanOrEqual(of(budget).rounds);
}

beforeEach(() => {
  world.settle();
  engine = world.newEngine();
});
const check = (subject: string, scope: string, consistency: 'cached' | 'strong' = 'cached') =>
  engine.check(subject, 'page.0', scope, { consistency });
const many = (scope: string) => () =>
  engine.checkMany(pages.map((permission) => ({ subject: ann, permission, scope })));

describe('the price of a check', () => {
  test('flat, nothing cached', async () => expectExactly(await costOf(() => check(ann, flat)), 'flatCold'));

  test('nested, nothing cached', async () => {
    expectExactly(await costOf(() => check(ann, nested)), 'nestedCold');
  });

  test('nested, nothing cached, and what stands above is prefetched', async () => {
    const check = () => engine.check(ann, 'page.0', nested, { prefetch: [tenant] });
    expectExactly(await costOf(check), 'nestedPrefetched');
  });

  test('flat and nested, all known but too old', async () => {
    for (const [scope, budget] of [
      [flat, 'flatExpired'],
      [nested, 'nestedExpired'],
    ] as const) {
      await check(ann, scope);
      world.settle();
      expectExactly(await costOf(() => check(ann, scope)), budget);
    }
  });

  test('of a new user, flat and nested', async () => {
    await check(ann, flat);
    expectExactly(await costOf(() => check(bob, flat)), 'newUser');
    engine = world.newEngine();
    await check(ann, nested);
    expectExactly(await costOf(() => check(bob, nested)), 'newUser');
  });

  test('warm, flat and nested', async () => {
    for (const scope of [flat, nested]) {
      await check(ann, scope);
      expectExactly(await costOf(() => check(ann, scope)), 'warm');
    }
  });

  test('strong, whatever is cached', async () => {
    expectExactly(await costOf(() => check(ann, flat, 'strong')), 'flatStrong');
    expectExactly(await costOf(() => check(ann, nested, 'strong')), 'nestedStrong');
    expectExactly(await costOf(() => check(ann, nested, 'strong')), 'nestedStrongKnown');
  });
});

describe('the price of many', () => {
  test('twenty permissions, flat and nested, nothing cached, and all of it too old', async () => {
    expectExactly(await costOf(many(flat)), 'twentyFlatCold');
    engine = world.newEngine();
    expectExactly(await costOf(many(nested)), 'twentyNestedCold');
    expectExactly(await costOf(many(nested)), 'warm');
    world.settle();
    expectExactly(await costOf(many(nested)), 'twentyNestedExpired');
  });

  test('a session of twenty permissions', async () => {
    const open = () => engine.session(ann, nested, { permissions: pages });
    expectExactly(await costOf(open), 'twentyNestedCold');
    expectExactly(await costOf(open), 'warm');
  });
});

describe('the price of a list', () => {
  const lists = () => createLists({ reader: world.reader, engine, clock: world.clock });

  test('of the permissions at a scope', async () => {
    const list = async () => expect((await lists().listPermissions(ann, nested)).items).toHaveLength(20);
    expectWithin(await costOf(list), 'listPermissions');
  });

  test('of the scopes with a permission', async () => {
    const list = async () => expect((await lists().listScopes(ann, 'page.0')).items).toHaveLength(2);
    expectWithin(await costOf(list), 'listScopes');
  });

  test('of the subjects with a permission', async () => {
    const list = async () => expect((await lists().listSubjects('page.0', nested)).items).toHaveLength(2);
    expectWithin(await costOf(list), 'listSubjects');
  });

  test('of reasons: an allow and a deny explained', async () => {
    const explainer = createExplainer({ reader: world.reader, clock: world.clock });
    expectExactly(await costOf(() => explainer.explain(ann, 'page.0', flat)), 'explainAllow');
    const stranger = `user:${(await world.run('user.create', {})).id}`;
    const explain = () => explainer.explain(stranger, 'page.0', flat);
    expectWithin(await costOf(explain), 'explainDeny');
  });
});
