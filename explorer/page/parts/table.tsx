import type { ComponentChildren, HTMLAttributes } from 'preact';

/** A column of a table. */
export interface TableColumn<T> {
  readonly title: string;
  /** Its title as it is shown. */
  readonly head?: ComponentChildren;
  readonly show: (row: T) => ComponentChildren;
  /** Whether its cells name their rows. */
  readonly isHeading?: boolean;
  /** Of its cells. */
  readonly class?: string;
  /** What else a cell is given. */
  readonly cell?: (row: T, position: number) => HTMLAttributes<HTMLTableCellElement>;
  /** Said before a cell where there is no room for columns. */
  readonly label?: string;
}

interface TableProps<T> extends Pick<HTMLAttributes<HTMLTableElement>, 'role' | 'aria-label' | 'class'> {
  readonly rows: readonly T[];
  readonly columns: readonly TableColumn<T>[];
  readonly keyOf: (row: T) => string;
  readonly caption?: ComponentChildren;
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
          {columns.map(({ title, head = title, class: classes }) => (
            <th key={title} scope="col" class={classes}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, position) => (
          <tr key={keyOf(row)} aria-current={isCurrent?.(row) ? 'true' : undefined}>
            {columns.map(({ title, show, isHeading, class: classes, label, cell }) => {
              const Cell = isHeading ? 'th' : 'td';
              const scope = isHeading ? 'row' : undefined;
              return (
                <Cell key={title} scope={scope} class={classes} data-label={label} {...cell?.(row, position)}>
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
