import type { Command } from 'commander';
import { createClient } from '../../table/client.ts';
import { addConnectionOptions, readEndpoint, tableOf } from '../connection.ts';
import { addActorOption, provisionedOn, type WriteOptions } from '../provisioning.ts';
import { type Surroundings, UsageError } from '../surroundings.ts';
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
  readonly table: string;
  /** For people: which table, and where. */
  readonly place: string;
}

const DEADLINE_MS = 10_000;

/** Provisioning on the table that options or environment name. */
export function connectTo(options: WriteOptions, { env, now }: Surroundings): Connected {
  const table = tableOf(options, env);
  const endpoint = readEndpoint(options, env);
  const { provisioning } = provisionedOn(createClient(endpoint), table, now, DEADLINE_MS);
  return {
    provision: provisioning,
    actor: options.actor ?? (env.USER || env.USERNAME || undefined),
    table,
    place: `the table ${table}${endpoint.endpoint === undefined ? (endpoint.region === undefined ? '' : ` in ${endpoint.region}`) : ` at ${endpoint.endpoint}`}`,
  };
}

const TELL_EVERY = 50;

/** Shows on a terminal how much has been read, for what is large. */
export function telling(
  provision: Provision,
  { isTerminal, error }: Surroundings,
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
export function assertTable({ manifest, source }: ManifestFile, table: string): void {
  if (manifest.table !== undefined && manifest.table !== table)
    throw new UsageError(
      `${source.file} is for the table ${manifest.table}, and this is ${table}: nothing was done`,
    );
}
