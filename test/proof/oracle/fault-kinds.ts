import { FORMS } from '../../../table/form.ts';
import type { Item } from '../../../table/item.ts';
import type { Key } from '../../../table/keys.ts';
import type { Random } from './random.ts';

/** The ways in which DynamoDB, or what it holds, fails. */
export interface Answer {
  Responses?: unknown;
  UnprocessedKeys?: unknown;
}

/** One way to fail. `code` is what the check must say; without one it must be answered all the same. */
export interface Fault {
  readonly code: string | undefined;
  /** The operations that can fail in this way; all when left out. */
  readonly only?: 'BatchGet' | 'TransactGet';
  /** How many calls fail; one when left out. */
  readonly times?: number;
  /** Whether all do, until DynamoDB is well again: what is damaged stays so, however often it is read. */
  readonly lasts?: true;
  /** Nothing that could be noticed, as when a single item has been deleted by hand: it may refuse, never allow. */
  readonly isHidden?: boolean;
  readonly happen: (call: Call) => Promise<Answer>;
}

export interface Call {
  readonly table: string;
  readonly keys: readonly Item[];
  readonly signal: AbortSignal;
  readonly random: Random;
  /** The true answer: of these keys, or of all. */
  readonly answer: (keys?: readonly Item[]) => Promise<Answer>;
  /** What the calls of one check have in common. */
  readonly chosen: { key?: Key; isBare?: boolean };
}

const named = (name: string, more: object = {}): Error => Object.assign(new Error(name), { name, ...more });
const thrown =
  (name: string, more: object = {}) =>
  async (): Promise<Answer> => {
    throw named(name, more);
  };
const cancelled = (Code: string) =>
  thrown('TransactionCanceledException', { CancellationReasons: [{ Code }] });

const keyOf = ({ PK, SK }: Item): Key => ({ PK: String(PK), SK: String(SK) });

/** The answer with one of its items changed, or without it; the same item in all calls of a check. */
const changed =
  (change: (item: Item) => Item | undefined) =>
  async ({ table, random, answer, chosen }: Call): Promise<Answer> => {
    const { Responses } = await answer();
    const isSnapshot = Array.isArray(Responses);
    const items: (Item | undefined)[] = isSnapshot
      ? Responses.map((each: { Item?: Item }) => each.Item)
      : ((Responses as Record<string, Item[]>)[table] ?? []);
    const there = items.filter((item) => item !== undefined);
    chosen.isBare = there.length === 0;
    if (there.length > 0) chosen.key ??= keyOf(random.pick(there));
    const isChosen = ({ PK, SK }: Item) => PK === chosen.key?.PK && SK === chosen.key?.SK;
    const now = items.map((item) => (item && isChosen(item) ? change(item) : item));
    return {
      Responses: isSnapshot
        ? now.map((item) => (item ? { Item: item } : {}))
        : { [table]: now.filter((item) => item !== undefined) },
    };
  };
/** As another write has left it: what a write has left stays as it is, and is decoded once. */
const rewritten = (change: (item: Item) => Item) =>
  changed((item) => change({ ...item, writeId: 'of-another-write' }));
const without = (item: Item, name: string): Item =>
  Object.fromEntries(Object.entries(item).filter(([each]) => each !== name)) as Item;

export const FAULTS: Readonly<Record<string, Fault>> = {
  throttled: { code: 'throttled', happen: thrown('ProvisionedThroughputExceededException') },
  'too many requests': { code: 'throttled', happen: thrown('ThrottlingException') },
  'timed out': { code: 'transient', happen: thrown('TimeoutError') },
  'connection reset': { code: 'transient', happen: thrown('Error', { code: 'ECONNRESET' }) },
  'server fault': { code: 'transient', happen: thrown('Unknown', { $metadata: { httpStatusCode: 502 } }) },
  refused: { code: 'internal', happen: thrown('AccessDeniedException') },
  silent: {
    code: 'transient',
    happen: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(named('AbortError')), { once: true });
      }),
  },
  'keys never processed': {
    code: 'throttled',
    only: 'BatchGet',
    times: Number.POSITIVE_INFINITY,
    happen: async ({ table, keys }) => ({
      Responses: { [table]: [] },
      UnprocessedKeys: { [table]: { Keys: keys } },
    }),
  },
  'some keys later': {
    code: undefined,
    only: 'BatchGet',
    happen: async ({ table, keys, random, answer }) => {
      const read = random.below(keys.length);
      const now = read > 0 ? await answer(keys.slice(0, read)) : { Responses: { [table]: [] } };
      return { ...now, UnprocessedKeys: { [table]: { Keys: keys.slice(read) } } };
    },
  },
  'an empty answer': { code: 'internal', happen: async () => ({}) },
  'half an answer': {
    code: 'internal',
    only: 'TransactGet',
    happen: async ({ answer }) => ({ Responses: ((await answer()).Responses as unknown[]).slice(1) }),
  },
  'an item of another': {
    code: 'internal',
    only: 'BatchGet',
    happen: async ({ table, answer }) => {
      const { Responses } = await answer();
      const items = (Responses as Record<string, Item[]>)[table] ?? [];
      return { Responses: { [table]: [...items, { PK: 'USER#another', SK: 'DECISION' }] } };
    },
  },
  'overtaken by a write': { code: undefined, only: 'TransactGet', happen: cancelled('TransactionConflict') },
  'a throttled snapshot': { code: 'throttled', only: 'TransactGet', happen: cancelled('ThrottlingError') },
  'a newer form': {
    code: 'newer_form',
    lasts: true,
    happen: rewritten((item) => ({ ...item, v: FORMS.reads + 1 })),
  },
  'no version': { code: 'damaged_item', lasts: true, happen: rewritten((item) => without(item, 'v')) },
  'no time': { code: 'damaged_item', lasts: true, happen: changed((item) => without(item, 'writtenAt')) },
  'no write': { code: 'damaged_item', lasts: true, happen: changed((item) => without(item, 'writeId')) },
  'an unknown attribute': {
    code: 'damaged_item',
    lasts: true,
    happen: rewritten((item) => ({ ...item, 'only|from': 'Berlin' })),
  },
  'an attribute from the future': {
    code: 'damaged_item',
    lasts: true,
    happen: rewritten((item) => ({ ...item, lockedUntil: '2027' })),
  },
  'a missing item': {
    code: undefined,
    times: Number.POSITIVE_INFINITY,
    isHidden: true,
    happen: changed(() => undefined),
  },
};
