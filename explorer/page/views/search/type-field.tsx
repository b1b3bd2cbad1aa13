import { useClient } from '../../client.ts';
import { useList } from '../../list.ts';
import { commandPages } from '../../load-page.ts';
import { named, Select } from '../../parts/field.tsx';
import { SCOPE_TYPE_NAMES, SUBJECT_TYPES } from '../../registry.ts';
import type { Search } from './searches.ts';

/** What a search may be limited to, and the command that lists types which were added. */
const TYPES = {
  who: { label: 'Type', types: SUBJECT_TYPES, added: 'subject-type.list' },
  what: { label: 'Kind', types: ['page', 'permission'], added: undefined },
  where: {
    label: 'Type',
    types: SCOPE_TYPE_NAMES,
    added: 'scope-type.list',
  },
} as const satisfies Record<Search, unknown>;

export interface TypeFieldProps {
  readonly search: Search;
  readonly value: string | undefined;
  readonly onChoose: (type: string | undefined) => void;
}

/** Limits a search to one type of what it finds. */
export function TypeField({ search, value, onChoose }: TypeFieldProps) {
  const { send } = useClient();
  const { label, types, added } = TYPES[search];
  const { items } = useList(added, commandPages(send, added ?? ''));
  const all = [...types, ...items.map(({ name }) => String(name)), ...(value ? [value] : [])];
  return (
    <Select
      label={label}
      value={value ?? ''}
      options={{ '': 'all', ...named(all) }}
      onChoose={(type) => onChoose(type || undefined)}
    />
  );
}
