import { nameIn } from '../../provisioning/index.ts';
import type { Fault, NamedRef } from '../service/index.ts';
import type { Change } from './commands/changes.ts';
import type { Send } from './send.ts';

/** A result, or why there is none. */
export type Answered<T> =
  | { readonly ok: true; readonly result: T; readonly token?: string | undefined }
  | { readonly ok: false; readonly error: Fault };

/** One page of a list. */
type PageReply<T> = Answered<{ readonly items: readonly T[]; readonly cursor?: string | undefined }>;

/** Loads the first page, or the one at a cursor. */
export type LoadPage<T> = (cursor: string | undefined) => Promise<PageReply<T>>;

/** An item of a list of provisioning (docs/commands.md). */
export type Item = Readonly<Record<string, unknown>>;

/** What an item of the lists of a kind is. Those of types that were added share a kind, and say their type. */
export function namedIn(kind: string, item: Item): NamedRef {
  const type = kind === 'scope' || kind === 'subject' ? item.type : kind;
  const id = String(item.id);
  return { ref: `${type}:${id}`, name: nameIn(item) ?? id };
}

/** The pages of a command of provisioning that lists. */
export const commandPages =
  (send: Send, command: string, input: Item = {}): LoadPage<Item> =>
  (cursor) =>
    run(send, { command, input: { ...input, cursor } });

/** The first items of a command that lists, and the cursor of those that follow. */
export const firstPage = (send: Send, command: string, input: Item): Promise<PageReply<Item>> =>
  commandPages(send, command, input)(undefined);

/** The result of a command of provisioning, or why there is none: a refusal is a fault like any other. */
export async function run<T = Item>(send: Send, { command, input }: Change): Promise<Answered<T>> {
  const reply = await send('command', { command, input: { ...input } });
  if (!reply.ok) return reply;
  return reply.result.ok ? { ...reply.result, result: reply.result.result as T } : reply.result;
}
