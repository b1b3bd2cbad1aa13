import { randomBytes } from 'node:crypto';
import { parse as parseYaml } from 'yaml';
import { createEngine, type EngineOptions } from '../../engine/index.ts';
import { createIds } from '../../provisioning/ids.ts';
import { type Answer, createProvisioning } from '../../provisioning/index.ts';
import type { Item } from '../../table/item.ts';
import type { Reader } from '../../table/reader.ts';
import type { Writer } from '../../table/writer.ts';
import { openLightStore, openMemory, openStore, type Store } from './store.ts';

/** A clock that moves only when told to, or waited for. Set back, it goes on in truth. */
export function createClock(start = Date.parse('2026-01-15T12:00:00.000Z')) {
  let [time, elapsed] = [start, 0];
  const advance = (milliseconds: number) => {
    time += milliseconds;
    elapsed += Math.max(0, milliseconds);
  };
  return {
    now: () => time,
    /** What really went by: a wall clock that was set back does not change it. */
    monotonic: () => elapsed,
    advance,
    /** Lets time pass for whoever waits. */
    wait: async (milliseconds: number) => advance(milliseconds),
  };
}

/**
 * A table of its own, with provisioning, a reader and engines on top, and a record of every call: on the run's
 * DynamoDB engine, in the unit tier on the memory table.
 *
 * @param manifest what it begins with, written long ago: of the commands that make it none is recorded
 */
export async function createWorld(manifest?: string) {
  const world = furnish(await openStore());
  if (manifest === undefined) return world;
  await world.apply(manifest);
  world.settle();
  world.calls.length = 0;
  return world;
}

/** The same on the memory table, but in the soak tier: for what makes too many calls on an engine. */
export const createLightWorld = async (now?: number) => furnish(await openLightStore(), now);

/** On the memory table in every tier: for what is made once and copied for each test. */
export const createMemoryWorld = (items: readonly Item[] = [], now?: number) =>
  furnish(openMemory(items), now);

/** Another world that holds the same at the same time, without what its log and its operations say of the past. */
export const copyOf = ({ items, clock }: Pick<ReturnType<typeof createMemoryWorld>, 'items' | 'clock'>) =>
  createMemoryWorld(
    items().filter(({ PK }) => !/^(?:AUDIT|AUDIT_COUNT|OPERATION)#/.test(PK)),
    clock.now(),
  );

function furnish<S extends Store>(store: S, now?: number) {
  const clock = createClock(now);
  const newSecret = () => randomBytes(32).toString('base64url');
  const parts = { ...store, clock, newSecret };

  /** Lets enough time pass that what was written is certain to be older than any read from now on. */
  const settle = () => clock.advance(60_000);

  const newEngine = (options: Partial<EngineOptions> = {}) =>
    createEngine({ reader: store.reader, clock, random: () => 0, wait: clock.wait, ...options });

  return { ...parts, ...commandsOf(parts), settle, newEngine };
}

interface ProvisioningParts {
  readonly reader: Reader;
  readonly writer: Writer;
  readonly clock: { readonly now: () => number };
  readonly newSecret: () => string;
}

/** `ok`, or the code of the error and the field that it names. */
export const outcomeOf = (answer: Answer): string =>
  answer.ok ? 'ok' : [answer.error.code, answer.error.field].filter(Boolean).join(' ');

/** Commands on a table: as they are, that must succeed, and that must fail. */
export function commandsOf({ reader, writer, clock, newSecret }: ProvisioningParts) {
  const provision = createProvisioning({ reader, writer, clock, newId: createIds(), newSecret });

  /** Runs a command that must succeed and returns its result. */
  async function run(
    command: string,
    input: Record<string, unknown>,
  ): Promise<Record<string, unknown> & { id: string }> {
    const answer = await provision({ command, input });
    if (!answer.ok) throw new Error(`${command}: ${answer.error.code} ${answer.error.message}`);
    return answer.result as Record<string, unknown> & { id: string };
  }

  /** Runs a command that must fail and returns its error. */
  async function refused(command: string, input: Record<string, unknown>) {
    const answer = await provision({ command, input });
    if (answer.ok) throw new Error(`${command} was expected to fail`);
    return answer.error;
  }

  /** What becomes of a command. */
  const outcome = async (command: string, input: Record<string, unknown>) =>
    outcomeOf(await provision({ command, input }));

  /** Makes what a manifest says, in YAML. */
  const apply = (manifest: string) => run('tenant.apply', { manifest: parseYaml(manifest) });
  return { provision, run, refused, outcome, apply };
}

export type World = Awaited<ReturnType<typeof createWorld>>;
