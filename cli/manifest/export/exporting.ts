import type { Row } from '../../../provisioning/apply/entry.ts';
import type { Queries } from '../../../provisioning/apply/queries.ts';

export interface ExportOptions {
  /** References of root scopes; all there are when left out. */
  readonly roots: readonly string[] | undefined;
  readonly apis: readonly string[];
  /** Whether to write ids: without them the manifest describes another tenant like this one. */
  readonly ids: boolean;
}

/** What every section of an export works with. */
export interface Exporting {
  readonly queries: Queries;
  readonly options: ExportOptions;
  /** The id of a row, where ids are written. */
  readonly idOf: (row: Row) => Row;
  /** Notes what no manifest can say, in a sentence. */
  readonly note: (sentence: string) => void;
}

/** The fields that have a value. */
export const kept = (fields: Row): Row =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );

/** Leaves out the value that a manifest implies. */
export const unless = (value: unknown, usual: unknown): unknown => (value === usual ? undefined : value);
