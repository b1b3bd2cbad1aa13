import { resolve } from 'node:path';
import { Argument } from 'commander';
import type { Answer } from '../../provisioning/index.ts';
import { createClient } from '../../table/dynamodb/client.ts';
import {
  checkpointFileOf,
  hashOf,
  NOTHING,
  progressOf,
  removeCheckpoint,
  resumed,
  writeCheckpoint,
} from '../bulk/checkpoint.ts';
import { createColumns } from '../bulk/columns.ts';
import { defaultRefused, nameOf, openInput, STDIN, sizeOf } from '../bulk/input.ts';
import { fieldsOf, ROW_KINDS, type RowKind } from '../bulk/kinds.ts';
import { type LoadOptions, type Progress, startLoad } from '../bulk/load.ts';
import { CLEAR, startMeter } from '../bulk/progress.ts';
import { createRefusedFile } from '../bulk/refused.ts';
import { reportOf, sentenceOf } from '../bulk/report.ts';
import { SourceError } from '../bulk/rows.ts';
import type { Provision } from '../bulk/settle.ts';
import { readSource } from '../bulk/source.ts';
import { addConnectionOptions, functionOf, readEndpoint, tableOf } from '../connection.ts';
import { ProblemsError } from '../document.ts';
import { functionTransport } from '../lambda.ts';
import { addActorOption, provisionedOn, type WriteOptions } from '../provisioning.ts';
import type { Subcommand } from '../subcommand.ts';
import { FINE, REFUSED, type Surroundings, UsageError } from '../surroundings.ts';
import { type ProvisioningEvent, TransportError } from '../transport.ts';

