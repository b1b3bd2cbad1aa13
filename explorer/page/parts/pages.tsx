import type { ComponentChildren } from 'preact';
import type { List } from '../list.ts';
import { download } from './download.ts';
import { Filter } from './filter.tsx';
import { Problem } from './problem.tsx';
import { countOf, csvOf, filtered, type TextColumn } from './rows.ts';

export interface Column<T> extends TextColumn<T> {
  /** What the table shows; the text if left out. */
  readonly show?: (row: T) => ComponentChildren;
}

/** What the last cell of each row offers: a link, or a button. */
export type RowAction<T> = { readonly title: string } & (
  | { readonly hrefOf: (row: T) => string }
  | { readonly run: (row: T) => void }
);

export interface PagesProps<T> {
  /** What the rows are. */
  readonly caption: string;
  /** Of exported files, without an ending. */
  readonly file: string;
  readonly list: List<T>;
  /** The first one names its row. */
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  readonly action?: RowAction<T>;
  /** The key of the row that is selected, if one is. */
  readonly selected?: string | undefined;
  readonly filter: string | undefined;
  readonly onFilter: (text: string | undefined) => void;
  /** Instead of a list that has nothing. */
  readonly empty: ComponentChildren;
}

/** A table that is loaded page by page, with a filter over what is loaded, exported as CSV and JSON. */
export function Pages<T>(props: PagesProps<T>) {
  const { caption, file, list, columns, keyOf, action, selected, filter = '', onFilter, empty } = props;
  const { items, hasMore, isLoading, error } = list;
  const rows = filtered(items, columns, filter);
  if (items.length === 0 && !hasMore && !isLoading && !error) return <>{empty}</>;
  return (
    <div class="pages">
      <div class="bar">
        <Filter label="Filter the loaded rows" value={filter} onFilter={onFilter} />
        <p class="loaded" role="status">
          {countOf(rows.length, items.length, hasMore, isLoading)}
        </p>
        <span class="export">
          <button
            type="button"
            disabled={rows.length === 0}
            onClick={() => download(`${file}.csv`, 'text/csv', csvOf(rows, columns))}
          >
            Export CSV
          </button>
          <button
            type="button"
            disabled={rows.length === 0}
            onClick={() => download(`${file}.json`, 'application/json', `${JSON.stringify(rows, null, 2)}\n`)}
          >
            Export JSON
          </button>
        </span>
      </div>
      {rows.length > 0 && (
        <div class="rows scrolls">
          <table aria-busy={isLoading}>
            <caption class="visually-hidden">{caption}</caption>
            <thead>
              <tr>
                {columns.map(({ title }) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
                {action && (
                  <th scope="col">
                    <span class="visually-hidden">{action.title}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={keyOf(row)} aria-current={keyOf(row) === selected ? 'true' : undefined}>
                  {columns.map(({ title, text, show }) => (
                    <td key={title}>{show ? show(row) : <bdi>{text(row)}</bdi>}</td>
                  ))}
                  {action && (
                    <td class="action">
                      <Action action={action} row={row} name={columns[0]?.text(row) ?? ''} />
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
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

interface ActionProps<T> {
  readonly action: RowAction<T>;
  readonly row: T;
  readonly name: string;
}

function Action<T>({ action, row, name }: ActionProps<T>) {
  const label = `${action.title}: ${name}`;
  if ('hrefOf' in action)
    return (
      <a href={action.hrefOf(row)} aria-label={label}>
        {action.title}
      </a>
    );
  return (
    <button type="button" aria-label={label} onClick={() => action.run(row)}>
      {action.title}
    </button>
  );
}
