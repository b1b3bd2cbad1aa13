import { sha256 } from '../../table/bytes.ts';
import { isBuiltIn } from '../../table/entities/scope-types.ts';
import { formatRef, isSubjectNode, isType } from '../../table/identifiers.ts';
import { allOf, subjectsOf } from '../../table/index-queries.ts';
import { type Key, parseKey } from '../../table/keys.ts';
import { type ListQuery, MAX_PAGE, type Reader } from '../../table/reader.ts';

/** In a decision log, an id that could be an email is a pseudonym: `sha256:` and the beginning of its hash. */
const PSEUDONYM = 'sha256:';
const PSEUDONYM_LENGTH = 22;

const typeOf = (ref: string): string => ref.slice(0, ref.indexOf(':'));
const idOf = (ref: string): string => ref.slice(ref.indexOf(':') + 1);

/** Whether a reference in a log has a pseudonym in the place of its id. */
export const isPseudonym = (ref: string): boolean => idOf(ref).startsWith(PSEUDONYM);

/** What a log has in the place of a reference whose id is a pseudonym there. */
const pseudonymOf = async (ref: string): Promise<string> =>
  `${typeOf(ref)}:${PSEUDONYM}${(await sha256(idOf(ref))).slice(0, PSEUDONYM_LENGTH)}`;

/** Only ids with an `@` are pseudonyms: all other ids of a table are plain. */
const mayBePseudonym = (ref: string): boolean => ref.includes('@');

const scopesOf = (type: string): ListQuery =>
  isBuiltIn(type) ? allOf(type as 'tenant') : allOf('scope', type);

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
      if (!mayBePseudonym(ref)) return;
      const pseudonym = await pseudonymOf(ref);
      if (wanted.has(pseudonym)) opened.set(pseudonym, ref);
    };
    for (const node of nodes) if (isSubjectNode(node) === isSubject) await look(formatRef(node));
    for (const type of new Set([...wanted].map(typeOf).filter(isType))) {
      let cursor: string | undefined;
      do {
        const query = isSubject ? subjectsOf(type) : scopesOf(type);
        const page = await reader.list({ ...query, limit: MAX_PAGE, cursor });
        for (const item of page.items) {
          const key = parseKey(item);
          if (key?.form === 'node') await look(formatRef(key));
        }
        cursor = page.cursor;
      } while (cursor !== undefined);
    }
    return opened;
  };
  return { subjects: await open(logged.subjects, true), scopes: await open(logged.scopes, false) };
}
