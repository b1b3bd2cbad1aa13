import { BatchGetCommand, type DynamoDBDocumentClient, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { createEngine, type Engine } from '../../engine/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { createReader } from '../../table/read/reader.ts';
import { ask, furnish } from './generate.ts';
import { emptyModel, type Question } from './model.ts';
import { judge } from './oracle.ts';
import { createRandom, type Random } from './random.ts';
import type { OpenTable, Stage } from './stage.ts';

/** The same questions while DynamoDB fails: an answer is right, or there is none, and soon. */
interface FaultTally {
  /** By fault and what came of it: the code of an error, or `answered`. */
  readonly outcomes: Map<string, number>;
  checks: number;
  readonly violations: string[];
}

interface Answer {
  Responses?: unknown;
  UnprocessedKeys?: unknown;
}

/** One way to fail. `code` is what the check must say; without one it must be answered all the same. */
interface Fault {
  readonly code: string | undefined;
  /** The operations that can fail in this way; all when left out. */
  readonly only?: 'BatchGet' | 'TransactGet';
  /** How many calls fail; one when left out. */
  readonly times?: number;
  readonly happen: (call: Call) => Promise<Answer>;
}

interface Call {
  readonly table: string;
  readonly keys: readonly Item[];
  readonly signal: AbortSignal;
  readonly random: Random;
  /** The true answer: of these keys, or of all. */
  readonly answer: (keys?: readonly Item[]) => Promise<Answer>;
}

const named = (name: string, more: object = {}): Error => Object.assign(new Error(name), { name, ...more });
const thrown =
  (name: string, more: object = {}) =>
  async (): Promise<Answer> => {
    throw named(name, more);
  };
const cancelled = (Code: string) =>
  thrown('TransactionCanceledException', { CancellationReasons: [{ Code }] });

/** The answer with one of its items changed; the true one when it holds none. */
const changed =
  (change: (item: Item) => Item) =>
  async ({ table, random, answer }: Call): Promise<Answer> => {
    const { Responses } = await answer();
    if (Array.isArray(Responses)) {
      const there = Responses.flatMap(({ Item: item }, position) => (item ? [position] : []));
      if (there.length === 0) throw named('ThrottlingException');
      const chosen = random.pick(there);
      return { Responses: Responses.map((each, n) => (n === chosen ? { Item: change(each.Item) } : each)) };
    }
    const items = (Responses as Record<string, Item[]>)[table] ?? [];
    if (items.length === 0) throw named('ThrottlingException');
    const chosen = random.pick(items);
    return { Responses: { [table]: items.map((item) => (item === chosen ? change(item) : item)) } };
  };
const without = (item: Item, name: string): Item =>
  Object.fromEntries(Object.entries(item).filter(([each]) => each !== name)) as Item;

export const FAULTS: Readonly<Record<string, Fault>> = {
  throttled: { code: 'throttled', happen: thrown('ProvisionedThroughputExceededException') },
  'too many requests': { code: 'throttled', happen: thrown('ThrottlingException') },
  'timed out': { code: 'transient', happen: thrown('TimeoutError') },
  'connection reset': { code: 'transient', happen: thrown('Error', { code: 'ECONNRESET' }) },
  'server fault': { code: 'transient', happen: thrown('Unknown', { $metadata: { httpStatusCode: 502 } }) },
  refused: { code: 'internal', happen: thrown('AccessDeniedException') },
  silent: {
    code: 'transient',
    happen: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(named('AbortError')), { once: true });
      }),
  },
  'keys never processed': {
    code: 'throttled',
    only: 'BatchGet',
    times: Number.POSITIVE_INFINITY,
    happen: async ({ table, keys }) => ({
      Responses: { [table]: [] },
      UnprocessedKeys: { [table]: { Keys: keys } },
    }),
  },
  'some keys later': {
    code: undefined,
    only: 'BatchGet',
    happen: async ({ table, keys, random, answer }) => {
      const read = random.below(keys.length);
      const now = read > 0 ? await answer(keys.slice(0, read)) : { Responses: { [table]: [] } };
      return { ...now, UnprocessedKeys: { [table]: { Keys: keys.slice(read) } } };
    },
  },
  'an empty answer': { code: 'internal', happen: async () => ({}) },
  'half an answer': {
    code: 'internal',
    only: 'TransactGet',
    happen: async ({ answer }) => ({ Responses: ((await answer()).Responses as unknown[]).slice(1) }),
  },
  'an item of another': {
    code: 'internal',
    only: 'BatchGet',
    happen: async ({ table, answer }) => {
      const { Responses } = await answer();
      const items = (Responses as Record<string, Item[]>)[table] ?? [];
      return { Responses: { [table]: [...items, { PK: 'USER#another', SK: 'DECISION' }] } };
    },
  },
  'overtaken by a write': { code: undefined, only: 'TransactGet', happen: cancelled('TransactionConflict') },
  'a throttled snapshot': { code: 'throttled', only: 'TransactGet', happen: cancelled('ThrottlingError') },
  'a newer version': { code: 'damaged_item', happen: changed((item) => ({ ...item, v: 2 })) },
  'no version': { code: 'damaged_item', happen: changed((item) => without(item, 'v')) },
  'no time': { code: 'damaged_item', happen: changed((item) => without(item, 'writtenAt')) },
  'an unknown attribute': {
    code: 'damaged_item',
    happen: changed((item) => ({ ...item, 'only|from': 'Berlin' })),
  },
  'an attribute from the future': {
    code: 'damaged_item',
    happen: changed((item) => ({ ...item, lockedUntil: '2027' })),
  },
};

