import { formatRef, type Ref } from '../identifiers.ts';
import { MEMBERSHIPS_PREFIX, parseKey, partitionOf } from '../keys.ts';
import type { Reader } from '../reader.ts';
import { decodeMemberships } from './decode.ts';
import { type SubjectItem, subjectWith } from './items.ts';

/**
 * A subject with all its groups, wherever they stand: by one Query where they stand apart. For lists; a decision knows
 * the keys of the few that it looks at.
 *
 * @throws GatehouseError as the reader does, `damaged_item`
 */
export async function withAllGroups(
  reader: Pick<Reader, 'listAll'>,
  ref: Ref,
  subject: SubjectItem,
): Promise<SubjectItem> {
  if (!subject.groupsApart) return subject;
  const parts = await reader.listAll({
    ranges: [{ partition: partitionOf(ref), prefix: MEMBERSHIPS_PREFIX }],
  });
  const groupsAt = new Map<string, readonly string[]>();
  for (const part of parts) {
    const key = parseKey(part);
    if (key?.form === 'memberships') groupsAt.set(formatRef(key.scope), decodeMemberships(part));
  }
  return subjectWith(subject, { groupsAt });
}
