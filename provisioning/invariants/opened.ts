import { withAllGroups } from '../../table/decision/all-groups.ts';
import { Attribute, groupsAtAttribute, parseAttribute } from '../../table/decision/attributes.ts';
import { decodeSubject } from '../../table/decision/decode.ts';
import { SPLIT_FORM } from '../../table/form.ts';
import { parseSubjectRef, readSubject } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, identityOf, isOfDecision, type Key, parseKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { isMap } from '../../table/value.ts';
import { readAs } from '../read-as.ts';

/** A subject to whom nothing is granted, beside those of the table. */
export type Anybody = string;

/** What stands behind a condition that must not be evaluated: no expression ends so. */
const OPEN_END = '\n?';

/** The condition as it was written. */
export const asWritten = (when: string): string =>
  when.endsWith(OPEN_END) ? when.slice(0, -OPEN_END.length) : when;

/** What closes for good: whatever else a status says may be taken back. */
const CLOSED = 'deleting';

/**
 * A table as it is read where all that may be opened again is open: suspended and inactive subjects and scopes, what is
 * not sold or not licensed. No condition can be evaluated there, so that the engine answers `condition_failed` exactly
 * where the answer depends on conditions.
 *
 * @param anybody a subject that is there, too, without any grant
 */
export function opened(reader: Reader, anybody: Anybody): Reader {
  const added = newcomer(anybody);
  const openedAt = (key: Key, item: Item | undefined): Item | undefined =>
    identityOf(key) === identityOf(added) ? added : item && openedItem(item);
  return readAs(reader, openedAt);
}

const newcomer = (ref: Anybody): Item => ({
  ...decisionKey(parseSubjectRef(ref, 'subject')),
  [Attribute.version]: SPLIT_FORM,
  [Attribute.writtenAt]: 0,
  [Attribute.writeId]: 'anybody',
  [Attribute.status]: 'active',
});

function openedItem(item: Item): Item {
  if (!isOfDecision(parseKey(item))) return item;
  const open: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) {
    const kind = parseAttribute(name)?.kind;
    if (name === Attribute.enterprise || name === Attribute.properties || kind === 'module') continue;
    if (name === Attribute.status) open[name] = value === CLOSED ? value : 'active';
    else if ((kind === 'when' || kind === 'wild') && isMap(value))
      open[name] = { ...value, when: `${String(value.when)}${OPEN_END}` };
    else open[name] = value;
  }
  return open as Item;
}

/** The same table where these memberships count, which a connection has suspended. */
export async function withMemberships(reader: Reader, edges: readonly Item[]): Promise<Reader> {
  const items = new Map<string, Item>();
  for (const { user, group, scope } of edges) {
    const ref = readSubject(String(user), 'user');
    const key = decisionKey(ref);
    const found = items.get(identityOf(key)) ?? (await reader.get(key));
    if (!found) continue;
    const { groupsAt } = await withAllGroups(reader, ref, decodeSubject(found));
    const { [Attribute.groupsIn]: _, ...rest } = found;
    const at = new Map([...groupsAt].map(([place, groups]) => [place, new Set(groups)]));
    at.set(String(scope), (at.get(String(scope)) ?? new Set()).add(String(group)));
    items.set(identityOf(key), {
      ...(rest as Item),
      [Attribute.version]: SPLIT_FORM,
      ...Object.fromEntries([...at].map(([place, groups]) => [groupsAtAttribute(place), groups])),
    });
  }
  return readAs(reader, (key, item) => items.get(identityOf(key)) ?? item);
}
