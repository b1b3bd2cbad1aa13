import { isRef, parseRef, parseSubjectRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { type Key, nodeKey, permissionRef } from '../../table/keys.ts';
import { readPermissionName } from '../../table/permission-name.ts';
import type { Reader } from '../../table/reader.ts';

/** Looks up a text for each name, in one BatchGetItem for every hundred; undefined where there is none. */
const looking =
  (keyOf: (name: string) => Key | undefined, textOf: (item: Item | undefined) => unknown) =>
  async (reader: Reader, names: readonly string[]): Promise<readonly (string | undefined)[]> => {
    const keys = names.map(keyOf);
    const items = await reader.getMany(keys.flatMap((key) => key ?? []));
    let next = 0;
    return keys.map((key) => {
      const text = key && textOf(items[next++]);
      return typeof text === 'string' ? text : undefined;
    });
  };

/** The attributes by which people know an entity. */
const NAMES = ['displayName', 'name', 'email', 'username', 'code'] as const;

/** What an item is called; undefined where it has no name. */
export const nameIn = (item: Readonly<Record<string, unknown>> | undefined): string | undefined =>
  NAMES.map((attribute) => item?.[attribute]).find((value) => typeof value === 'string');

/** The names of references. */
export const namesOf = looking((ref) => (isRef(ref) ? nodeKey(parseRef(ref, 'ref')) : undefined), nameIn);

/** The names of subjects: the type of one may be that of scopes. */
export const namesOfSubjects = looking(
  (ref) => (isRef(ref) ? nodeKey(parseSubjectRef(ref, 'subject')) : undefined),
  nameIn,
);

/** The descriptions of pages and permissions. */
export const descriptionsOf = looking(
  (text) => {
    const name = readPermissionName(text);
    return name && nodeKey(permissionRef(name));
  },
  (item) => item?.description,
);
