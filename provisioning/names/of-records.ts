import { isRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import type { Reader } from '../../table/reader.ts';
import { namesOf } from './labels.ts';

/** Fields of what was changed that hold the id of this type, or a reference. */
const ENDS: Readonly<Record<string, string>> = {
  user: 'user',
  group: 'group',
  role: 'role',
  scope: '',
  parent: '',
  tenant: '',
  root: '',
};

/** Names that one page takes: those of its first records. It bounds what they cost to read. */
const MAX_NAMES = 300;

/** The reference in a text that is one, or the id of this type; undefined for other texts. */
const refIn = (text: unknown, type: string): string | undefined => {
  if (typeof text !== 'string') return undefined;
  if (isRef(text)) return text;
  return type !== '' && isRef(`${type}:${text}`) ? `${type}:${text}` : undefined;
};

/** Who acted, what was changed, and what that leads to. */
function refsIn({ actor, onBehalfOf, userId, entityType, entityId, before, after }: Item): readonly string[] {
  const changed = { ...(before as object), ...(after as object) } as Readonly<Record<string, unknown>>;
  return [
    refIn(actor, actor === userId ? 'user' : ''),
    refIn(onBehalfOf, ''),
    refIn(`${entityType}:${entityId}`, ''),
    ...Object.entries(ENDS).map(([field, type]) => refIn(changed[field], type)),
  ].flatMap((ref) => ref ?? []);
}

/** The names of what audit records speak of, by reference, read in one go; what is gone has none. */
export async function namesOfRecords(
  reader: Reader,
  records: readonly Item[],
): Promise<Readonly<Record<string, string>>> {
  const refs = [...new Set(records.flatMap(refsIn))].slice(0, MAX_NAMES);
  const names = await namesOf(reader, refs);
  return Object.fromEntries(
    refs.flatMap((ref, position) => {
      const name = names[position];
      return name === undefined ? [] : [[ref, name] as const];
    }),
  );
}
