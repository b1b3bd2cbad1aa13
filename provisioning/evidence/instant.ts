import { GatehouseError, invalid } from '../../table/errors.ts';
import { formatRef, isSubjectNode, REGISTERED_SUBJECT } from '../../table/identifiers.ts';
import { identityOf, parseKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { COHERENCE_MARGIN_MS } from '../../table/timing.ts';
import { createCopy } from '../access-difference/copy.ts';
import { allRoots } from '../nodes/all-roots.ts';
import { readAs } from '../read-as.ts';
import { remembered } from '../remembered.ts';
import type { Line } from '../replay/record.ts';
import { hasChanged, readHistory } from './audit-history.ts';
import { type ChangedEntities, entitiesAt, entityName } from './changed-entities.ts';
import { MOST, type RolledBack, rollBack } from './roll-back.ts';

/** An answer about an instant, or why there is none. */
export type Then<T> =
  | {
      readonly answer: T;
      readonly unknown?: undefined;
      readonly among?: undefined;
      /** Subjects of whom a list cannot say whether they belong to it, and why. */
      readonly doubtful: ReadonlyMap<string, string>;
    }
  | {
      readonly answer?: undefined;
      readonly unknown: readonly string[];
      readonly doubtful?: undefined;
      /** The answers of which it is one, where no more than the order of changes is not known. */
      readonly among?: readonly T[];
    };

/** A question of the table as it was. */
export interface Question<T> {
  /** Asks nothing but the reader. */
  readonly ask: (reader: Reader) => Promise<T>;
  /** Two answers are the same where this is. */
  readonly sameAs: (answer: T) => string;
  /** Whether an answer rests on a property that was not there. */
  readonly restsOnProperties?: (answer: T) => boolean;
  /** Whether it lists subjects: those who are not known are named, and the others are listed. */
  readonly listsSubjects?: boolean;
}

/** What may be asked of the table as it was. */
export type AskThen = <T>(at: number, question: Question<T>) => Promise<Then<T>>;

interface HistoryOptions {
  readonly reader: Reader;
  /** The earliest instant that is asked for, in epoch milliseconds. */
  readonly since: number;
  readonly now: number;
  /** Lines of the audit log outside the table, beside those of the table. */
  readonly lines?: (() => AsyncIterable<Line>) | undefined;
}

/** So many states are looked at where changes may have come in any order. */
const MOST_STATES = 16;
const TRIES = 3;

/**
 * Asks questions of the table as it was: in memory it is rolled back by its audit records, and what it reads is of one
 * state of the table of now.
 *
 * @param work asks; it is done again where the table was changed meanwhile
 * @throws GatehouseError `invalid` on `at` for an instant in the future, or before the first record; `limit_exceeded` for
 *   more records than memory should hold; `stale` for a table that is changed all the time
 */
export async function askThen<R>(
  { reader, since, now, lines }: HistoryOptions,
  work: (ask: AskThen) => Promise<R>,
): Promise<R> {
  if (since > now) throw invalid('at', 'at is in the future: what will be is not known');
  for (let tries = 1; ; tries++) {
    const history = await readHistory({
      reader,
      roots: await allRoots(reader),
      at: since,
      now,
      lines: lines?.(),
    });
    const { oldest, records, missing } = history;
    const table = createCopy(reader, MOST).before;
    const statesAt = remembered((at: number) => createStates(table, entitiesAt(records, at)));
    const result = await work(async (at, question) => {
      if (oldest === undefined || at < Date.parse(oldest))
        throw invalid(
          'at',
          oldest === undefined
            ? 'at: there is no audit record by which the table could be rolled back'
            : `at is before the first audit record, of ${oldest}`,
        );
      if (missing.length > 0) return { unknown: missing.map((each) => `audit records are missing: ${each}`) };
      return askStates(statesAt(at), question);
    });
    if (!(await hasChanged(history, reader))) return result;
    if (tries === TRIES)
      throw new GatehouseError('stale', 'the table is changed all the time', { field: 'at' });
  }
}

/** The states that the table may have had at an instant. */
function createStates(table: Reader, entities: ChangedEntities) {
  const known = new Map<string, Promise<RolledBack>>();
  return {
    entities: entities.entities,
    state: (chosen: ReadonlyMap<string, number>): Promise<RolledBack> => {
      const name = JSON.stringify([...chosen]);
      const state = known.get(name) ?? rollBack(table, entities, chosen);
      known.set(name, state);
      return state;
    },
  };
}

async function askStates<T>(
  { entities, state }: ReturnType<typeof createStates>,
  { ask, sameAs, restsOnProperties, listsSubjects = false }: Question<T>,
): Promise<Then<T>> {
  /** Changes whose order to the instant is not known, and matters. */
  const open = new Map<string, number>();
  const asked = new Map<string, T>();
  const doubtful = new Map<string, string>();
  for (;;) {
    const before = open.size;
    for (const chosen of choices(open)) {
      const name = JSON.stringify([...chosen]);
      if (asked.has(name)) continue;
      if (asked.size === MOST_STATES) return { unknown: [nearby(open, entities)] };
      const { reader, unsure, erased } = await state(chosen);
      const noted = noting(reader);
      const answer = await ask(noted.reader);
      asked.set(name, answer);
      const isDoubt = (item: string) => noted.keys.has(item) && !(listsSubjects && subjectAt(item));
      const doubts = [...unsure].filter(([item]) => isDoubt(item));
      if (doubts.length > 0) return { unknown: [...new Set(doubts.map(([, why]) => why))] };
      if (restsOnProperties?.(answer) && [...erased].some((item) => noted.keys.has(item)))
        return { unknown: [ERASED] };
      for (const [item, why] of [...unsure, ...[...erased].map((each) => [each, ERASED] as const)]) {
        const subject = subjectAt(item);
        if (subject !== undefined) doubtful.set(subject, why);
      }
      for (const [each, { values, items }] of entities)
        if (values.length > 1 && [...items].some((item) => noted.keys.has(item)))
          open.set(each, values.length);
    }
    if (open.size === before) break;
    asked.clear();
  }
  const [answer, ...others] = [...asked.values()] as [T, ...T[]];
  if (others.some((other) => sameAs(other) !== sameAs(answer)))
    return { unknown: [nearby(open, entities)], among: [answer, ...others] };
  return { answer, doubtful };
}

const ERASED = 'it rests on properties that were erased';

const nearby = (open: ReadonlyMap<string, number>, entities: ChangedEntities['entities']): string =>
  `changed within ${COHERENCE_MARGIN_MS / 1_000} s of the instant, before or after it: ${[...open.keys()]
    .flatMap((name) => {
      const entity = entities.get(name);
      return entity ? [entityName(entity)] : [];
    })
    .join(', ')}`;

/** Each way to choose one value of each. */
function* choices(open: ReadonlyMap<string, number>): Generator<ReadonlyMap<string, number>> {
  const [first, ...rest] = [...open];
  if (!first) return yield new Map();
  const [name, values] = first;
  for (const others of choices(new Map(rest)))
    for (let value = 0; value < values; value++) yield new Map([[name, value], ...others]);
}

/** The subject whose decision item it is. */
function subjectAt(identity: string): string | undefined {
  const [PK = '', SK = ''] = identity.split('\n');
  const key = parseKey({ PK, SK });
  if (key?.form !== 'decision' || !isSubjectNode(key)) return undefined;
  return key.type === REGISTERED_SUBJECT ? key.id : formatRef(key);
}

/** A reader that notes the keys of what is read by key. */
function noting(reader: Reader) {
  const keys = new Set<string>();
  const noted = readAs(reader, (key, item) => {
    keys.add(identityOf(key));
    return item;
  });
  return { reader: noted, keys };
}
