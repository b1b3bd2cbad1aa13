import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from './context.ts';

/**
 * Files that the command line writes. They may hold personal data and stand in folders that others can write to: only
 * their owner can read them, and no link is followed.
 */
const MODE = 0o600;
/** Windows has no such flag. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'exists already: give another name',
  EISDIR: 'is a folder',
  ELOOP: 'is a symbolic link: name the file itself',
  ENOENT: 'cannot be written: there is no such folder',
  ENOTDIR: 'cannot be written: there is no such folder',
  EACCES: 'cannot be written: you have no permission',
  EPERM: 'cannot be written: you have no permission',
  EROFS: 'cannot be written: the file system is read-only',
};

/** Runs file calls; throws {@link UsageError} that names the file where one of them fails. */
function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw error instanceof UsageError ? error : new UsageError(`${path} ${REASONS[code] ?? message}`);
  }
}

/** What is at a path, a link itself; undefined where nothing is. Throws {@link UsageError} for links and folders. */
function existing(path: string): Stats | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) throw new UsageError(`${path} ${REASONS.ELOOP}`);
  if (found?.isDirectory()) throw new UsageError(`${path} ${REASONS.EISDIR}`);
  return found;
}

/**
 * Throws {@link UsageError} where no file can be written: to be called before the work whose result goes there.
 *
 * @param isNew whether a file that is there stays as it is
 */
export const assertWritable = (path: string, isNew = false): void =>
  attempt(path, () => {
    const found = existing(path);
    if (found && isNew) throw new UsageError(`${path} ${REASONS.EEXIST}`);
    accessSync(found ? path : dirname(path), constants.W_OK);
  });

const createFile = (path: string): number =>
  openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_LINK, MODE);

/** Writes a new file, or none. Throws {@link UsageError}, also where one is there. */
export const writeNewFile = (path: string, text: string): void =>
  attempt(path, () => {
    const file = createFile(path);
    try {
      writeFileSync(file, text);
    } catch (error) {
      // What is cut off by a full disk may look like a whole one.
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
  });

/** Puts a file in the place of another one: a process that is killed meanwhile leaves the old one or the new one. */
export function swapFile(path: string, text: string): void {
  const next = `${path}.next`;
  rmSync(next, { force: true });
  writeNewFile(next, text);
  renameSync(next, path);
}

/** Removes a file that {@link swapFile} wrote. */
export function removeSwapped(path: string): void {
  for (const each of [path, `${path}.next`]) rmSync(each, { force: true });
}

/** Writes a new folder of files, which are read in their order. Throws {@link UsageError}, also where one is there. */
export const writeNewFolder = (path: string, texts: readonly string[], extension: string): void => {
  attempt(path, () => mkdirSync(path, { mode: 0o700 }));
  const digits = String(texts.length).length;
  for (const [position, text] of texts.entries())
    writeNewFile(join(path, `${String(position + 1).padStart(digits, '0')}.${extension}`), text);
};

/** Writes a file that others may read, in place of one that is there. Throws {@link UsageError}. */
export const writeText = (path: string, text: string): void =>
  attempt(path, () => {
    existing(path);
    writeFileSync(path, text);
  });

/** The text of a file; undefined where there is none. Throws {@link UsageError}. */
export const readIfThere = (path: string): string | undefined =>
  attempt(path, () => (existing(path) ? readFileSync(path, 'utf8') : undefined));

/** Opens an empty file for writing, in place of one that is there. Throws {@link UsageError}. */
export const replaceFile = (path: string): number =>
  attempt(path, () => {
    const found = existing(path);
    // A device such as /dev/null stays.
    if (found && !found.isFile()) return openSync(path, constants.O_WRONLY | NO_LINK);
    rmSync(path, { force: true });
    return createFile(path);
  });

/** Opens a file for writing after its first bytes; what follows them is removed. Throws {@link UsageError}. */
export const continueFile = (path: string, keep: number): number =>
  attempt(path, () => {
    const file = openSync(path, constants.O_RDWR | NO_LINK);
    const { nlink } = fstatSync(file);
    if (nlink > 1) {
      closeSync(file);
      throw new UsageError(`${path} has several names (hard links): remove the others`);
    }
    fchmodSync(file, MODE);
    ftruncateSync(file, keep);
    return file;
  });
