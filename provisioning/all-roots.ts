import { formatRef, type Ref } from '../table/identifiers.ts';
import { allScopes } from '../table/index-queries.ts';
import { parseKey } from '../table/keys.ts';
import { MAX_PAGE, type Reader } from '../table/reader.ts';

/** All roots: each has a log of its own. */
export async function allRoots(reader: Reader): Promise<readonly Ref[]> {
  const owners: Ref[] = [];
  let cursor: string | undefined;
  do {
    const page = await reader.list({ ...allScopes(), limit: MAX_PAGE, cursor });
    for (const item of page.items) {
      const key = parseKey(item);
      if (key?.form === 'node' && item.root === formatRef(key)) owners.push({ type: key.type, id: key.id });
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return owners;
}
