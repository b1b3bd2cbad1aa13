import { extname, resolve } from 'node:path';
import { checkpointFileOf, type Progress, progressOf, resumed } from '../bulk/checkpoint.ts';
import { createColumns } from '../bulk/columns.ts';
import { ROW_KINDS, type RowKind } from '../bulk/kinds.ts';
import { type LoadOptions, NO_PROGRESS, startLoad } from '../bulk/load.ts';
import { createRefusedFile } from '../bulk/refused.ts';
import { formatLoaded, loadedCounts, loadedData, showProgress } from '../bulk/report.ts';
import { type Source, SourceError } from '../bulk/rows.ts';
import { readSource, readThrough } from '../bulk/source.ts';
import { functionOf, readEndpoint, tableOf } from '../connection.ts';
import { type Context, IncompleteError, UsageError } from '../context.ts';
import { nameOf, openInput, problemIn, STDIN, sizeOf } from '../input-file.ts';
import {
  argument,
  choiceArgument,
  duration,
  flag,
  type GlobalOptions,
  text,
  type ValuesOf,
  WRITING,
  whole,
  withDefault,
} from '../options.ts';
import { assertWritable, removeSwapped, swapFile } from '../output-file.ts';
import { asJson, CLEAR_LINE } from '../print.ts';
import { actorOf, targetOf } from '../provisioning.ts';
import { type Outcome, subcommand } from '../subcommand.ts';
import { type Transport, TransportError } from '../transport.ts';

/** Short, so that a table at its limit shows soon; a transaction may have 100 items. */
const REQUEST_TIMEOUT_MS = 5_000;
const CHECKPOINT_MS = 250;
const REFUSALS_SHOWN = 5;

const OPTIONS = {
  refused: text('<file>', 'where to write refused rows (default: FILE.refused.csv or .jsonl)'),
  parallel: withDefault(
    // The client keeps at most this many connections.
    whole('how many batches of rows are sent at the same time, 1 to 50', 1, 50),
    8,
  ),
  patience: withDefault(
    duration('how long to retry a row while the table does not answer', 0.001, 1_000_000),
    60,
  ),
  resume: flag('continue an interrupted load'),
  dryRun: flag('report which rows would be refused; write nothing to the table'),
  ...WRITING,
};
type LoadCommandOptions = ValuesOf<typeof OPTIONS> & GlobalOptions;

const KINDS = choiceArgument(
  '<kind>',
  'what the rows are',
  ROW_KINDS.map(({ name }) => name),
);

/** `gatehouse load`: users, memberships and assignments in bulk. */
export const addLoad = subcommand({
  name: 'load',
  summary: 'load users, subjects, memberships or assignments from a file',
  description:
    'Loads users, subjects, memberships or assignments from CSV or JSON Lines. Rows share transactions.',
  arguments: [KINDS, argument('<file>', 'CSV or JSON Lines; - is the standard input')],
  options: OPTIONS,
  examples: `  gatehouse load users users.csv
  gatehouse load memberships memberships.jsonl --refused refused.jsonl
  gatehouse load users users.csv --resume        (after an interruption)
  zcat users.csv.gz | gatehouse load users - --refused refused.csv`,
  notes: `The file is CSV with a header, or JSON Lines. Its columns are the fields of
user.create, subject.create, membership.create or assignment.create: gatehouse
command user.create --help lists them. A row that is in the table already and
equal is skipped, so the same file can be loaded again.`,
  run: ([name, file], options, context) =>
    loadFile(ROW_KINDS.find((each) => each.name === name) as RowKind, file, options, context),
});

/** Throws {@link UsageError} for options that contradict each other. */
function assertOptions(options: LoadCommandOptions, file: string): void {
  if (options.resume && options.dryRun) throw new UsageError('--resume cannot be combined with --dry-run');
  if (options.resume && file === STDIN)
    throw new UsageError('--resume needs a file: it cannot know how standard input began');
  if (options.refused !== undefined && file !== STDIN && resolve(options.refused) === resolve(file))
    throw new UsageError('--refused is the input file');
}

