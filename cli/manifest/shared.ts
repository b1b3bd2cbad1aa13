import type { Command } from 'commander';
import { addConnectionOptions, functionOf, readEndpoint, tableOf } from '../connection.ts';
import { type Context, UsageError } from '../context.ts';
import { addActorOption, connectForWriting, type WriteOptions } from '../provisioning.ts';
import type { ProvisioningEvent } from '../transport.ts';
import type { ManifestFile } from './file.ts';
import type { Provision } from './look.ts';
import type { Pruning } from './steps.ts';

/** What the subcommands of manifests share: options, and the way to the table. */
export interface ManifestOptions extends WriteOptions {
  readonly prune?: boolean;
  readonly pruneShared?: boolean;
  readonly json?: boolean;
  readonly all?: boolean;
}

export const withManifestOptions = (command: Command): Command =>
  addActorOption(
    addConnectionOptions(
      command
        .option('--prune', 'remove what the sections of the file leave out')
        .option('--prune-shared', 'also what belongs to no tenant: permissions, shared roles')
        .option('--all', 'show every step, however many')
        .option('--json', 'print data'),
    ),
  );

export const pruningOf = ({ prune, pruneShared }: ManifestOptions): Pruning => ({
  prune: prune === true || pruneShared === true,
  shared: pruneShared === true,
});

export interface Connected {
  readonly provision: Provision;
  readonly actor: string | undefined;
  /** Undefined where only a function is named: which table it is of is not known. */
  readonly table: string | undefined;
  /** For people: which table, and where. */
  readonly place: string;
}

/** Provisioning on the table that options or environment name, or through the function that they name. */
export function connectTo(options: WriteOptions, around: Context): Connected {
  const { env } = around;
  const { deliver, actor } = connectForWriting(options, around);
  const provision: Provision = async (event) => (await deliver(event as ProvisioningEvent)).answer;
  const target = functionOf(options, env);
  if (target) {
    return { provision, actor, table: options.table, place: `the function ${target.name}` };
  }
  const table = tableOf(options, env);
  const endpoint = readEndpoint(options, env);
  return {
    provision,
    actor,
    table,
    place: `the table ${table}${endpoint.endpoint === undefined ? (endpoint.region === undefined ? '' : ` in ${endpoint.region}`) : ` at ${endpoint.endpoint}`}`,
  };
}

const TELL_EVERY = 50;

/** Shows on a terminal how much has been read, for what is large. */
export function telling(
  provision: Provision,
  { isTerminal, error }: Context,
): Provision & { end: () => void } {
  if (!isTerminal) return Object.assign(provision.bind(undefined), { end: () => {} });
  let answers = 0;
  const told = async (event: unknown) => {
    const answer = await provision(event);
    answers += 1;
    if (answers % TELL_EVERY === 0) error(`\rreading the table: ${answers} answers\u001b[K`);
    return answer;
  };
  return Object.assign(told, {
    end: () => {
      if (answers >= TELL_EVERY) error('\r\u001b[K');
    },
  });
}

/** A manifest that names its table is for no other one. */
export function assertTable({ manifest, source }: ManifestFile, table: string | undefined): void {
  if (manifest.table !== undefined && manifest.table !== table)
    throw new UsageError(
      table === undefined
        ? `${source.file} is for the table ${manifest.table}: say with --table that the function is of it; nothing was done`
        : `${source.file} is for the table ${manifest.table}, and this is ${table}: nothing was done`,
    );
}
