import { loadCel } from '../../engine/index.ts';
import type { Method, Reply } from '../service/index.ts';
import { createModel, type ModelState, type Texts } from './model.ts';

/** What the page sends to the worker. */
export type ToWorker = { readonly id: number } & (
  | { readonly texts: Texts }
  | { readonly method: Method; readonly input: unknown }
);

/** What it answers. */
export type FromWorker = { readonly id: number } & (
  | { readonly model: ModelState }
  | { readonly reply: Reply }
  | { readonly broken: string }
);

/** The part of a worker's global scope that is used; types of the DOM are the page's. */
interface Scope {
  onmessage: ((event: { readonly data: ToWorker }) => void) | null;
  readonly postMessage: (message: FromWorker) => void;
}

const scope = globalThis as unknown as Scope;
const model = createModel({ now: Date.now });

async function answer(message: ToWorker): Promise<FromWorker> {
  const { id } = message;
  try {
    if ('texts' in message) return { id, model: await model.update(message.texts) };
    return { id, reply: await model.service(message.method, message.input) };
  } catch (error) {
    return { id, broken: error instanceof Error ? error.message : String(error) };
  }
}

scope.onmessage = async ({ data }) => {
  scope.postMessage(await answer(data));
  // Conditions are decided offline too. Should it fail, the first condition loads it.
  loadCel().catch(() => undefined);
};
