/**
 * The token that comes with the answer to a write: the time of the answer, by the writer's clock. The write
 * was committed by then, so whoever reads later sees it. The time of the write itself would not do: it is of
 * the sending, and the write may have arrived much later. Opaque to callers; it carries
 * nothing secret and grants nothing.
 */
const FORM = /^gh1\.([0-9a-z]{1,11})$/;

/** @param answeredAt epoch milliseconds of the answer to the write, or to its repetition */
export const formatFreshnessToken = (answeredAt: number): string => `gh1.${answeredAt.toString(36)}`;

/** Epoch milliseconds of a token; undefined when the text is none. */
export function readFreshnessToken(token: string): number | undefined {
  const digits = FORM.exec(token)?.[1];
  const answeredAt = digits === undefined ? undefined : Number.parseInt(digits, 36);
  return Number.isSafeInteger(answeredAt) ? answeredAt : undefined;
}
