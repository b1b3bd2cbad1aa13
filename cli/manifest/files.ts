import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ProblemsError } from '../../testing/document.ts';
import { UsageError } from '../context.ts';
import { sumOf } from './print.ts';
import type { ManifestOptions } from './shared.ts';

/** Files of a folder. */
const MOST_FILES = 10_000;

/**
 * The manifests at a path: the file itself, or the files of a folder in the order of their names. Throws
 * {@link UsageError} for a folder without any, and for one with folders: what they hold would be left out.
 */
export async function manifestFiles(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) return [path];
  const inside = await readdir(path, { withFileTypes: true });
  const deeper = inside.find((each) => each.isDirectory() && !each.name.startsWith('.'));
  if (deeper)
    throw new UsageError(
      `${path} holds a folder, ${deeper.name}, whose files are not read: move it elsewhere`,
    );
  const names = inside
    .map(({ name }) => name)
    .filter((name) => /^[^.].*\.(?:ya?ml|json)$/i.test(name))
    .sort();
  if (names.length === 0)
    throw new UsageError(`${path} is a folder without a manifest: files that end in .yaml, .yml or .json`);
  if (names.length > MOST_FILES)
    throw new UsageError(`${path} has ${names.length} manifests, and at most ${MOST_FILES} are read`);
  return names.map((name) => join(path, name));
}

/** What a whole leaves out is not seen file by file. Throws {@link UsageError}. */
export function assertNotPruned(
  path: string,
  files: readonly string[],
  { prune, pruneShared }: ManifestOptions,
): void {
  if (files.length === 1 || !(prune || pruneShared)) return;
  const option = prune ? '--prune' : '--prune-shared';
  throw new UsageError(
    `${path} is a folder of ${files.length} files, each planned by itself, and ${option} is for one file: leave it out, compare the folder with gatehouse export, and remove by commands what no file has (gatehouse command user.delete …)`,
  );
}

/** Throws an error of a file again. Of a folder, it says first that a file does not see what the others define. */
export function throwFor(path: string, files: readonly string[], error: unknown): never {
  if (files.length === 1 || !(error instanceof ProblemsError)) throw error;
  if (!error.problems.some(({ message }) => message.startsWith('there is no '))) throw error;
  const message =
    'each file of a folder is a manifest by itself: give it what its entries name too, and part: true';
  throw new ProblemsError([{ file: path, message }, ...error.problems]);
}

/** For programs: the data of the one file, or of each file of a folder with the sums. */
export const ofFiles = (
  files: readonly string[],
  data: readonly unknown[],
  plans: Parameters<typeof sumOf>[0],
): unknown =>
  files.length === 1
    ? data[0]
    : {
        ...sumOf(plans),
        files: data.map((each, position) => ({ file: files[position], ...(each as object) })),
      };
