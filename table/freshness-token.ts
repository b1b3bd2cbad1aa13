/**
 * The token that comes with the answer to a write: it names an instant not before which a reader has
 * to look to see that write. Opaque to callers; it carries nothing secret and grants nothing.
 */
const FORM = /^gh1\.([0-9a-z]{1,11})$/;

/** @param writtenAt epoch milliseconds that the write stamped on its decision items */
export const formatFreshnessToken = (writtenAt: number): string => `gh1.${writtenAt.toString(36)}`;

/** Epoch milliseconds of a token; undefined when the text is none. */
export function readFreshnessToken(token: string): number | undefined {
  const digits = FORM.exec(token)?.[1];
  const writtenAt = digits === undefined ? undefined : Number.parseInt(digits, 36);
  return Number.isSafeInteger(writtenAt) ? writtenAt : undefined;
}
