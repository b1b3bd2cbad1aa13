import { csvOf, type TextColumn } from './rows.ts';

/** Saves a text as a file, without a request. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export interface ExportsProps<T> {
  /** The name of the files, without an ending. */
  readonly file: string;
  readonly rows: readonly T[];
  readonly columns: readonly TextColumn<T>[];
  readonly isEmpty?: boolean;
  /** What the JSON file has. */
  readonly data: unknown;
}

/** Buttons that save rows as CSV, and what they are made from as JSON. */
export function Exports<T>({ file, rows, columns, data, isEmpty }: ExportsProps<T>) {
  const csv = () => download(`${file}.csv`, 'text/csv', csvOf(rows, columns));
  const json = () => download(`${file}.json`, 'application/json', `${JSON.stringify(data, null, 2)}\n`);
  return (
    <span class="export">
      <button type="button" disabled={isEmpty} onClick={csv}>
        Export CSV
      </button>
      <button type="button" disabled={isEmpty} onClick={json}>
        Export JSON
      </button>
    </span>
  );
}
