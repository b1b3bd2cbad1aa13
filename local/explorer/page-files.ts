import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

/** A file of the built page. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The types of the files that the build makes; nothing else is served. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Names without a leading dot, in folders of such names: no path leads out of the folder. */
const NAME = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;

const NOT_THERE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/** Where the page is built: `explorer/built` of a checkout, `dist/explorer/built` of the package. */
export const BUILT = new URL('../../explorer/built/', import.meta.url);

/** Reads a file of the page by its name; undefined where there is none of this name. */
export type ReadPage = (name: string) => Promise<PageFile | undefined>;

/** @param folder ends with `/` */
export const pageIn =
  (folder: URL): ReadPage =>
  async (name) => {
    const type = TYPES[extname(name)];
    if (type === undefined || !NAME.test(name)) return undefined;
    try {
      return { type, bytes: await readFile(new URL(name, folder)) };
    } catch (error) {
      if (NOT_THERE.has((error as NodeJS.ErrnoException).code)) return undefined;
      throw error;
    }
  };
