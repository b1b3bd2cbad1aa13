import type { PlanAnswer, SavedPlan } from '../../provisioning/index.ts';
import { assertNone } from '../../testing/document.ts';
import { type ManifestFile, readManifest } from '../../testing/manifest-file.ts';
import { readFileAsDocument } from '../../testing/text-file.ts';
import { losersIn } from '../access.ts';
import { functionOf, readEndpoint, tableOf } from '../connection.ts';
import { type Context, UsageError, wantsColours } from '../context.ts';
import { knownAs } from '../known-as.ts';
import { flag, type GlobalOptions, type ValuesOf, WRITING, type WriteOptions } from '../options.ts';
import { accepted, openSender, type Sender, withField } from '../provisioning.ts';
import { assertCurrent, readPlan } from './plan-file.ts';
import type { PrintOptions } from './print.ts';

/** The options of the subcommands of manifests. */
export const PLANNING = {
  prune: flag('also remove what is in the table and not in the sections of the file'),
  pruneShared: flag('also remove permissions and shared roles, which belong to no tenant'),
  all: flag('show all steps, not only the first ones'),
  ...WRITING,
};
export type ManifestOptions = ValuesOf<typeof PLANNING> & GlobalOptions;

export interface Connected extends Sender {
  /** Undefined where only a function is named: which table it is of is not known. */
  readonly table: string | undefined;
  /** For people: which table or function, and where. */
  readonly place: string;
}

async function connect(options: WriteOptions, around: Context): Promise<Connected> {
  const { env } = around;
  const sender = await openSender(options, around);
  const target = functionOf(options, env);
  const { endpoint, region } = target ?? readEndpoint(options, env);
  const where = endpoint === undefined ? (region === undefined ? '' : ` in ${region}`) : ` at ${endpoint}`;
  if (target) return { ...sender, table: undefined, place: `the function ${target.name}${where}` };
  const table = tableOf(options, env);
  return { ...sender, table, place: `the table ${table}${where}` };
}

/** Connects when it is first asked to: what is wrong with a file is said before. */
export function connectOnce(options: WriteOptions, around: Context): () => Promise<Connected> {
  let connected: Promise<Connected> | undefined;
  return () => {
    connected ??= connect(options, around);
    return connected;
  };
}

/** A manifest with the plan that provisioning made of it. */
export interface Planned extends Connected {
  readonly file: ManifestFile;
  /** The input of `tenant.plan` and `tenant.apply`. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly plan: PlanAnswer;
  /** Whether it comes from a plan in a file: then nothing else may be done. */
  readonly exact: boolean;
}

/**
 * Reads a manifest, or a plan in a file, and has it planned. Throws ProblemsError with everything that is wrong with
 * it, and NothingDoneError for a plan that takes other changes now.
 */
export async function planFile(
  path: string,
  options: ManifestOptions,
  connect: () => Promise<Connected>,
): Promise<Planned> {
  const source = await readFileAsDocument(path);
  const kept = readPlan(source);
  const file = readManifest(kept?.source ?? source);
  const connected = await connect();
  assertTable(file, connected.table);
  if (kept) assertSamePlan(path, kept.plan, options, connected);
  const { prune, pruneShared } = kept?.plan ?? options;
  const input = {
    manifest: file.source.data as object,
    ...(prune ? { prune } : {}),
    ...(pruneShared ? { pruneShared } : {}),
  };
  const { answer } = await connected.deliver({ command: 'tenant.plan', input });
  const plan = accepted(answer, withField).result as unknown as PlanAnswer;
  assertNone(file.source, plan.problems);
  if (kept) await assertCurrent(path, kept.plan, plan.changes);
  return { ...connected, file, input, plan, exact: kept !== undefined };
}

/** How a plan is printed: with the names of those who lose access. */
export const printingOf = async (
  { plan, place, file, deliver }: Planned,
  { all = false }: ManifestOptions,
  around: Context,
): Promise<PrintOptions> => ({
  colours: wantsColours(around),
  all,
  place,
  file: file.source.file,
  known: await knownAs(
    deliver,
    [plan.access.loses, plan.between].flatMap((side) => (side ? losersIn(side) : [])),
  ),
});

/** A manifest that names its table is for no other one. Throws {@link UsageError}. */
function assertTable({ manifest, source }: ManifestFile, table: string | undefined): void {
  if (manifest.table !== undefined && manifest.table !== table)
    throw new UsageError(
      table === undefined
        ? `${source.file} is for the table ${manifest.table}, and a function does not say which table it is of: give --table ${manifest.table} instead of --function; nothing was done`
        : `${source.file} is for the table ${manifest.table}, and this is ${table}: nothing was done`,
    );
}

/** A plan is of one table, and says itself what it prunes. Throws {@link UsageError}. */
function assertSamePlan(
  path: string,
  { place }: SavedPlan,
  { prune, pruneShared }: ManifestOptions,
  connected: Connected,
): void {
  if (prune || pruneShared)
    throw new UsageError(`${path} is a plan, which says itself what is removed: leave --prune out`);
  if (place !== connected.place)
    throw new UsageError(`${path} is a plan for ${place}, and this is ${connected.place}: nothing was done`);
}
