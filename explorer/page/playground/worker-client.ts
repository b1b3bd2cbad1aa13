import type { ModelState, Texts } from '../../playground/model.ts';
import type { FromWorker, ToWorker } from '../../playground/worker.ts';
import { type Send, unreachable } from '../client.ts';

/** The playground's worker. */
export interface WorkerClient {
  readonly send: Send;
  /** Plans and applies the texts, and runs the tests. What became of later texts where some came meanwhile. */
  readonly update: (texts: Texts) => Promise<ModelState>;
}

/** Starts the worker, which has the table and decides. */
export function startWorker(): WorkerClient {
  const worker = new Worker('worker.js', { type: 'module' });
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
  const send = async (method: string, input: unknown) => {
    const answer = await ask({ method, input });
    return 'reply' in answer
      ? answer.reply
      : unreachable('broken' in answer ? answer.broken : 'there is no answer');
  };
  return {
    send: send as Send,
    update: async (texts) => {
      const answer = await ask({ texts });
      if ('model' in answer) return answer.model;
      throw new Error('broken' in answer ? answer.broken : 'there is no answer');
    },
  };
}
