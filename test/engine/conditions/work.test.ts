import { describe, expect, test } from 'vitest';
import { createWork, MAX_REQUEST_STEPS, type Work } from '../../../engine/conditions/work.ts';
import { type CheckRequest, createLists } from '../../../engine/index.ts';
import { type TestEngine, testEngine } from '../../../testing/index.ts';
import * as fc from '../../support/fast-check.ts';

/**
 * One request has one budget for its conditions, whatever it holds (SPEC section 13). The condition goes through a list
 * of the caller's within itself: with 50 entries it takes some 70,000 steps, and is allowed where none is `bad`.
 */
const HEAVY = 'resource.properties.tags.all(t, resource.properties.tags.all(u, u + t != "bad"))';
const PLACES = Array.from({ length: 40 }, (_, n) => `place-${n}`);

const authz: TestEngine = await testEngine({
  pages: ['heavy', 'home'],
  properties: [
    { of: 'resource:location', name: 'tags', type: 'list<string>', source: 'passed' },
    { of: 'resource:location', name: 'n', type: 'int', source: 'passed' },
  ],
  scopes: {
    t: { type: 'tenant' },
    ...Object.fromEntries(PLACES.map((id) => [id, { type: 'location', parent: 't', id }])),
  },
  roles: { reader: { allow: ['home', { permission: 'heavy', when: HEAVY }] } },
  users: { ann: { id: 'ann', assignments: [{ role: 'reader', scope: 't' }] } },
});

const tags = (length: number) => Array.from({ length }, (_, n) => `tag-${n}`);
const request = (properties: Record<string, unknown>, permission = 'heavy'): CheckRequest => ({
  subject: 'user:ann',
  permission,
  scope: 'location:place-0',
  given: { resource: { properties } },
});

/** A budget that notes what it grants. */
function noted() {
  const work = createWork();
  let granted = 0;
  const take = (steps: number) => {
    const isGranted = work.take(steps);
    if (isGranted) granted += steps;
    return isGranted;
  };
  return { work: { ...work, take }, granted: () => granted };
}

const outcomesOf = async (requests: readonly CheckRequest[], work?: Work) =>
  (await authz.engine.checkMany(requests, { work })).decisions.map(({ reason }) => reason);

describe('the budget of a request', () => {
  test('ends with the condition that it does not reach: the rest is refused, and nothing is allowed unseen', async () => {
    const { work, granted } = noted();
    const outcomes = await outcomesOf(
      Array.from({ length: 500 }, (_, n) => request({ tags: tags(50), n })),
      work,
    );
    const reached = outcomes.indexOf('condition_failed');
    expect(reached).toBeGreaterThan(5);
    expect(reached).toBeLessThan(30);
    expect(new Set(outcomes.slice(0, reached))).toEqual(new Set(['role']));
    expect(new Set(outcomes.slice(reached))).toEqual(new Set(['condition_failed']));
    expect(granted()).toBeLessThanOrEqual(MAX_REQUEST_STEPS);
    expect(granted()).toBeGreaterThan(MAX_REQUEST_STEPS * 0.8);
  });

  test('is not spent by what has no condition', async () => {
    const home = Array.from({ length: 1_000 }, () => request({ tags: tags(50) }, 'home'));
    const { work, granted } = noted();
    expect(new Set(await outcomesOf(home, work))).toEqual(new Set(['role']));
    expect(granted()).toBe(0);
  });

  test('is spent once for equal conditions over the same values, however often they are asked', async () => {
    const { work, granted } = noted();
    const same = request({ tags: tags(50) });
    expect(new Set(await outcomesOf(Array(500).fill(same), work))).toEqual(new Set(['role']));
    const once = granted();
    await outcomesOf([same], work);
    expect(granted()).toBe(once);
    expect(once).toBeLessThan(MAX_REQUEST_STEPS / 5);
  });

  test('is spent by what is converted and does not fit, too', async () => {
    const wrong = [...tags(999), '\ud800'].map((tag) => tag.padEnd(50, '-'));
    const { work, granted } = noted();
    await outcomesOf(
      Array.from({ length: 500 }, (_, n) => request({ tags: wrong, n })),
      work,
    );
    expect(granted()).toBeGreaterThan(MAX_REQUEST_STEPS * 0.8);
  });

  test('is asked before anything is converted', async () => {
    let read = 0;
    const counting = (n: number) => ({
      get tags() {
        read += 1;
        return tags(50);
      },
      n,
    });
    const requests = Array.from({ length: 500 }, (_, n) => request(counting(n)));
    const outcomes = await outcomesOf(requests, createWork());
    expect(read).toBeLessThanOrEqual(outcomes.indexOf('condition_failed') + 1);
  });

  test('lets others run in between', async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await outcomesOf(Array.from({ length: 500 }, (_, n) => request({ tags: tags(50), n })));
    isOver = true;
    // A turn after each 100,000 of the million steps.
    expect(turns).toBeGreaterThanOrEqual(5);
  });

  const batches = fc.array(
    fc.record({ length: fc.nat({ max: 50 }), copies: fc.integer({ min: 1, max: 30 }), isBad: fc.boolean() }),
    { maxLength: 12 },
  );
  const requestsOf = (batch: readonly { length: number; copies: number; isBad: boolean }[]) =>
    batch.flatMap(({ length, copies, isBad }, place) =>
      Array.from({ length: copies }, (_, n) =>
        request({ tags: [...tags(length), ...(isBad ? ['b', 'ad'] : [])], n: place * 100 + n }),
      ),
    );
  /** Steps that a batch was granted, whose requests all have the budget that is made for them. */
  async function grantedTo(requests: readonly CheckRequest[], budgetOf: () => ReturnType<typeof noted>) {
    const budgets = new Set<ReturnType<typeof noted>>();
    await authz.engine.checkManyAsked(
      requests.map((each) => {
        const budget = budgetOf();
        budgets.add(budget);
        return () => ({ ...each, work: budget.work });
      }),
    );
    return [...budgets].reduce((sum, { granted }) => sum + granted(), 0);
  }

  test('is never exceeded, by no batch; a budget for each question is', async () => {
    let largest = 0;
    await fc.assert(
      fc.asyncProperty(batches, async (batch) => {
        const one = noted();
        expect(await grantedTo(requestsOf(batch), () => one)).toBeLessThanOrEqual(MAX_REQUEST_STEPS);
        largest = Math.max(largest, await grantedTo(requestsOf(batch), noted));
      }),
      { numRuns: 15 },
    );
    expect(largest).toBeGreaterThan(MAX_REQUEST_STEPS);
  });
});

// A page of 3 is full where this budget ends.
test.each([
  [100, undefined],
  [3, 300_000],
])('a page of %i ends where the budget does, and the next one goes on', async (limit, budget) => {
  const lists = createLists({ reader: authz.reader, engine: authz.engine, clock: authz.clock });
  const find = (cursor?: string) =>
    lists.listScopes('user:ann', 'heavy', {
      type: 'location',
      limit,
      cursor,
      work: createWork(budget),
      resource: { properties: { tags: tags(50) } },
    });
  const found: string[] = [];
  let pages = 0;
  for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages++) {
    const page = await find(cursor);
    found.push(...page.items);
    cursor = page.cursor;
  }
  expect(found.toSorted()).toEqual(PLACES.map((id) => `location:${id}`).toSorted());
  expect(pages).toBeGreaterThan(2);
});
