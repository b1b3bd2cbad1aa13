import { firingAlarms } from './cloudwatch/alarms.ts';
import { type Datum, dataOfFilters, embeddedData } from './cloudwatch/metrics.ts';
import { FAULTS, type Fault, type FunctionName } from './faults.ts';
import { essences, NO_ANSWER } from './log-lines.ts';
import { type Asked, type Asking, PROBES, summaryOf } from './probes.ts';
import type { Counted } from './runtime/function.ts';
import { enter, type Scene, type Stage } from './stage.ts';

/** What was seen of a fault of one function. */
export interface Observation {
  readonly fault: Fault;
  readonly name: FunctionName;
  readonly asked: readonly Asked[];
  readonly got: string;
  readonly lines: readonly string[];
  /** Names of the metrics that count it. */
  readonly metrics: readonly string[];
  /** Logical ids of the alarms that go off when it lasts. */
  readonly alarms: readonly string[];
}

const IN_PEACE: Asking = { key: 'current', aheadMs: 0, isHuge: false };

/** The metrics of AWS/Lambda for these invocations. */
function lambdaData(name: string, counted: readonly Counted[], hasDurations: boolean): readonly Datum[] {
  const datum = (metric: string, value: number): Datum => ({
    namespace: 'AWS/Lambda',
    name: metric,
    value,
    dimensions: { FunctionName: name },
  });
  return counted.flatMap(({ isError, isThrottled, durationMs }) =>
    // What is throttled counts neither as an invocation nor as an error (Lambda monitoring-metrics-types).
    isThrottled
      ? [datum('Throttles', 1)]
      : [
          ...[datum('Invocations', 1), datum('Errors', isError ? 1 : 0), datum('Throttles', 0)],
          ...(hasDurations ? [datum('Duration', durationMs)] : []),
        ],
  );
}

const START = { lines: 0, counted: 0 };

/** What CloudWatch has of a scene since these lines and invocations, and which alarms go off if it lasts. */
function measure({ resources }: Stage, scene: Scene, hasDurations: boolean, since = START) {
  const { deployed, ids, dynamodb } = scene;
  const lines = deployed.lines().slice(since.lines);
  const counted = deployed.counted().slice(since.counted);
  const data = [
    ...lambdaData(ids.lambda, counted, hasDurations),
    ...dataOfFilters(resources, ids.logGroup, lines),
    ...embeddedData(lines),
    ...(counted.some(({ isThrottled }) => !isThrottled) ? dynamodb.data() : []),
  ];
  return { lines: essences(lines), data, alarms: firingAlarms(resources, data) };
}

/** Metrics of every invocation, and those of decisions, say nothing of a fault by being there. */
const ALWAYS: ReadonlySet<string> = new Set(['Invocations', 'Duration']);

function metricsIn(data: readonly Datum[]): readonly string[] {
  const counting = data.filter(
    ({ name, value, dimensions }) => value > 0 && !ALWAYS.has(name) && dimensions.service === undefined,
  );
  return [...new Set(counting.map(({ name }) => name))].sort();
}

/**
 * What no alarm is for: dozens of requests that are allowed, denied and refused for their tokens, and of commands that
 * are done and refused.
 */
export async function observeTraffic(stage: Stage, name: FunctionName) {
  const scene = await enter(stage, name);
  const probe = PROBES[name];
  try {
    const asked: Asked[] = [];
    for (let round = 0; round < ROUNDS; round++)
      for (const key of ['current', 'foreign'] as const)
        asked.push(...(await probe(scene, { ...IN_PEACE, key })));
    if (name === 'provisioning')
      for (const input of REFUSED_INPUTS) asked.push(...(await probe(scene, { ...IN_PEACE, input })));
    return { asked, ...measure(stage, scene, false) };
  } finally {
    await scene.stop();
  }
}

const ROUNDS = 12;
/** `not_found`, and `invalid` twice. */
const REFUSED_INPUTS = [{ id: 'nobody' }, { id: '' }, { unknown: 'field' }];

/**
 * Lets a fault strike a function, and asks. The deadlines of the functions are of real time: where one passes although
 * nothing is silent, this machine is busy, and it strikes again.
 */
async function observe(stage: Stage, fault: Fault, name: FunctionName): Promise<Observation> {
  for (let attempt = 1; ; attempt++) {
    const observation = await strike(stage, fault, name);
    const isBusy = Object.entries(NO_ANSWER).some(
      ([dependency, cause]) =>
        dependency !== fault.silent && observation.lines.some((line) => line.includes(cause)),
    );
    if (!isBusy || attempt === ATTEMPTS) return observation;
  }
}

const ATTEMPTS = 6;

async function strike(stage: Stage, fault: Fault, name: FunctionName): Promise<Observation> {
  const scene = await enter(stage, name, fault.options);
  try {
    const probe = PROBES[name];
    if (fault.isWarm) await probe(scene, IN_PEACE);
    const since = { lines: scene.deployed.lines().length, counted: scene.deployed.counted().length };
    await fault.strike?.(scene);
    const { key = 'current', aheadMs = 0, isHuge = false, rounds = 1 } = fault;
    const asked: Asked[] = [];
    for (let round = 0; round < rounds; round++)
      asked.push(...(await probe(scene, { key, aheadMs, isHuge })));
    const { lines, data, alarms } = measure(stage, scene, fault.silent === 'dynamodb', since);
    return { fault, name, asked, got: summaryOf(asked), lines, metrics: metricsIn(data), alarms };
  } finally {
    await scene.stop();
  }
}

/** Processes at once. Most of them wait. */
const AT_ONCE = 6;

/** Every fault on every function that it strikes, in the order of the list. */
export async function observeAll(stage: Stage, faults = FAULTS): Promise<readonly Observation[]> {
  const pairs = faults.flatMap((fault) => fault.on.map((name) => ({ fault, name })));
  const observations: Observation[] = [];
  let taken = 0;
  const work = async (): Promise<void> => {
    for (let index = taken++; index < pairs.length; index = taken++) {
      const { fault, name } = pairs[index] as (typeof pairs)[number];
      observations[index] = await observe(stage, fault, name);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return observations;
}
