import { BatchGetCommand, type DynamoDBDocumentClient, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { createEngine, DEFAULT_TTL_MS, type Engine } from '../../../engine/index.ts';
import { createReader } from '../../../table/dynamodb/reader.ts';
import { GatehouseError } from '../../../table/errors.ts';
import type { Item } from '../../../table/item.ts';
import { type Answer, type Call, FAULTS, type Fault } from './fault-kinds.ts';
import { ask, furnish, type Names } from './generate.ts';
import { emptyModel, type Model, type Question } from './model.ts';
import { createJudgeByEngine } from './outcomes.ts';
import { createRandom, type Random } from './random.ts';
import type { OpenTable, Stage } from './stage.ts';

/** The same questions while DynamoDB fails: an answer is right, or there is none, and soon. */
export const newFaultTally = () => ({
  /** By fault and what came of it: the code of an error, or `answered`. */
  outcomes: new Map<string, number>(),
  /** Checks by what the engine knew beforehand. */
  states: new Map<string, number>(),
  /** Checks of which a call failed. */
  checks: 0,
  /** Others: before and after it, or answered without that call. */
  besides: 0,
  /** Answered from what is older than the time-to-live, as an operator may choose. */
  bridged: 0,
  /** Answers that did not come in time because this machine is slow. */
  late: 0,
  violations: [] as string[],
});

type FaultTally = ReturnType<typeof newFaultTally>;

const DEADLINE_MS = 500;
/** A timer may fire so much before its time. */
const EARLY_MS = 2;
/** After this a check counts as hanging. Two reads with their deadlines take 1 s; a machine may stand still for longer. */
const HANGS_MS = 120_000;
/** Checks that go on at once: silence is waited for in real time, by many together. */
const AT_ONCE = 96;
const OUTAGE_TTL_MS = 600_000;

/**
 * What the engine knows before anything fails, by how long ago it was asked the same; without a time it was never
 * asked. `elsewhere`: it was asked something of which it can use a part.
 */
interface Before {
  readonly name: string;
  readonly elsewhere?: true;
  readonly ago?: readonly [least: number, most: number];
  readonly outageTtlMs?: number;
}
const OLD = [DEFAULT_TTL_MS, OUTAGE_TTL_MS - 1] as const;
const BEFORES: readonly Before[] = [
  { name: 'nothing' },
  { name: 'nothing' },
  { name: 'a part', elsewhere: true, ago: [0, 40_000] },
  { name: 'all', ago: [0, 50_000] },
  { name: 'all, too long ago', ago: OLD },
  { name: 'all, within the second bound', ago: OLD, outageTtlMs: OUTAGE_TTL_MS },
  {
    name: 'all, beyond the second bound',
    ago: [OUTAGE_TTL_MS, 2 * OUTAGE_TTL_MS],
    outageTtlMs: OUTAGE_TTL_MS,
  },
];

type Read = BatchGetCommand | TransactGetCommand;
/** Of so many true answers one is DynamoDB's own. */
const REALLY = 16;

/** What a call that does not fail is answered: as nothing changes, mostly what was read before. */
function truthOf({ client, table }: OpenTable) {
  const known = new Map<string, Item | undefined>();
  const idOf = ({ PK, SK }: Item): string => JSON.stringify([PK, SK]);
  const askFor = (keys: readonly Item[]) =>
    client.send(
      new BatchGetCommand({ RequestItems: { [table]: { Keys: [...keys], ConsistentRead: true } } }),
    );

  return async (isBatch: boolean, keys: readonly Item[], random: Random): Promise<Answer> => {
    if (random.oneIn(REALLY)) {
      if (isBatch) return askFor(keys);
      const gets = keys.map((Key) => ({ Get: { TableName: table, Key } }));
      return client.send(new TransactGetCommand({ TransactItems: gets }));
    }
    const unknown = keys.filter((key) => !known.has(idOf(key)));
    if (unknown.length > 0) {
      const { Responses } = await askFor(unknown);
      for (const key of unknown) known.set(idOf(key), undefined);
      for (const item of (Responses?.[table] ?? []) as Item[]) known.set(idOf(item), item);
    } else await new Promise((resolve) => setTimeout(resolve, random.below(4)));
    const items = keys.map((key) => known.get(idOf(key)));
    return isBatch
      ? { Responses: { [table]: items.filter((item) => item !== undefined) } }
      : { Responses: items.map((item) => (item ? { Item: item } : {})) };
  };
}

interface World {
  readonly open: OpenTable;
  readonly truth: ReturnType<typeof truthOf>;
  readonly names: Names;
  readonly model: Model;
  readonly judge: ReturnType<typeof createJudgeByEngine>;
}

/** A client that, once told to, fails so many calls in one way, after some that do not; and how many it failed. */
function failing({ open: { table }, truth }: World, random: Random, fault: Fault) {
  const count = { failed: 0 };
  let before = Number.POSITIVE_INFINITY;
  const chosen: Call['chosen'] = {};
  const most = fault.lasts ? Number.POSITIVE_INFINITY : (fault.times ?? 1);
  const send = async (command: Read, { abortSignal: signal }: { abortSignal: AbortSignal }) => {
    const isBatch = command instanceof BatchGetCommand;
    const isMeant = fault.only === undefined || (fault.only === 'BatchGet') === isBatch;
    const keys = (
      isBatch
        ? command.input.RequestItems?.[table]?.Keys
        : (command as TransactGetCommand).input.TransactItems?.map(({ Get }) => Get?.Key)
    ) as Item[];
    const answer = (of: readonly Item[] = keys) => truth(isBatch, of, random);
    before -= 1;
    if (!isMeant || before >= 0 || count.failed >= most) return answer();
    count.failed += 1;
    return fault.happen({ table, keys, random, answer, signal, chosen });
  };
  return {
    count,
    chosen,
    client: { send } as unknown as DynamoDBDocumentClient,
    failAfter: (calls: number) => {
      before = calls;
    },
    heal: () => {
      before = Number.POSITIVE_INFINITY;
    },
  };
}

/** The answer, the code of the fault, or that there was neither for too long. */
async function outcomeOf(
  engine: Engine,
  question: Question,
  consistency: 'cached' | 'strong',
): Promise<string> {
  const { subject, permission, scope, at, given, groups } = question;
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('hangs'), HANGS_MS);
  });
  const answer = async (): Promise<string> =>
    (await engine.check(subject, permission, scope, { at, groups, consistency, ...given })).reason;
  const outcome = await Promise.race([hangs, answer()]).catch((error: unknown) =>
    error instanceof GatehouseError ? `fault ${error.code}` : `unknown ${String(error)}`,
  );
  clearTimeout(timer);
  return outcome;
}

