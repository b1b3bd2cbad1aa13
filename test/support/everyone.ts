import { EVERYONE_LIST, partitionOf } from '../../table/keys.ts';
import { OWNERSHIP } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';

/** The table as if there were groups of everyone at these scopes, which it does not have; and what was read since the last look. */
export function withEveryone(reader: Reader, scopes: readonly string[]) {
  const groups = scopes.map((scope, n) => ({ PK: '', SK: '', Type: OWNERSHIP, id: `group-${n}`, scope }));
  const isOfEveryone = ({ ranges }: Pick<Parameters<Reader['list']>[0], 'ranges'>) =>
    ranges[0]?.partition === partitionOf(EVERYONE_LIST);
  let counted = { rounds: 0, keys: 0 };
  const counting: Reader = {
    ...reader,
    getMany: async (keys, ...rest) => {
      counted = { rounds: counted.rounds + 1, keys: counted.keys + keys.length };
      return reader.getMany(keys, ...rest);
    },
    list: async (query, notes) =>
      isOfEveryone(query) ? { items: groups.slice(0, query.limit) } : reader.list(query, notes),
    listAll: async (query, notes) => (isOfEveryone(query) ? groups : reader.listAll(query, notes)),
  };
  const cost = () => {
    const since = counted;
    counted = { rounds: 0, keys: 0 };
    return since;
  };
  return { reader: counting, cost };
}
