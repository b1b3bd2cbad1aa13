import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inTurns, type LogRecord, readLogLine } from '../../provisioning/index.ts';
import { unreadable } from '../../testing/text-file.ts';
import { joined, SourceError } from '../bulk/rows.ts';
import { changingLine } from '../changing-line.ts';
import { type Context, UsageError } from '../context.ts';
import { isOfGzip, unpacked } from '../gzip.ts';
import { nameOf, openInput, problemIn, STDIN } from '../input-file.ts';
import { isS3, listObjects } from './s3-objects.ts';

/** Decision logs that a person names: files, folders and prefixes of S3, of JSON Lines, plain or packed by gzip. */

export interface LogFile {
  readonly name: string;
  /** Undefined for a pipe. */
  readonly bytes: number | undefined;
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
}

export interface LogFilesOptions {
  readonly context: Pick<Context, 'isErrorTerminal' | 'error' | 'now'>;
  readonly region: string | undefined;
  /** Epoch milliseconds: objects of S3 that were written before are left out. Other lines come, older ones too. */
  readonly from: number;
  /** Is given each line that is read, file by file in the order of a file; several files come side by side. */
  readonly onRecord: (record: LogRecord) => void;
}

/** Far longer than a line of ours: the file is something else. */
const MAX_LINE_BYTES = 1_048_576;
const LINE_FEED = 10;
/** Objects of Firehose are small: waiting for each of them in turn would take longer than reading them. */
const FILES_AT_ONCE = 8;

/**
 * Reads decision logs once, in memory that does not depend on their length.
 *
 * @throws ProblemsError for what cannot be read; UsageError where no line is of a decision log; what `onRecord` throws
 */
export async function readLogFiles(
  names: readonly string[],
  { context, region, from, onRecord }: LogFilesOptions,
): Promise<void> {
  const found = await Promise.all(names.map((name) => filesOf(name, { region, from })));
  // A file that two names lead to is read once: twice, each of its decisions would count twice.
  const files = [...new Map(found.flat().map((file) => [file.name, file])).values()];
  const bar = createBar(context, files);
  const counts = { lines: 0, ours: 0 };
  const take = (text: string): void => {
    if (text === '') return;
    counts.lines += 1;
    const record = readLogLine(text);
    if (record.is === 'decision' || record.is === 'heartbeat') counts.ours += 1;
    onRecord(record);
  };
  await inTurns(
    files,
    async (file) => {
      try {
        const counted = bar.counted(await file.open(), counts);
        await eachLine(await unpacked(counted), take);
      } catch (error) {
        if (isOfGzip(error)) throw problemIn(file.name, 'is no whole gzip file', undefined);
        throw error instanceof SourceError ? problemIn(file.name, error.message, undefined) : error;
      }
    },
    FILES_AT_ONCE,
  );
  bar.clear();
  if (counts.ours === 0)
    throw new UsageError(
      `none of the ${counts.lines} lines in ${names.map(nameOf).join(', ')} is of a decision log (docs/observability.md)`,
    );
}

export async function filesOf(
  name: string,
  options: Pick<LogFilesOptions, 'region' | 'from'>,
): Promise<readonly LogFile[]> {
  if (isS3(name)) return listObjects(name, options);
  const fileAt = (path: string, bytes: number | undefined): LogFile => ({
    name: path,
    bytes,
    open: async () => openInput(path) as AsyncIterable<Uint8Array>,
  });
  if (name === STDIN) return [fileAt(name, undefined)];
  try {
    const { size, ...at } = await stat(name).then((of) => ({
      size: of.isFile() ? of.size : undefined,
      isFolder: of.isDirectory(),
    }));
    if (!at.isFolder) return [fileAt(name, size)];
    const files: LogFile[] = [];
    for await (const entry of await opendir(name, { recursive: true }))
      if (entry.isFile()) {
        const path = join(entry.parentPath, entry.name);
        files.push(fileAt(path, (await stat(path)).size));
      }
    return files.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw unreadable(name, error as NodeJS.ErrnoException);
  }
}

/** Gives each line to `take`. Lines are decoded many at once: one by one took twice as long. */
async function eachLine(input: AsyncIterable<Uint8Array>, take: (text: string) => void): Promise<void> {
  let rest: Uint8Array = new Uint8Array();
  const takeAll = (bytes: Uint8Array): void => {
    const { buffer, byteOffset, byteLength } = bytes;
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
    for (const line of text.split('\n')) take(line);
  };
  for await (const chunk of input) {
    const end = chunk.lastIndexOf(LINE_FEED);
    if (end < 0) rest = joined(rest, chunk);
    else {
      takeAll(joined(rest, chunk.subarray(0, end)));
      rest = chunk.slice(end + 1);
    }
    if (rest.length > MAX_LINE_BYTES)
      throw new SourceError(`has a line that is longer than ${MAX_LINE_BYTES} bytes: it is no decision log`);
  }
  takeAll(rest);
}

const BAR_WIDTH = 30;
const SHOWN_EVERY_MS = 250;

/** Shows on a terminal how much is read. */
function createBar(
  context: LogFilesOptions['context'],
  files: readonly LogFile[],
): {
  readonly counted: (
    bytes: AsyncIterable<Uint8Array>,
    counts: { readonly lines: number },
  ) => AsyncIterable<Uint8Array>;
  readonly clear: () => void;
} {
  const all = files.reduce<number | undefined>(
    (sum, { bytes }) => (sum === undefined || bytes === undefined ? undefined : sum + bytes),
    0,
  );
  let done = 0;
  const show = changingLine(context, SHOWN_EVERY_MS);
  const bar = (): string => {
    if (all === undefined || all === 0) return '';
    const share = Math.min(1, done / all);
    return `[${'='.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH)}] ${Math.floor(share * 100)} %  `;
  };
  return {
    counted: async function* (bytes, counts) {
      for await (const chunk of bytes) {
        done += chunk.length;
        show(`${bar()}${counts.lines.toLocaleString('en')} lines`);
        yield chunk;
      }
    },
    clear: () => show(undefined),
  };
}
