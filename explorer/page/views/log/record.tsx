import type { Item } from '../../load-page.ts';
import { Detail } from '../../parts/detail.tsx';
import { Link } from '../../parts/link.tsx';
import { Named } from '../../parts/named.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import type { NameOf } from '../../refs.ts';
import { changesOf, detailsOf, entityOf, type FieldChange, linkedTo, partsOf } from './records.ts';

/** What an entity is called, in text. */
export const calledOf = (record: Item, nameOf: NameOf): string =>
  partsOf(record)
    .map((part) => ('text' in part ? part.text : (nameOf(part.ref) ?? part.ref)))
    .join(' · ');

/** The entity of a record: its type and what it is called, with a link to where it can be looked at. */
export function Entity({ record }: { readonly record: Item }) {
  const shown = linkedTo(record);
  const called = (
    <span title={entityOf(record)}>
      {partsOf(record).map((part, position) => (
        <>
          {position > 0 && ' · '}
          {'text' in part ? <bdi>{part.text}</bdi> : <Named of={part.ref} />}
        </>
      ))}
    </span>
  );
  return (
    <>
      <span class="type">
        <bdi>{String(record.entityType)}</bdi>
      </span>{' '}
      {shown ? (
        <Link to={shown.to} ask={shown.state}>
          {called}
        </Link>
      ) : (
        called
      )}
    </>
  );
}

/** Signs of what became of a field; no colour alone says it. */
const SIGNS = { added: '+', removed: '−', changed: '~' } as const;

const counted = (changes: readonly FieldChange[]): string =>
  (['added', 'changed', 'removed'] as const)
    .flatMap((kind) => {
      const number = changes.filter((change) => change.kind === kind).length;
      return number === 0 ? [] : [`${number} ${kind}`];
    })
    .join(', ');

export interface ChangesProps {
  readonly record: Item;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/** What a record says differs before and after, by field; unfolded on demand. */
export function Changes({ record, isOpen, onToggle }: ChangesProps) {
  const changes = changesOf(record);
  const details = detailsOf(record);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => onToggle(currentTarget.open)}>
      <summary>{changes.length === 0 ? 'no field' : counted(changes)}</summary>
      {isOpen && (
        <>
          {changes.length > 0 && (
            <Table class="fields" rows={changes} columns={FIELD_COLUMNS} keyOf={({ name }) => name} />
          )}
          <dl>
            {details.map(([name, text]) => (
              <Detail key={name} name={name}>
                <bdi>{text}</bdi>
              </Detail>
            ))}
          </dl>
        </>
      )}
    </details>
  );
}

const textOr = (text: string | undefined) =>
  text === undefined ? <span class="none">none</span> : <bdi>{text}</bdi>;

const FIELD_COLUMNS: readonly TableColumn<FieldChange>[] = [
  {
    title: 'Field',
    isHeading: true,
    show: ({ name, kind }) => (
      <>
        <bdi>{name}</bdi>{' '}
        <span class={`kind ${kind}`}>
          <span aria-hidden="true">{SIGNS[kind]}</span> {kind}
        </span>
      </>
    ),
  },
  { title: 'Before', show: ({ before }) => textOr(before) },
  { title: 'After', show: ({ after }) => textOr(after) },
];