async function loadFile(
  kind: RowKind,
  file: string,
  options: LoadCommandOptions,
  context: Context,
): Promise<Outcome> {
  assertOptions(options, file);
  const isDryRun = options.dryRun === true;
  const size = await sizeOf(file);
  const target = await namedTarget(options, context);
  const { now } = context;
  const begun = now();
  const columns = createColumns(kind.fields);
  if (options.refused !== undefined) assertWritable(options.refused);
  const hash = size === undefined ? '' : await readThrough(file, columns).catch(throwProblem(file));
  const input = openInput(file);
  const source = await readSource(input, columns).catch((error: unknown) => {
    input.destroy();
    return throwProblem(file)(error);
  });
  const refusedFile = options.refused ?? defaultRefused(file, source);
  if (refusedFile !== undefined) assertWritable(refusedFile);

  let hasCheckpoint = size !== undefined && !isDryRun;
  const checkpointFile = checkpointFileOf(file);
  const identity = {
    version: 1 as const,
    kind: kind.name,
    table: target.name,
    hash,
    refusedFile: refusedFile === undefined ? '' : resolve(refusedFile),
  };
  const checkpoint = options.resume ? resumed(checkpointFile, identity, context) : undefined;
  const from = checkpoint ? progressOf(checkpoint) : NO_PROGRESS;
  const refused =
    refusedFile === undefined
      ? undefined
      : createRefusedFile(refusedFile, source, checkpoint?.refusedBytes ?? 0);
  let saved = now();
  const save = (progress: Progress): void => {
    if (!hasCheckpoint) return;
    saved = now();
    try {
      swapFile(
        checkpointFile,
        JSON.stringify({ ...identity, ...progress, refusedBytes: refused?.bytes() ?? 0 }),
      );
    } catch (error) {
      // A checkpoint only saves time: the load continues without one.
      hasCheckpoint = false;
      context.error(`${error instanceof Error ? error.message : error}: --resume will not be possible\n`);
    }
  };
  save(from);

  const isTerminal = context.isErrorTerminal === true;
  let shown = 0;
  const loading = startLoad(source.rows, {
    kind,
    isDryRun,
    from,
    now,
    parallel: options.parallel,
    transport: target.transport,
    isOneProcess: target.isOneProcess ?? false,
    patienceMs: options.patience * 1_000,
    actor: actorOf(options, context.env),
    close: () => input.destroy(),
    onRefused: (row, refusal) => {
      refused?.write(row, refusal);
      if (++shown <= REFUSALS_SHOWN)
        context.error(`${isTerminal ? CLEAR_LINE : ''}${nameOf(file)}:${refusal.line}: ${refusal.message}\n`);
    },
    onProgress: (progress) => {
      if (now() - saved >= CHECKPOINT_MS) save(progress);
    },
  });
  const hideProgress = showProgress({
    loading,
    kind: kind.name,
    size,
    now,
    isTerminal,
    write: context.error,
  });
  const stopListening = context.onInterrupt?.(loading.stop);
  const ending = await loading.done.finally(() => {
    hideProgress();
    stopListening?.();
    input.destroy();
  });
  const isComplete = ending.fault === undefined && !ending.isStopped;
  const { rows } = loadedCounts(ending);
  // A load that did nothing leaves nothing.
  if (isComplete || rows === 0) {
    if (hasCheckpoint) removeSwapped(checkpointFile);
    hasCheckpoint = false;
  } else save(ending.progress);
  refused?.close();

  const loaded = {
    kind: kind.name,
    file,
    isDryRun,
    ending,
    refusedFile,
    status: loading.status(),
    milliseconds: now() - begun,
    rowsBefore: from.rows,
  };
  // One document of data: that of the error holds the summary too.
  if (isComplete || (!options.json && rows > 0))
    context.out(options.json ? asJson(loadedData(loaded)) : formatLoaded(loaded));
  if (!isComplete)
    throw new IncompleteError(
      `${ending.fault === undefined ? `stopped: the rest of ${nameOf(file)} was not sent` : `${nameOf(file)}: ${ending.fault}`}; nothing is lost: run it again` +
        `${hasCheckpoint ? ', with --resume to continue' : ''}`,
      loadedData(loaded),
    );
  return { refused: ending.progress.refused > 0 };
}

/** Says what is wrong with the input, and in which line. Nothing has been sent. */
const throwProblem =
  (file: string) =>
  (error: unknown): never => {
    throw error instanceof SourceError ? problemIn(file, error.message, error.line) : error;
  };

/** The file of refused rows beside the input; undefined for standard input. */
function defaultRefused(file: string, { format }: Source): string | undefined {
  if (file === STDIN) return undefined;
  const extension = extname(file);
  return `${extension === '' ? file : file.slice(0, -extension.length)}.refused${format === 'csv' ? '.csv' : '.jsonl'}`;
}

/** Where commands go, and its name in checkpoints. */
async function namedTarget(
  options: LoadCommandOptions,
  context: Context,
): Promise<Pick<LoadOptions, 'transport' | 'isOneProcess'> & { readonly name: string }> {
  const { env } = context;
  const { transport, reader } = await targetOf(options, context, { requestTimeoutMs: REQUEST_TIMEOUT_MS });
  const called = functionOf(options, env);
  const { endpoint, region } = called ?? readEndpoint(options, env);
  // What has the same name elsewhere is another one.
  const name = [called ? `function ${called.name}` : tableOf(options, env), endpoint, region, env.AWS_PROFILE]
    .filter(Boolean)
    .join(' ');
  return reader ? { transport, isOneProcess: true, name } : { transport: retryable(transport), name };
}

/** Answers `transient` where the function gave no answer, so that the load slows down and retries. */
const retryable =
  (transport: Transport): Transport =>
  (event, signal) =>
    transport(event, signal).catch((error: unknown) => {
      if (!(error instanceof TransportError) || !error.retryable) throw error;
      return { ok: false, error: { code: 'transient', message: error.message, retryable: true } };
    });
