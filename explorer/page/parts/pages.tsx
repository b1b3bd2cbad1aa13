import type { ComponentChildren } from 'preact';
import { type Patch, useAddress } from '../address.ts';
import type { List } from '../list.ts';
import { Exports } from './exports.tsx';
import { TextField } from './field.tsx';
import { Link } from './link.tsx';
import { Problem } from './problem.tsx';
import { countOf, filtered, type TextColumn } from './rows.ts';
import { Table, type TableColumn } from './table.tsx';

export interface Column<T> extends TextColumn<T> {
  /** What the table shows; the text if left out. */
  readonly show?: (row: T) => ComponentChildren;
}

/** The link to a view that the last cell of each row offers. */
export interface RowLink<T> {
  readonly title: string;
  readonly to: string;
  readonly askOf: (row: T) => Patch;
}

export interface PagesProps<T> {
  /** What the rows are. */
  readonly caption: string;
  /** Of exported files, without an ending. */
  readonly file: string;
  readonly list: List<T>;
  /** The first one names its row. */
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  readonly link?: RowLink<T>;
  /** The key of the row that is selected, if one is. */
  readonly selected?: string | undefined;
  /** Instead of a list that has nothing. */
  readonly empty: ComponentChildren;
}

/** A table that is loaded page by page, with a filter over what is loaded, which the address has, exported as CSV and JSON. */
export function Pages<T>(props: PagesProps<T>) {
  const { caption, file, list, columns, keyOf, link, selected, empty } = props;
  const { state, go } = useAddress();
  const { filter = '' } = state;
  const { items, hasMore, isLoading, error } = list;
  const rows = filtered(items, columns, filter);
  if (items.length === 0 && !hasMore && !isLoading && !error) return <>{empty}</>;
  return (
    <div class="pages">
      <div class="bar">
        <TextField
          class="filter"
          label="Filter the loaded rows"
          type="search"
          value={filter}
          onType={(text) => go({ filter: text }, { replace: true })}
        />
        <p class="loaded" role="status">
          {countOf(rows.length, items.length, hasMore, isLoading)}
        </p>
        <Exports file={file} rows={rows} columns={columns} data={rows} isEmpty={rows.length === 0} />
      </div>
      {rows.length > 0 && (
        <div class="rows scrolls">
          <Table
            rows={rows}
            columns={[...columns.map(shownColumn), ...(link ? [linkColumn(link, columns)] : [])]}
            keyOf={keyOf}
            caption={<caption class="visually-hidden">{caption}</caption>}
            isCurrent={(row) => keyOf(row) === selected}
            isBusy={isLoading}
          />
        </div>
      )}
      {error && <Problem of={error} retry={list.more} />}
      {hasMore && !error && (
        <button type="button" class="more" disabled={isLoading} onClick={list.more}>
          {isLoading ? 'Loading…' : 'Load more'}
        </button>
      )}
    </div>
  );
}

const shownColumn = <T,>({ title, text, show }: Column<T>): TableColumn<T> => ({
  title,
  show: show ?? ((row) => <bdi>{text(row)}</bdi>),
});

const linkColumn = <T,>({ title, to, askOf }: RowLink<T>, [first]: readonly Column<T>[]): TableColumn<T> => ({
  title,
  head: <span class="visually-hidden">{title}</span>,
  class: 'action',
  show: (row) => (
    <Link to={to} ask={askOf(row)} label={`${title}: ${first?.text(row)}`}>
      {title}
    </Link>
  ),
});
