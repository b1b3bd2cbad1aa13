import { parse as parseYaml } from 'yaml';
import { derivedId } from '../../../provisioning/apply/entry.ts';
import { parseManifest } from '../../../provisioning/apply/parse.ts';
import { type ManifestPlan, planManifest } from '../../../provisioning/apply/plan.ts';
import { queriesOn } from '../../../provisioning/apply/queries.ts';
import type { Step } from '../../../provisioning/apply/steps.ts';
import { exportManifest } from '../../../provisioning/export/export.ts';
import { createIds } from '../../../provisioning/ids.ts';
import { COMMANDS, createProvisioning, type Hooks } from '../../../provisioning/index.ts';
import { defined } from '../../../table/defined.ts';
import { createMemoryWorld, type World } from '../../support/world.ts';

export { createMemoryWorld };
export type MemoryWorld = ReturnType<typeof createMemoryWorld>;

/** What manifests need of a world. */
type Table = Pick<World, 'reader' | 'writer' | 'clock' | 'newSecret'>;

/** Manifests on a table, without the command line around them. */
export async function planOn(
  { reader }: Pick<Table, 'reader'>,
  text: string,
  prune = true,
  shared = prune,
): Promise<ManifestPlan> {
  const { parsed, problems } = parseManifest(parseYaml(text));
  if (!parsed || problems.length > 0) throw new Error(JSON.stringify(problems));
  const parts = { queries: queriesOn(reader, COMMANDS), commands: COMMANDS, idFor: derivedId };
  return planManifest(parsed, { prune, shared }, parts);
}

interface ApplyOptions {
  readonly prune?: boolean;
  /** Runs after every transaction, with the last step of it. */
  readonly after?: (step: Step) => Promise<void>;
  readonly atOnce?: number | undefined;
}

/** Plans and applies; answers what was planned. Throws what `after` throws, and what provisioning answers. */
export async function applyOn(
  world: Table,
  text: string,
  { prune = true, after, atOnce }: ApplyOptions = {},
): Promise<readonly Step[]> {
  const { steps, problems } = await planOn(world, text, prune);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  let thrown: unknown;
  const onStep: Hooks['onStep'] = async ({ left }) => {
    const last = steps[steps.length - left - 1];
    try {
      if (last) await after?.(last);
    } catch (error) {
      thrown = error;
      throw error;
    }
  };
  const input = { manifest: parseYaml(text), prune, pruneShared: prune, ...defined({ atOnce }) };
  const answer = await createProvisioning({
    ...world,
    newId: createIds(),
    // The clock of a test moves on while `after` asks.
    budgetMs: Number.POSITIVE_INFINITY,
  })({ command: 'tenant.apply', input }, { onStep });
  if (thrown !== undefined) throw thrown;
  if (!answer.ok) throw new Error(`${answer.error.code} ${answer.error.message}`);
  return steps;
}

/** A world that holds what a manifest says. */
export async function worldOf(text: string): Promise<MemoryWorld> {
  const world = createMemoryWorld();
  await applyOn(world, text);
  return world;
}

export const exportOn = async ({ reader }: Pick<Table, 'reader'>, apis: readonly string[] = ['default']) =>
  (await exportManifest(queriesOn(reader, COMMANDS), { roots: undefined, apis, ids: true })).manifest;

/** Everything that is allowed, as `subject permission scope`. */
export async function allowedIn(
  world: Pick<MemoryWorld, 'clock' | 'settle' | 'newEngine'>,
  subjects: readonly string[],
  permissions: readonly string[],
  scopes: readonly string[],
): Promise<ReadonlySet<string>> {
  world.settle();
  const questions = subjects.flatMap((subject) =>
    permissions.flatMap((permission) => scopes.map((scope) => ({ subject, permission, scope }))),
  );
  const at = world.clock.now();
  const { decisions } = await world.newEngine().checkMany(questions.map((question) => ({ ...question, at })));
  return new Set(
    questions
      .filter((_, position) => decisions[position]?.allowed)
      .map(({ subject, permission, scope }) => `${subject} ${permission} ${scope}`),
  );
}
