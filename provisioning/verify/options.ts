import type { Ref } from '../../table/identifiers.ts';
import type { Reader } from '../../table/reader.ts';
import type { Writer } from '../../table/writer.ts';
import type { Finding } from './finding.ts';

export interface VerifyOptions {
  readonly reader: Reader;
  readonly clock: { readonly now: () => number };
  /** Only this tenant, all that is listed in it, and who has a grant there. */
  readonly tenant?: Ref;
  /** Repair what can be derived. */
  readonly repair?: { readonly writer: Writer; readonly newId: () => string; readonly actor?: string };
  /** Milliseconds after which a suspected fault is read again before it is reported. Default 1,000. */
  readonly graceMs?: number;
  /** Items read per second, at most. */
  readonly rate?: number;
  /** Partitions that are checked at a time. Default 8. */
  readonly width?: number;
  /**
   * Whether the audit logs are compared with their counts too, which reads all that happened in a year. Default: true.
   */
  readonly logs?: boolean;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly partitions: number;
  readonly items: number;
  /** Reads: items of Queries, keys of BatchGetItem and TransactGetItems. */
  readonly reads: number;
  readonly findings: number;
}

export interface Verified extends Progress {
  /** What is wrong, or still is after the repair; what opens something first. */
  readonly open: readonly Finding[];
  readonly repaired: readonly Finding[];
}
