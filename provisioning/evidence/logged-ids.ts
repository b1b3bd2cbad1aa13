import { sha256 } from '../../table/bytes.ts';
import { isLoggedAsItIs, pseudonymOf } from '../../table/decision-line.ts';
import { formatRef, isSubjectNode, isType } from '../../table/identifiers.ts';
import { scopesOf, subjectsOf } from '../../table/index-queries.ts';
import { type Key, parseKey } from '../../table/keys.ts';
import { MAX_PAGE, type Reader } from '../../table/reader.ts';
import { pagesOf } from '../list-pages.ts';
import type { AskedInLog } from './logged-questions.ts';

const typeOf = (ref: string): string => ref.slice(0, ref.indexOf(':'));
const idOf = (ref: string): string => ref.slice(ref.indexOf(':') + 1);

/** What every pseudonym begins with: no id holds a colon. */
const PREFIX = pseudonymOf('');

/** A reference as a log has it: an id that is not plain is there as a pseudonym. */
const asLogged = async (ref: string): Promise<string> =>
  isLoggedAsItIs(idOf(ref)) ? ref : `${typeOf(ref)}:${pseudonymOf(await sha256(idOf(ref)))}`;

/** How a decision log writes references. */
export interface Logged {
  readonly textOf: (ref: string) => string;
  /** The reference that a text of the log is of; undefined for none that is known. */
  readonly refOf: (text: string) => string | undefined;
}

/** @param refs all that may be met */
export async function createLogged(refs: Iterable<string>): Promise<Logged> {
  const texts = new Map<string, string>();
  for (const ref of refs) texts.set(ref, await asLogged(ref));
  const known = new Map([...texts].map(([ref, text]) => [text, ref]));
  return { textOf: (ref) => texts.get(ref) ?? ref, refOf: (text) => known.get(text) };
}

/** Whether a reference in a log has a pseudonym in the place of its id. */
const isPseudonym = (ref: string): boolean => idOf(ref).startsWith(PREFIX);

/** Whether a question has a pseudonym: that of a mandate is one as a whole. */
export const hasPseudonym = ({ subject, actor, scope }: Omit<AskedInLog, 'permission'>) =>
  [subject, actor?.subject ?? '', scope].some(isPseudonym) ||
  actor?.mandate?.startsWith('mandate:') === false;

/**
 * Finds whose the pseudonyms in a log are, by computing those of the ids of the table. Reads the list of all subjects, or
 * of all scopes, of a type that has pseudonyms.
 *
 * @param logged references, as a log has them
 * @param made keys that are not in the table yet, but count
 * @returns references by what the log has in their place
 */
export async function openPseudonyms(
  reader: Pick<Reader, 'list'>,
  logged: { readonly subjects: Iterable<string>; readonly scopes: Iterable<string> },
  made: readonly Key[] = [],
): Promise<{ readonly subjects: ReadonlyMap<string, string>; readonly scopes: ReadonlyMap<string, string> }> {
  const nodes = made.flatMap((key) => {
    const parsed = parseKey(key);
    return parsed?.form === 'node' ? [parsed] : [];
  });
  const open = async (refs: Iterable<string>, isSubject: boolean): Promise<ReadonlyMap<string, string>> => {
    const wanted = new Set([...refs].filter(isPseudonym));
    const opened = new Map<string, string>();
    const look = async (ref: string): Promise<void> => {
      const text = await asLogged(ref);
      if (wanted.has(text)) opened.set(text, ref);
    };
    for (const node of nodes) if (isSubjectNode(node) === isSubject) await look(formatRef(node));
    for (const type of new Set([...wanted].map(typeOf).filter(isType))) {
      const query = isSubject ? subjectsOf(type) : scopesOf(type);
      for await (const items of pagesOf(reader, query, MAX_PAGE))
        for (const item of items) {
          const key = parseKey(item);
          if (key?.form === 'node') await look(formatRef(key));
        }
    }
    return opened;
  };
  return { subjects: await open(logged.subjects, true), scopes: await open(logged.scopes, false) };
}
