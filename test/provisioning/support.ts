import { ulid } from 'ulid';
import { type Answer, createProvisioning } from '../../provisioning/index.ts';
import type { Item } from '../../table/item.ts';
import { type Key, parseKey } from '../../table/keys.ts';
import type { Writer } from '../../table/writer.ts';
import { createWorld } from '../support/world.ts';

export type Input = Readonly<Record<string, unknown>>;
export type Result = Record<string, unknown> & { id: string };

/** One action of a transaction as it left the SDK. */
export interface Sent {
  readonly kind: string;
  readonly key: Key;
}

interface SentItem {
  readonly Key?: Key;
  readonly Item?: Key;
}

/** What the SDK throws when an answer does not come in time. */
export const TIMED_OUT = Object.assign(new Error('socket timed out'), { name: 'TimeoutError' });

/**
 * A world that remembers every transaction and the key of every item that one ever named. Since nothing
 * is written but by transactions, reading those keys back is reading the whole table, without a Scan.
 */
export async function createLedgerWorld() {
  const world = await createWorld();
  const transactions: (readonly Sent[])[] = [];
  const keys = new Map<string, Key>();
  /** Remembers what this client writes; other clients than that of the world have to be given to it. */
  const watch = (client: typeof world.client): void =>
    client.middlewareStack.add(
      (next) => (args) => {
        const { TransactItems } = args.input as { TransactItems?: readonly Record<string, SentItem>[] };
        if (TransactItems) {
          const sent = TransactItems.flatMap(Object.entries<SentItem>).map(([kind, { Key, Item }]): Sent => {
            const { PK, SK } = (Key ?? Item) as Key;
            return { kind, key: { PK, SK } };
          });
          for (const { key } of sent) keys.set(`${key.PK}\n${key.SK}`, key);
          transactions.push(sent);
        }
        return next(args);
      },
      { step: 'initialize' },
    );
  watch(world.client);

  /** What becomes of the next transactions: done without a word of it, or not done but for this error. */
  const mishaps: ('lost acknowledgement' | Error)[] = [];
  world.client.middlewareStack.add(
    (next, context) => async (args) => {
      const mishap = context.commandName === 'TransactWriteItemsCommand' ? mishaps.shift() : undefined;
      if (mishap instanceof Error) throw mishap;
      const answer = await next(args);
      if (mishap) throw TIMED_OUT;
      return answer;
    },
    { step: 'initialize' },
  );

  /** Reads what is there of the keys, a few calls at a time. */
  async function present(wanted: readonly Key[]): Promise<readonly Item[]> {
    const items: Item[] = [];
    for (let start = 0; start < wanted.length; start += 800) {
      const some = await world.reader.getMany(wanted.slice(start, start + 800));
      items.push(...some.filter((item) => item !== undefined));
    }
    return items;
  }

  /** Every item of the table. */
  const everything = () => present([...keys.values()]);

  /** The items that the transactions from number `first` on have named and that are there now. */
  const touchedSince = (first: number) => {
    const named = transactions.slice(first).flatMap((sent) => sent.map(({ key }) => key));
    return present([...new Map(named.map((key) => [`${key.PK}\n${key.SK}`, key])).values()]);
  };

  /** What stays when all else is deleted: the records of what happened. */
  const RECORDS = new Set(['AuditLog', 'Operation']);
  const facts = async () =>
    (await everything()).filter((item) => !RECORDS.has(String(item.Type)) && !isEmptied(item));

  /** Every row of a list, page after page. */
  async function listed(command: string, by: Input): Promise<readonly Result[]> {
    const rows: Result[] = [];
    let cursor: unknown;
    do {
      const page = await world.run(command, { ...by, ...(cursor === undefined ? {} : { cursor }) });
      rows.push(...(page.items as Result[]));
      cursor = page.cursor;
    } while (cursor !== undefined);
    return rows;
  }

  /**
   * Carries out `event`, but runs `act` between what it has read and what it writes: the race that a test
   * wants, every time. `act` is run before each of the first `times` attempts.
   */
  function provisionAround(event: unknown, act: () => Promise<unknown>, times = 1): Promise<Answer> {
    let left = times;
    const send: Writer['send'] = async (actions) => {
      if (left-- > 0) await act();
      return world.writer.send(actions);
    };
    return createProvisioning({ ...world, writer: { send }, newId: () => ulid() })(event);
  }

  return { ...world, watch, provisionAround, transactions, mishaps, everything, touchedSince, facts, listed };
}

export type LedgerWorld = Awaited<ReturnType<typeof createLedgerWorld>>;

/** A well-formed id that nothing has. */
export const NOBODY = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';

/** Items by their keys, so that two states of a table can be compared. */
export const asState = (items: readonly Item[]): Readonly<Record<string, Item>> =>
  Object.fromEntries(items.map((item) => [`${item.PK} / ${item.SK}`, item]));

/**
 * Effects of a tenant's own roles that are all gone: kept for the time of the last write until the tenant is
 * deleted (ADR 0003).
 */
export const isEmptied = (item: Item): boolean =>
  parseKey(item)?.form === 'tenant-effects' && item.allow === undefined && item.deny === undefined;