const DEADLINE_MS = 500;
/** After this a check counts as hanging: two reads, each with its deadline, and time to spare. */
const HANGS_MS = 5_000;

export const newFaultTally = (): FaultTally => ({ outcomes: new Map(), checks: 0, violations: [] });

/** A client that fails so many calls in one way, after some that do not; and how many it failed. */
function failing(open: OpenTable, random: Random, fault: Fault, after: number) {
  const count = { calls: 0, failed: 0 };
  const send = async (
    command: BatchGetCommand | TransactGetCommand,
    options: { abortSignal: AbortSignal },
  ) => {
    count.calls += 1;
    const isBatch = command instanceof BatchGetCommand;
    const isMeant = fault.only === undefined || (fault.only === 'BatchGet') === isBatch;
    const isDue = count.calls > after && count.failed < (fault.times ?? 1);
    if (!isMeant || !isDue) return open.client.send(command as BatchGetCommand, options);
    count.failed += 1;
    const { table } = open;
    const keys = (
      isBatch
        ? command.input.RequestItems?.[table]?.Keys
        : (command as TransactGetCommand).input.TransactItems?.map(({ Get }) => Get?.Key)
    ) as Item[];
    const answer = (of: readonly Item[] = keys): Promise<Answer> =>
      isBatch
        ? open.client.send(
            new BatchGetCommand({ RequestItems: { [table]: { Keys: [...of], ConsistentRead: true } } }),
          )
        : open.client.send(new TransactGetCommand(command.input as TransactGetCommand['input']));
    return fault.happen({ table, keys, random, answer, signal: options.abortSignal });
  };
  return { count, client: { send } as unknown as DynamoDBDocumentClient };
}

/** The answer, the code of the fault, or that there was neither for too long. */
async function outcomeOf(
  engine: Engine,
  question: Question,
  freshness: 'cached' | 'strong',
): Promise<string> {
  const { subject, permission, scope, at } = question;
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('hangs'), HANGS_MS);
  });
  const answer = async (): Promise<string> =>
    (await engine.check(subject, permission, scope, { at, freshness })).reason;
  const outcome = await Promise.race([hangs, answer()]).catch((error: unknown) =>
    error instanceof GatehouseError ? `fault ${error.code}` : `unknown ${String(error)}`,
  );
  clearTimeout(timer);
  return outcome;
}

/** One world, in which each fault happens to so many checks. */
export async function playFaults(
  stage: Stage,
  seed: number,
  times: number,
  tally: FaultTally,
): Promise<void> {
  const random = createRandom(seed);
  const open = await stage.open();
  const model = emptyModel();
  try {
    const { names, operations } = furnish(random);
    for (const each of operations) {
      const outcome = await open.carryOut(each.command, each.input);
      if (outcome.ok) each.apply(model);
    }
    open.clock.advance(60_000);

    const checkOnce = async (name: string, fault: Fault): Promise<void> => {
      const question = ask(random, names);
      const right = judge(model, question).reason;
      const freshness = random.oneIn(3) || fault.only === 'TransactGet' ? 'strong' : 'cached';
      const { count, client } = failing(open, random, fault, random.below(2));
      const reader = createReader({ client, table: open.table, deadlineMs: DEADLINE_MS });
      const engine = createEngine({ reader, clock: open.clock });
      const began = performance.now();
      const outcome = await outcomeOf(engine, question, freshness);
      const isLate = performance.now() - began > DEADLINE_MS;
      tally.checks += 1;
      const told = outcome === right ? 'answered' : outcome;
      const known = `${name}: ${count.failed > 0 ? told : 'did not happen'}`;
      tally.outcomes.set(known, (tally.outcomes.get(known) ?? 0) + 1);
      const expected = count.failed > 0 && fault.code !== undefined ? `fault ${fault.code}` : right;
      // A slow machine may be late by itself, and an answer without items has none that could be damaged.
      const isExcused =
        (isLate && outcome === 'fault transient') ||
        (fault.code === 'damaged_item' && outcome === 'fault throttled');
      const tell = (what: string) => tally.violations.push(`${name}: ${what} ${JSON.stringify(question)}`);
      if (outcome !== expected && !isExcused) tell(`${outcome} instead of ${expected}`);

      // What failed is forgotten: with DynamoDB well again the same engine answers right.
      if (fault.times !== undefined || count.failed === 0) return;
      const again = await outcomeOf(engine, question, freshness);
      tally.checks += 1;
      if (again !== right && count.failed > 0) tell(`afterwards ${again} instead of ${right}`);
    };
    const due = Object.entries(FAULTS).flatMap((each) => Array.from({ length: times }, () => each));
    while (due.length > 0) {
      await Promise.all(due.splice(0, 20).map(([name, fault]) => checkOnce(name, fault)));
    }
  } finally {
    await open.close();
  }
}
