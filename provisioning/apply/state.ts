import type { Command } from '../command.ts';
import type { Entry, Row } from './entry.ts';
import type { Problem } from './problem.ts';

/** Desired and current state: what a manifest asks for, and what the table has of it, so that both can be compared. */
export interface State {
  readonly desired: readonly Entry[];
  readonly current: readonly Entry[];
  readonly problems: readonly Problem[];
  /** The roles from which a role inherits, by its id, in the manifest and in the table. */
  readonly inherits: ReadonlyMap<string, ReadonlySet<string>>;
  /** The scopes of the manifest. */
  readonly scopes: Resources;
  /** Names by reference. */
  readonly names: ReadonlyMap<string, string>;
}

/** A node that a manifest names, with the id that it has or will have. */
export interface Resource {
  readonly id: string;
  readonly ref: string;
  /** As the table has it; undefined for what does not exist yet. */
  readonly row: Row | undefined;
}

/** Resources by their names in the manifest. */
export type Resources = ReadonlyMap<string, Resource>;

export type Commands = ReadonlyMap<string, Command>;