interface LoadCommandOptions extends WriteOptions {
  readonly refused?: string;
  readonly parallel: string;
  readonly patience: string;
  readonly resume?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
CSV with a header, or JSON Lines; columns are named as the fields of user.create, membership.create and
assignment.create. What is there already and equal is left as it is: the same file can be loaded again.

Examples:
  gatehouse load users users.csv
  gatehouse load memberships memberships.jsonl --refused refused.jsonl
  gatehouse load users users.csv --resume        (after an interruption: goes on where it was)
  zcat users.csv.gz | gatehouse load users - --refused refused.csv

Exit codes:
  0  all rows are in
  1  some were refused: see the file of refused rows; the others are in
  2  wrong use, or a fault: nothing is lost, run it again`;

/** The client keeps no more connections than these. */
const MOST_AT_ONCE = 50;
const AT_ONCE = 32;
/** So that a table at its limit is heard of soon; rows are tried for a minute. */
const REQUEST_TIMEOUT_MS = 3_000;
const CHECKPOINT_MS = 250;
const REFUSALS_SHOWN = 5;

/** `gatehouse load`: users, memberships and assignments in bulk. */
export const addLoad: Subcommand = (program, around, finish) => {
  const command = program
    .command('load')
    .summary('users, memberships, assignments in bulk')
    .description('Loads many rows from CSV or JSON Lines: each is one command of provisioning.')
    .addArgument(new Argument('<kind>', 'of what').choices(ROW_KINDS.map(({ name }) => name)))
    .argument('<file>', 'CSV or JSON Lines; - reads standard input')
    .option('--refused <file>', 'where to write refused rows (FILE.refused.csv or .jsonl, unless given)')
    .option('--parallel <number>', `how many rows at once at most, 1 to ${MOST_AT_ONCE}`, String(AT_ONCE))
    .option('--patience <seconds>', 'how long to try a row while the table does not answer', '60')
    .option('--resume', 'go on where an interrupted load has come to')
    .option('--dry-run', 'only look what would be refused, write nothing')
    .option('--json', 'print data');
  addActorOption(addConnectionOptions(command))
    .addHelpText('after', EXAMPLES)
    .action(async (kind: string, file: string, options: LoadCommandOptions) => {
      const [of] = ROW_KINDS.filter(({ name }) => name === kind);
      if (of) finish(await loadFile(of, file, options, around));
    });
};

/** How much is sent at once, and for how long a row is tried; throws {@link UsageError} for options that cannot be. */
function limitsOf(
  options: LoadCommandOptions,
  file: string,
): Required<Pick<LoadOptions, 'parallel' | 'patienceMs'>> {
  const parallel = Number(options.parallel);
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > MOST_AT_ONCE)
    throw new UsageError(`--parallel ${options.parallel} is no whole number from 1 to ${MOST_AT_ONCE}`);
  const patienceMs = Number(options.patience) * 1_000;
  if (!(patienceMs > 0)) throw new UsageError(`--patience ${options.patience} is no number of seconds`);
  if (options.resume && options.dryRun) throw new UsageError('--resume has no use with --dry-run');
  if (options.resume && file === STDIN)
    throw new UsageError('--resume needs a file: standard input cannot be compared with what it was');
  if (options.refused !== undefined && file !== STDIN && resolve(options.refused) === resolve(file))
    throw new UsageError('--refused is the file that is read');
  return { parallel, patienceMs };
}

async function loadFile(
  kind: RowKind,
  file: string,
  options: LoadCommandOptions,
  around: Surroundings,
): Promise<number> {
  const { parallel, patienceMs } = limitsOf(options, file);
  const target = connectFor(options, around);
  const size = await sizeOf(file);
  let keeps = size !== undefined && !options.dryRun;
  const begun = around.now();

  const input = openInput(file);
  const source = await readSource(input, createColumns(fieldsOf(kind))).catch((error: unknown) => {
    input.destroy();
    throw error instanceof SourceError ? new ProblemsError([`${nameOf(file)}: ${error.message}`]) : error;
  });
  const refusedPath = options.refused ?? defaultRefused(file, source);
  const checkpointFile = checkpointFileOf(file);
  const identity = {
    ...{ version: 1 as const, kind: kind.name, table: target.name },
    hash: keeps ? await hashOf(file) : '',
    refusedFile: refusedPath === undefined ? '' : resolve(refusedPath),
  };
  const from = options.resume ? resumed(checkpointFile, identity, around) : undefined;
  const refused =
    refusedPath === undefined ? undefined : createRefusedFile(refusedPath, source, from?.refusedBytes ?? 0);

  const isTerminal = around.isErrorTerminal === true;
  let shown = 0;
  let written = around.now();
  const save = (progress: Progress): void => {
    written = around.now();
    try {
      writeCheckpoint(checkpointFile, { ...identity, ...progress, refusedBytes: refused?.bytes() ?? 0 });
    } catch (error) {
      // It only saves time: a load is not worth ending for it.
      keeps = false;
      around.error(`${error instanceof Error ? error.message : error}: --resume will not be possible\n`);
    }
  };
  if (keeps) save(from ? progressOf(from) : NOTHING);
  const loading = startLoad(source.rows, {
    ...{ kind, parallel, patienceMs, provision: target.provision, now: around.now },
    actor: options.actor ?? (around.env.USER || around.env.USERNAME || undefined),
    isDryRun: options.dryRun === true,
    ...(from ? { from: progressOf(from) } : {}),
    close: () => input.destroy(),
    onRefused: (row, refusal) => {
      refused?.write(row, refusal);
      if (++shown <= REFUSALS_SHOWN)
        around.error(`${isTerminal ? CLEAR : ''}${nameOf(file)}:${refusal.line}: ${refusal.message}\n`);
    },
    onProgress: (progress) => {
      if (keeps && around.now() - written >= CHECKPOINT_MS) save(progress);
    },
  });
  const meter = startMeter({
    ...{ loading, kind: kind.name, size, now: around.now, write: around.error },
    isTerminal,
  });
  const silence = around.onInterrupt?.(loading.stop);
  const ending = await loading.done.finally(() => {
    meter.stop();
    silence?.();
    input.destroy();
  });
  const { progress, fault } = ending;
  const isWhole = fault === undefined && !ending.isStopped;
  if (keeps) isWhole ? removeCheckpoint(checkpointFile) : save(progress);
  refused?.close();

  const report = reportOf({
    ...{ kind: kind.name, file, isDryRun: options.dryRun === true, refusedPath },
    ...{ ending, attempts: loading.now(), milliseconds: around.now() - begun, rowsBefore: from?.rows ?? 0 },
  });
  around.out(options.json ? `${JSON.stringify(report, null, 2)}\n` : sentenceOf(report));
  if (!isWhole)
    throw new Error(
      `${fault === undefined ? 'stopped' : `${nameOf(file)}: ${fault}`}; nothing is lost: run it again` +
        `${keeps ? ', with --resume to go on where it was' : ''}`,
    );
  return progress.refused === 0 ? FINE : REFUSED;
}

/** Where commands go, and what a checkpoint calls it. */
function connectFor(
  options: LoadCommandOptions,
  { env, now }: Surroundings,
): { provision: Provision; name: string } {
  const target = functionOf(options, env);
  if (target) {
    const transport = functionTransport(target);
    return {
      provision: (event) => transport(event as ProvisioningEvent).catch(asAnswer),
      name: `function ${target.name}`,
    };
  }
  const table = tableOf(options, env);
  const endpoint = readEndpoint(options, env);
  const client = createClient({ ...endpoint, requestTimeoutMs: REQUEST_TIMEOUT_MS });
  return {
    provision: provisionedOn(client, table, now).provisioning,
    // The same name at another place is another table.
    name: [table, endpoint.endpoint, endpoint.region, env.AWS_PROFILE].filter(Boolean).join(' '),
  };
}

/** No answer of the function is one that may be had in a moment: rows are sent again, under the same operation. */
function asAnswer(error: unknown): Answer {
  if (!(error instanceof TransportError) || !error.retryable) throw error;
  return { ok: false, error: { code: 'transient', message: error.message, retryable: true } };
}