/** What a deadline that passes ends in. */
const GAVE_UP: ReadonlySet<string> = new Set(['fault transient', 'fault throttled', 'fault contended']);
const isAllow = (outcome: string): boolean => outcome === 'role' || outcome === 'admin';
const addTo = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

/** One check under one fault, and another once DynamoDB is well again. */
async function checkUnder(
  name: string,
  fault: Fault,
  world: World,
  random: Random,
  tally: FaultTally,
): Promise<void> {
  const { open, names, model, judge } = world;
  const question = ask(random, names);
  const right = judge(model, question).reason;
  const consistency = random.oneIn(3) || fault.only === 'TransactGet' ? 'strong' : 'cached';
  const before = random.pick(BEFORES);
  const { count, chosen, client, failAfter, heal } = failing(world, random, fault);
  const reader = createReader({ client, table: open.table, deadlineMs: DEADLINE_MS });
  let gone = 0;
  const { outageTtlMs = 0 } = before;
  const clock = { now: () => open.clock.now() + gone };
  const engine = createEngine({ reader, clock, wait: open.clock.wait, outageTtlMs });
  const record = (what: string) =>
    tally.violations.push(
      `${name}, ${consistency}, knowing ${before.name}: ${what} ${JSON.stringify(question)}`,
    );
  if (before.ago) {
    const earlier = before.elsewhere ? { ...ask(random, names), subject: question.subject } : question;
    const known = await outcomeOf(engine, earlier, 'cached');
    tally.besides += 1;
    const wanted = judge(model, earlier).reason;
    if (GAVE_UP.has(known)) tally.late += 1;
    else if (known !== wanted) record(`before that ${known} instead of ${wanted}`);
    gone = random.between(...before.ago);
  }

  failAfter(random.oneIn(6) ? 1 : 0);
  const began = performance.now();
  const outcome = await outcomeOf(engine, question, consistency);
  const isLate = performance.now() - began > DEADLINE_MS - EARLY_MS;
  if (count.failed > 0) tally.checks += 1;
  else tally.besides += 1;
  const reported = outcome === right ? 'answered' : isAllow(outcome) ? `allowed by ${outcome}` : outcome;
  addTo(tally.outcomes, `${name}: ${count.failed > 0 ? reported : 'did not happen'}`);
  if (count.failed > 0) addTo(tally.states, before.name);
  if (fault.isHidden && count.failed > 0) {
    if (!isAllow(outcome) || isAllow(right)) return;
    record(`${outcome} instead of ${right} without ${JSON.stringify(chosen.key)}`);
    return;
  }
  // An answer without items holds none that could be damaged.
  const code = count.failed > 0 && !chosen.isBare ? fault.code : undefined;
  const isOutage = code === 'throttled' || code === 'transient';
  const isBridged = outageTtlMs > 0 && gone < OUTAGE_TTL_MS && consistency === 'cached' && isOutage;
  if (isBridged && outcome === right) tally.bridged += 1;
  const expected = code === undefined || isBridged ? [right] : [`fault ${code}`];
  // Without a subject nothing above the scope is looked at, though it may have been prefetched.
  if (fault.lasts && right === 'subject_unknown') expected.push(right);
  if (!expected.includes(outcome)) {
    if (isLate && GAVE_UP.has(outcome)) tally.late += 1;
    else record(`${outcome} instead of ${expected.join(' or ')}`);
  }

  // What failed is forgotten: with DynamoDB well again the same engine answers right.
  if (fault.times !== undefined || count.failed === 0 || random.oneIn(2)) return;
  heal();
  const again = await outcomeOf(engine, question, consistency);
  tally.besides += 1;
  if (GAVE_UP.has(again)) tally.late += 1;
  else if (again !== right) record(`afterwards ${again} instead of ${right}`);
}

/** One world, in which the faults happen in turn until so many checks more are made. */
export async function playFaults(
  stage: Stage,
  seed: number,
  checks: number,
  tally: FaultTally,
): Promise<void> {
  const open = await stage.open();
  const model = emptyModel();
  try {
    const { names, operations } = furnish(createRandom(seed), true);
    for (const each of operations) {
      const outcome = await open.carryOut(each.command, each.input);
      if (outcome.ok) each.apply(model);
    }
    open.clock.advance(60_000);
    const world = { open, truth: truthOf(open), names, model, judge: createJudgeByEngine() };
    const kinds = Object.entries(FAULTS);
    const until = tally.checks + checks;
    let begun = 0;
    const goOn = async (): Promise<void> => {
      while (tally.checks < until) {
        const number = begun++;
        const [name, fault] = kinds[number % kinds.length] as [string, Fault];
        await checkUnder(name, fault, world, createRandom(seed * 7_919 + number), tally);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, goOn));
  } finally {
    await open.close();
  }
}
