import type { Fault, Inputs, Method, Results } from '../service/index.ts';
import type { Send } from './send.ts';

/** One page of a list, or why there is none. */
export type PageReply<T> =
  | {
      readonly ok: true;
      readonly result: { readonly items: readonly T[]; readonly cursor?: string | undefined };
    }
  | { readonly ok: false; readonly error: Fault };

/** Loads the first page, or the one at a cursor. */
export type LoadPage<T> = (cursor: string | undefined) => Promise<PageReply<T>>;

/** An item of a list of provisioning (docs/commands.md). */
export type Item = Readonly<Record<string, unknown>>;

/** The pages of a search of the engine. */
export const searchPages =
  <M extends 'subjects' | 'permissions' | 'scopes'>(
    send: Send,
    method: M,
    input: Inputs[M],
  ): LoadPage<Results[M]['items'][number]> =>
  (cursor) =>
    send<Method>(method, withCursor(input, cursor)) as Promise<PageReply<Results[M]['items'][number]>>;

/** The pages of a command of provisioning that lists. */
export const commandPages =
  (send: Send, command: string, input: Item = {}): LoadPage<Item> =>
  async (cursor) => {
    const reply = await send('command', { command, input: withCursor(input, cursor) });
    if (!reply.ok) return reply;
    const answer = reply.result;
    if (!answer.ok) return answer;
    return { ok: true, result: answer.result as { items: readonly Item[]; cursor?: string } };
  };

const withCursor = <T extends object>(input: T, cursor: string | undefined) =>
  cursor === undefined ? { ...input } : { ...input, cursor };
