import type { Ref } from '../../table/identifiers.ts';
import type { Key } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import type { Writer } from '../../table/writer.ts';
import type { Finding } from './finding.ts';
import type { Place } from './walk.ts';

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
  /** Partitions that are read at a time. Default 32. */
  readonly width?: number;
  /**
   * Whether the audit logs are compared with their counts too, which reads all that happened in a year. Default: true.
   */
  readonly logs?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  /** Where an earlier run with the same options has stopped. */
  readonly from?: Checkpoint;
  /** Called after each page of a list, with what another run needs to go on from there. */
  readonly onCheckpoint?: (checkpoint: Checkpoint) => void;
}

/** How far a run is, and what it has found so far: plain data, which JSON holds. */
export interface Checkpoint extends Progress {
  readonly place: Place;
  /** Which walk over the table it is: a repair makes another one necessary. */
  readonly round: number;
  readonly open: readonly Finding[];
  /** In this round, and in those before. */
  readonly repaired: readonly Finding[];
  readonly repairedBefore: readonly Finding[];
  /** Decision items that are to be made anew at the end. */
  readonly damaged: readonly { readonly key: Key; readonly findings: readonly Finding[] }[];
  /** What no list names, to be looked at when the lists are done. */
  readonly unlisted: readonly Ref[];
  readonly unnamed: readonly Ref[];
  /** The tenants whose logs are compared. */
  readonly logs: readonly Ref[];
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
