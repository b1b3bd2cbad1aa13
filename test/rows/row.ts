import { expect, test } from 'vitest';
import { ACCESS } from '../../provisioning/documents/access.ts';
import { createWorld, type World } from '../support/world.ts';
import { expectedNames, isNothing, mostOf, namesOf, type Operation, tally } from './operations.ts';
import { ROWS } from './table.ts';

/** What a row's test leaves for the table of rows. */
export interface RowMeta {
  readonly id: string;
  readonly title: string;
  /** What an answer took, at most: each read of a row counts by itself, however many its test makes. */
  readonly operations: readonly Operation[];
}

declare module 'vitest' {
  interface TaskMeta {
    row?: RowMeta;
  }
}

type Input = Readonly<Record<string, unknown>>;

/** What a read command answers: of one node its attributes, of a list its items. */
export type Answer = Input & {
  readonly id: string;
  readonly items: readonly Input[];
  readonly cursor?: string;
};

/** What a row is written with. */
export interface RowContext {
  /** One per test file: rows of a file take care that their names do not meet. */
  readonly world: World;
  /**
   * Runs a read command: it reads what `ACCESS` declares of it, which names this row. Undefined for `not_found`;
   * throws any other error.
   */
  readonly reads: (command: string, input: Input) => Promise<Answer>;
  /** Runs a list page after page, each of `limit` items but the last: the items, page by page. */
  readonly pages: (command: string, input: Input, limit: number) => Promise<readonly Answer['items'][]>;
  /** Records the reads of something that is no command, such as a decision. They never touch an index. */
  readonly record: <T>(act: () => T | Promise<T>) => Promise<T>;
}

/** Operations a row may be answered with. */
const READS = ['GetItem', 'BatchGetItem', 'Query'];
/** Input fields that do not select what is read. */
const BESIDE: ReadonlySet<string> = new Set(['limit', 'cursor', 'from', 'until']);
/** A partition or two, not a table: a list that does not end is a failure. */
const MAX_PAGES = 100;

/** By test file: modules are loaded once for several. */
const worlds = new WeakMap<object, Promise<World>>();
function worldOf(file: object): Promise<World> {
  const world = worlds.get(file) ?? createWorld();
  worlds.set(file, world);
  return world;
}

/** The test of one row of SPEC section 4. */
export function row(id: string, body: (context: RowContext) => Promise<void>): void {
  const { title } = ROWS.get(id) as { readonly title: string };
  // Known before it runs: a row whose file cannot be set up has failed, it is not missing.
  const unread: RowMeta = { id, title, operations: [] };
  test(`${id} ${title}`, { meta: { row: unread } }, async ({ task }) => {
    const world = await worldOf(task.file);
    const tallies: Operation[] = [];

    /** Runs `act` and answers with what went out during it; what fails is recorded too. */
    async function watch<T>(act: () => T | Promise<T>) {
      const start = world.calls.length;
      try {
        const answer = await act();
        return { answer, calls: world.calls.slice(start) };
      } finally {
        tallies.push(...tally(world.calls.slice(start)));
      }
    }

    const reads: RowContext['reads'] = async (command, input) => {
      const given = Object.keys(input).filter((name) => input[name] !== undefined && !BESIDE.has(name));
      const access = ACCESS.find(
        (each) => each.command === command && String(each.by.toSorted()) === String(given.toSorted()),
      );
      expect(access?.rows, `${command} by ${given.join(', ')} does not name this row`).toContain(id);
      const { answer, calls } = await watch(() => world.provision({ command, input }));
      if (!answer.ok && answer.error.code !== 'not_found') throw answer.error;
      const result = answer.ok ? (answer.result as Answer) : undefined;
      // The keys of pseudonyms are read where there are any.
      const mayReadLess = isNothing(result) || command === 'audit.list';
      const expected = expectedNames(access?.reads ?? [], namesOf(calls), mayReadLess);
      expect(namesOf(calls), `what ${command} reads`).toEqual(expected);
      return result as Answer;
    };

    const pages: RowContext['pages'] = async (command, input, limit) => {
      const seen: Answer['items'][] = [];
      let cursor: string | undefined;
      do {
        const page = await reads(command, { ...input, limit, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(page.items);
        cursor = page.cursor;
        if (cursor !== undefined) expect(page.items.length, 'a page before the last').toBe(limit);
      } while (cursor !== undefined && seen.length < MAX_PAGES);
      expect(cursor, 'the list ends').toBeUndefined();
      return seen;
    };

    const record: RowContext['record'] = async (act) => {
      const { answer, calls } = await watch(act);
      for (const { operation, index } of calls) expect(index, `${operation} of a decision`).toBeUndefined();
      return answer;
    };

    try {
      await body({ world, reads, pages, record });
      expect(tallies.length, 'reads of this row').toBeGreaterThan(0);
      for (const { operation, index } of tallies) {
        expect(READS).toContain(operation);
        // Seed 003's hard rule.
        if (id.startsWith('RB-')) expect(index, operation).toBeNull();
      }
    } finally {
      task.meta.row = { ...unread, operations: mostOf(tallies) };
    }
  });
}
