import { sha256 } from '../../../table/bytes.ts';
import { isLoggedAsItIs, pseudonymOf } from '../../../table/decision-line.ts';

/** How a decision log writes references: an id that is not plain is there as a pseudonym. */
export interface Logged {
  readonly textOf: (ref: string) => string;
  /** The reference that a text of the log is of; undefined for none that is known. */
  readonly refOf: (text: string) => string | undefined;
}

const textOf = async (text: string): Promise<string> =>
  isLoggedAsItIs(text) ? text : pseudonymOf(await sha256(text));

/** @param refs all that may be met */
export async function createLogged(refs: Iterable<string>): Promise<Logged> {
  const texts = new Map<string, string>();
  const known = new Map<string, string>();
  for (const ref of refs) {
    const colon = ref.indexOf(':');
    const text = `${await textOf(ref.slice(0, colon))}:${await textOf(ref.slice(colon + 1))}`;
    texts.set(ref, text);
    known.set(text, ref);
  }
  return { textOf: (ref) => texts.get(ref) ?? ref, refOf: (text) => known.get(text) };
}
