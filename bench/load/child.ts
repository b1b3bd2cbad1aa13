import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../local/message-of.ts';

type Reply = { readonly value: unknown } | { readonly error: string };

/** A child process that answers one message at a time. */
export interface Child<Message, Result> {
  readonly ask: (message: Message) => Promise<Result>;
  readonly stop: () => Promise<void>;
}

/** Starts a file that calls `answerParent`, with the flags of this process. */
export function startChild<Message extends object, Result>(file: URL): Child<Message, Result> {
  const child = fork(fileURLToPath(file), { serialization: 'advanced' });
  const ask = (message: Message): Promise<Result> =>
    new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error(`${file.pathname.split('/').at(-1)} ended`));
      child.once('exit', ended);
      child.once('message', (reply: Reply) => {
        child.off('exit', ended);
        if ('error' in reply) reject(new Error(reply.error));
        else resolve(reply.value as Result);
      });
      child.send(message);
    });
  return { ask, stop: () => stop(child) };
}

const stop = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    // The child stops its parts and exits when its channel closes.
    child.disconnect();
    setTimeout(() => child.kill('SIGKILL'), 5_000).unref();
  });

/**
 * In the child: answers the parent's messages, and exits with the parent. Ctrl-C goes to all processes of a
 * terminal; the child leaves it to the parent.
 */
export function answerParent<Message>(
  answer: (message: Message) => Promise<unknown>,
  stop: () => Promise<void> = async () => undefined,
): void {
  process.on('SIGINT', () => undefined);
  process.on('message', (message: Message) => {
    answer(message).then(
      (value) => process.send?.({ value }),
      (error: unknown) => process.send?.({ error: messageOf(error) }),
    );
  });
  process.on('disconnect', () => {
    stop().finally(() => process.exit(0));
  });
}
