import type { Reader } from '../../table/reader.ts';

/** A reader that calls `before` first, and waits for it: to count reads, to hold them up, or to act between two of them. */
export const watchReads = (reader: Reader, before: (method: keyof Reader, asked: never) => unknown): Reader =>
  Object.fromEntries(
    Object.entries(reader).map(([method, read]: [string, (...args: never[]) => unknown]) => [
      method,
      async (...args: never[]) => {
        await before(method as keyof Reader, args[0] as never);
        return read(...args);
      },
    ]),
  ) as unknown as Reader;
