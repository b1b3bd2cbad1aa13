import * as z from 'zod';
import { batchesOf } from '../../table/reader.ts';
import { UsageError } from '../context.ts';
import type { Question } from './imported.ts';

export const TUPLE = z.object({
  user: z.string().max(512),
  relation: z.string().max(50),
  object: z.string().max(256),
  condition: z.object({ name: z.string() }).nullish(),
});
export type Tuple = z.infer<typeof TUPLE>;

/** Tuples that one request of OpenFGA writes. */
const AT_ONCE = 100;

/**
 * Writes a model and its tuples to a store of their own.
 *
 * @returns asks it, and deletes it
 * @throws UsageError where the server does not answer, or refuses
 */
export async function openStore(server: string, model: unknown, tuples: readonly Tuple[]) {
  const call = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(new URL(path, server), { method, headers, ...init }).catch(
      (error: unknown) => {
        throw new UsageError(`--server ${server} does not answer: ${String(error)}`);
      },
    );
    const text = await answer.text();
    if (!answer.ok)
      throw new UsageError(`--server ${server} refused ${method} ${path}: ${text.slice(0, 300)}`);
    return text === '' ? {} : JSON.parse(text);
  };
  const { id } = await call('POST', '/stores', { name: 'gatehouse import' });
  const store = `/stores/${id}`;
  const close = () => call('DELETE', store);
  try {
    await call('POST', `${store}/authorization-models`, model);
    for (const some of batchesOf(tuples, AT_ONCE))
      await call('POST', `${store}/write`, { writes: { tuple_keys: some } });
  } catch (error) {
    await close();
    throw error;
  }
  const ask = async ({ subject, permission, scope }: Question): Promise<boolean> => {
    const [, relation] = permission.split(':');
    const tuple = { user: `user:${subject}`, relation, object: scope };
    const { allowed } = await call('POST', `${store}/check`, { tuple_key: tuple });
    return allowed === true;
  };
  return { ask, close };
}
