import type { ModelState, Texts } from '../../playground/model.ts';
import type { FromWorker, ToWorker } from '../../playground/worker.ts';
import { type Send, unreachable } from '../client.ts';

/**
 * A worker of a file has the content security policy of that file's response, of static files mostly none. One of a blob has the
 * policy of this page, which lets it send nothing.
 */
function underPolicy(file: string): Worker {
  const code = `import ${JSON.stringify(new URL(file, document.baseURI).href)};`;
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  return new Worker(url, { type: 'module' });
}

/** Starts the worker, which has the table and decides. */
export function startWorker() {
  const worker = underPolicy('worker.js');
  const waiting = new Map<number, (message: FromWorker) => void>();
  let last = 0;
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  };
  const ask = (message: Record<string, unknown>): Promise<FromWorker> =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      worker.postMessage({ id: last, ...message } as unknown as ToWorker);
    });
  const brokenIn = (answer: FromWorker): string =>
    'broken' in answer ? answer.broken : 'there is no answer';
  const send = async (method: string, input: unknown) => {
    const answer = await ask({ method, input });
    return 'reply' in answer ? answer.reply : unreachable(brokenIn(answer));
  };
  return {
    send: send as Send,
    /** Plans and applies the texts, and runs the tests. What became of later texts where some came meanwhile. */
    update: async (texts: Texts): Promise<ModelState> => {
      const answer = await ask({ texts });
      if ('model' in answer) return answer.model;
      throw new Error(brokenIn(answer));
    },
  };
}
