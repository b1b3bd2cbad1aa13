import { isRef, parseRef } from '../table/identifiers.ts';
import type { Item } from '../table/item.ts';
import { nodeKey, permissionRef } from '../table/keys.ts';
import { readPermissionName } from '../table/permission-name.ts';
import type { Reader } from '../table/reader.ts';

/** By which attribute people know a thing. */
const NAMES = ['displayName', 'name', 'email', 'username', 'code'] as const;

const nameIn = (item: Item | undefined): string | undefined => {
  const found = NAMES.map((attribute) => item?.[attribute]).find((value) => typeof value === 'string');
  return found === undefined ? undefined : String(found);
};

/** What references are called, in one BatchGetItem for every hundred; undefined for what has no name. */
export async function namesOf(
  reader: Reader,
  refs: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const known = refs.map((ref) => (isRef(ref) ? nodeKey(parseRef(ref, 'ref')) : undefined));
  const items = await reader.getMany(known.flatMap((key) => key ?? []));
  let next = 0;
  return known.map((key) => (key === undefined ? undefined : nameIn(items[next++])));
}

/** What pages and permissions are for, as they are described. */
export async function descriptionsOf(
  reader: Reader,
  permissions: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const keys = permissions.map((text) => {
    const name = readPermissionName(text);
    return name === undefined ? undefined : nodeKey(permissionRef(name));
  });
  const items = await reader.getMany(keys.flatMap((key) => key ?? []));
  let next = 0;
  return keys.map((key) => {
    const description = key === undefined ? undefined : items[next++]?.description;
    return typeof description === 'string' ? description : undefined;
  });
}
