import type { Answer } from '../../provisioning/index.ts';
import type { Item } from '../../table/item.ts';
import { type Key, parseKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { type Action, keyOf } from '../../table/write/action.ts';
import type { Writer } from '../../table/writer.ts';
import { watchReads } from '../support/watched-reader.ts';
import { watchWrites } from '../support/watched-writer.ts';
import { commandsOf, createLightWorld, createWorld, type World } from '../support/world.ts';

export type Input = Readonly<Record<string, unknown>>;
export type Result = Record<string, unknown> & { id: string };

/** One action of a transaction. */
export interface Sent {
  readonly kind: Action['kind'];
  readonly key: Key;
}

/**
 * A world that remembers every transaction and the key of every item that one ever named. Since nothing
 * is written but by transactions, reading those keys back is reading the whole table, without a Scan.
 */
export const createLedgerWorld = async () => keepLedger(await createWorld());

/** The same on the memory table, but in the soak tier. */
export const createLightLedgerWorld = async () => keepLedger(await createLightWorld());

/** A light world with the same items at the same time: one is furnished, and each test changes a copy. */
export async function copyOf(world: LedgerWorld): Promise<LedgerWorld> {
  const items = await world.everything();
  const copy = keepLedger(await createLightWorld(world.clock.now()));
  for (let n = 0; n < items.length; n += 100) {
    await copy.writer.send(items.slice(n, n + 100).map((item) => ({ kind: 'put', item })));
  }
  copy.transactions.length = 0;
  return copy;
}

function keepLedger(world: World) {
  const transactions: (readonly Sent[])[] = [];
  const keys = new Map<string, Key>();
  /** Remembers what goes through a writer; other writers than that of the world have to be given to it. */
  const watch = (writer: Writer): Writer => ({
    send: (actions, notes) => {
      const sent = actions.map((action): Sent => ({ kind: action.kind, key: keyOf(action) }));
      for (const { key } of sent) keys.set(`${key.PK}\n${key.SK}`, key);
      transactions.push(sent);
      return writer.send(actions, notes);
    },
  });
  const writer = watch(world.writer);
  const watched = { ...world, writer, ...commandsOf({ ...world, writer }) };

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

  const dataItems = async () => (await everything()).filter((item) => !isRecord(item) && !isEmptied(item));

  /** What still says this word: in a key, an attribute, a member of a set. */
  const traces = async (word: string) => {
    // What a root has noted of refusals stays: it is no right, and cannot be counted down.
    const text = (name: string, value: unknown) =>
      name === 'denials' ? undefined : value instanceof Set ? [...value] : value;
    const found = (await dataItems()).filter((item) => JSON.stringify(item, text).includes(word));
    return found.map(({ PK, SK }) => `${PK} / ${SK}`);
  };

  /** Every row of a list, page after page. */
  async function listed(command: string, by: Input): Promise<readonly Result[]> {
    const rows: Result[] = [];
    let cursor: unknown;
    do {
      const page = await watched.run(command, { ...by, ...(cursor === undefined ? {} : { cursor }) });
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
    const late = watchWrites(writer, (number) => (number <= times ? act() : undefined));
    return commandsOf({ ...world, writer: late }).provision(event);
  }

  /** Carries out `event`, but runs `act` once: before a call of the reader that names this partition. */
  async function provisionBeforeRead(
    event: unknown,
    call: keyof Reader,
    partition: string,
    act: () => Promise<unknown>,
    isDue: () => Promise<boolean> = async () => true,
  ): Promise<Answer> {
    let isDone = false;
    const reader = watchReads(world.reader, async (method, asked) => {
      const isIt = method === call && JSON.stringify(asked).includes(`"${partition}"`);
      if (isDone || !isIt || !(await isDue())) return;
      isDone = true;
      await act();
    });
    const answer = await commandsOf({ ...world, reader, writer }).provision(event);
    if (!isDone) throw new Error(`nothing was read of ${partition}`);
    return answer;
  }

  return {
    ...watched,
    watch,
    provisionAround,
    provisionBeforeRead,
    transactions,
    everything,
    touchedSince,
    dataItems,
    traces,
    listed,
  };
}

export type LedgerWorld = Awaited<ReturnType<typeof createLedgerWorld>>;

/** The records of what happened: they stay when all else is deleted. */
export const isRecord = ({ Type }: Item): boolean =>
  ['AuditLog', 'AuditCount', 'PseudonymKey', 'Operation'].includes(String(Type));

/** A well-formed id that nothing has. */
export const NOBODY = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';

/** Items by their keys, so that two states of a table can be compared. */
export const asState = (items: readonly Item[]): Readonly<Record<string, Item>> =>
  Object.fromEntries(items.map((item) => [`${item.PK} / ${item.SK}`, item]));

/**
 * Effects of a tenant's own roles that are all gone, kept for the time of the last write until the tenant is
 * deleted (ADR 0003), or a resource type that is gone.
 */
export function isEmptied(item: Item): boolean {
  const key = parseKey(item);
  const isKept =
    key?.form === 'tenant-effects' ||
    key?.form === 'external-groups' ||
    key?.form === 'invariants' ||
    (key?.form === 'decision' && key.type === 'resource-type');
  return (
    isKept &&
    !Object.keys(item).some((name) =>
      /^(?:allow|deny|rootsWithInvariants|(?:when|external|invariant)\|.*|permission|actions|scope)$/.test(
        name,
      ),
    )
  );
}

/** Runs `act` and counts the audit records that it left: one for each write that happened. */
export async function writesOf(world: LedgerWorld, act: () => Promise<unknown>): Promise<number> {
  const first = world.transactions.length;
  await act();
  const records = (await world.touchedSince(first)).filter((item) => item.Type === 'AuditLog');
  // Of what is put together each part has its record.
  return new Set(records.map(({ operationId }) => operationId)).size;
}
