import { expect, test } from 'vitest';
import { createMandates, type MandateReceipt } from '../../provisioning/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { mandateUsesKey } from '../../table/keys.ts';
import type { Writer } from '../../table/writer.ts';
import { createRandom } from '../proof/oracle/random.ts';
import { again, SEED } from '../support/seed.ts';
import { size } from '../support/tier.ts';
import { createWorld, type World } from '../support/world.ts';
import { furnishMandates, MANDATE, USE } from './mandates.ts';

/** A crowd that uses one mandate, on the real engine: its budget is spent to the last and never beyond. */
const USES = size(200, 1_000);
const AT_ONCE = size(10, 25);
const BUDGET = size(20, 100);
/** What is in doubt, or met others, is sent again under its id as a client would, and that often at most. */
const ATTEMPTS = 100;

type Amounts = Readonly<Record<string, unknown>>;

const worldWith = async (budget: object): Promise<World> => {
  const world = await createWorld();
  await furnishMandates(world);
  await world.run('mandate.create', { ...MANDATE, budget });
  return world;
};

const usedOf = async ({ reader }: World) => (await reader.get(mandateUsesKey('m1')))?.used;

/** One use, sent again under its id until its outcome is known. */
async function outcomeOf(world: World, writer: Writer, operationId: string, properties: Amounts) {
  const { use } = createMandates({ ...world, writer });
  for (let attempt = 1; ; attempt++) {
    try {
      return await use({ ...USE, operationId, properties });
    } catch (error) {
      if (!(error instanceof GatehouseError && error.retryable) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** All uses, some of them at a time. */
async function race(world: World, writer: Writer, propertiesOf: (n: number) => Amounts) {
  const receipts: MandateReceipt[] = [];
  let next = 0;
  const work = async () => {
    for (let n = next++; n < USES; n = next++)
      receipts[n] = await outcomeOf(world, writer, `op-${n}`, propertiesOf(n));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return receipts;
}

test('a budget of uses is used up to the last one, by a crowd', async () => {
  const world = await worldWith({ uses: BUDGET });
  const receipts = await race(world, world.writer, () => ({}));
  expect(receipts.filter(({ allowed }) => allowed)).toHaveLength(BUDGET);
  const reasons = receipts.flatMap((receipt) => (receipt.allowed ? [] : [receipt.reason]));
  expect(new Set(reasons)).toEqual(new Set(['budget_spent']));
  expect(await usedOf(world)).toBe(BUDGET);
  const ids = receipts.flatMap((receipt) => (receipt.allowed ? [receipt.use] : []));
  expect(new Set(ids).size).toBe(BUDGET);
});

test('of a sum, with faults in between: what the receipts say is what is counted', async () => {
  const world = await worldWith({ sum: BUDGET * 10, of: 'amount' });
  const random = createRandom(SEED);
  const amounts = Array.from({ length: USES }, () => 1 + random.below(30));
  /** Some writes are not sent, and of some the acknowledgement is lost. */
  const faulty: Writer = {
    send: async (actions, notes) => {
      const fault = random.below(10);
      if (fault !== 0) await world.writer.send(actions, notes);
      if (fault < 2) throw new GatehouseError('transient', 'a fault that was made on purpose');
    },
  };
  const amountOf = (n: number) => amounts[n] as number;
  const receipts = await race(world, faulty, (n) => ({ amount: amountOf(n) }));
  const sum = receipts.reduce((total, { allowed }, n) => total + (allowed ? amountOf(n) : 0), 0);
  expect(sum, again(SEED)).toBe(await usedOf(world));
  expect(sum, again(SEED)).toBeLessThanOrEqual(BUDGET * 10);
  expect(sum, again(SEED)).toBeGreaterThan(BUDGET * 10 - 30);
  for (const [n, receipt] of receipts.entries())
    if (receipt.allowed)
      expect(await outcomeOf(world, world.writer, `op-${n}`, { amount: amountOf(n) })).toEqual(receipt);
});
