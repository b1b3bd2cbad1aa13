import type { Command } from 'commander';
import type { PlanAnswer } from '../../provisioning/apply/commands.ts';
import { functionOf, readEndpoint, tableOf } from '../connection.ts';
import type { Context } from '../context.ts';
import { assertNone } from '../document.ts';
import {
  addActorOption,
  connectForWriting,
  RefusedError,
  type WriteOptions,
  withField,
} from '../provisioning.ts';
import type { Deliver } from '../transport.ts';
import { assertTable, type ManifestFile, readManifestFile } from './file.ts';

/** What the subcommands of manifests share: options, and the connection. */
export interface ManifestOptions extends WriteOptions {
  readonly prune?: boolean;
  readonly pruneShared?: boolean;
  readonly json?: boolean;
  readonly all?: boolean;
}

export const withManifestOptions = (command: Command): Command =>
  addActorOption(
    command
      .option('--prune', 'remove what the sections of the file leave out')
      .option('--prune-shared', 'also what belongs to no tenant: permissions, shared roles')
      .option('--all', 'show every step, however many'),
  );

export interface Connected {
  readonly deliver: Deliver;
  readonly actor: string | undefined;
  /** Undefined where only a function is named: which table it is of is not known. */
  readonly table: string | undefined;
  /** For people: which table, and where. */
  readonly place: string;
}

/** Provisioning on the table that options or environment name, or through the function that they name. */
export async function connectTo(options: WriteOptions, around: Context): Promise<Connected> {
  const { env } = around;
  const { deliver, actor } = await connectForWriting(options, around);
  const target = functionOf(options, env);
  if (target) return { deliver, actor, table: undefined, place: `the function ${target.name}` };
  const table = tableOf(options, env);
  const { endpoint, region } = readEndpoint(options, env);
  const where = endpoint === undefined ? (region === undefined ? '' : ` in ${region}`) : ` at ${endpoint}`;
  return { deliver, actor, table, place: `the table ${table}${where}` };
}

/** A manifest with the plan that provisioning made of it. */
export interface Planned extends Connected {
  readonly file: ManifestFile;
  /** The input of `tenant.plan` and `tenant.apply`. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly plan: PlanAnswer;
}

/** Reads a manifest and has it planned. Throws ProblemsError with everything that is wrong with it. */
export async function planFile(path: string, options: ManifestOptions, around: Context): Promise<Planned> {
  const file = await readManifestFile(path);
  const connected = await connectTo(options, around);
  assertTable(file, connected.table);
  const input = {
    manifest: file.source.data as object,
    ...(options.prune ? { prune: true } : {}),
    ...(options.pruneShared ? { pruneShared: true } : {}),
  };
  const { answer } = await connected.deliver({ command: 'tenant.plan', input });
  if (!answer.ok) throw new RefusedError(answer.error, withField(answer.error));
  const plan = answer.result as unknown as PlanAnswer;
  assertNone(file.source, plan.problems);
  return { ...connected, file, input, plan };
}
