import { ulid } from 'ulid';
import { type Migrated, migrate } from '../../provisioning/migrate/migrate.ts';
import type { Reader } from '../../table/reader.ts';
import type { Writer } from '../../table/writer.ts';

interface Table {
  readonly reader: Reader;
  readonly writer: Writer;
  readonly clock: { readonly now: () => number };
}

const NEVER = Number.POSITIVE_INFINITY;

/** Folds the roles of every root (ADR 0003), or lists them again. */
export const foldRoles = (
  table: Table,
  { joins = false }: { readonly joins?: boolean } = {},
): Promise<Migrated> =>
  migrate({
    ...table,
    joins,
    newId: ulid,
    thresholds: { groupsOfSubject: NEVER, groupsOfScope: NEVER, rolesOfRoot: 0 },
  });
