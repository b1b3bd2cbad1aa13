import type { ComponentChildren } from 'preact';

/** A column of a table. */
export interface TableColumn<T> {
  readonly title: string;
  /** Whether its title is only for those who do not see the table. */
  readonly hidesTitle?: boolean;
  readonly show: (row: T) => ComponentChildren;
  /** Whether its cells name their rows. */
  readonly isHeading?: boolean;
  /** Of its cells. */
  readonly class?: string;
  /** Said before a cell where there is no room for columns. */
  readonly label?: string;
}

export interface TableProps<T> {
  readonly rows: readonly T[];
  readonly columns: readonly TableColumn<T>[];
  readonly keyOf: (row: T) => string;
  readonly caption?: ComponentChildren;
  readonly class?: string;
  readonly isCurrent?: (row: T) => boolean;
  readonly isBusy?: boolean;
}

/** A table with a row for each of some things. */
export function Table<T>({ rows, columns, keyOf, caption, isCurrent, isBusy, ...rest }: TableProps<T>) {
  return (
    <table aria-busy={isBusy} {...rest}>
      {caption}
      <thead>
        <tr>
          {columns.map(({ title, hidesTitle, class: classes }) => (
            <th key={title} scope="col" class={classes}>
              {hidesTitle ? <span class="visually-hidden">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} aria-current={isCurrent?.(row) ? 'true' : undefined}>
            {columns.map(({ title, show, isHeading, class: classes, label }) => {
              const Cell = isHeading ? 'th' : 'td';
              return (
                <Cell key={title} scope={isHeading ? 'row' : undefined} class={classes} data-label={label}>
                  {show(row)}
                </Cell>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
