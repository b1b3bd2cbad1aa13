import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../local/message-of.ts';

type Reply = { readonly value: unknown } | { readonly error: string };

/** A child process that answers one message at a time. */
export interface Child<Message, Result> {
  readonly ask: (message: Message) => Promise<Result>;
  readonly stop: () => Promise<void>;
}

/** Starts a file that calls `answerParent`, with the flags of this process, and its environment with more. */
export function startChild<Message extends object, Result>(
  file: URL,
  more: Readonly<Record<string, string>> = {},
): Child<Message, Result> {
  const child = fork(fileURLToPath(file), { serialization: 'advanced', env: { ...process.env, ...more } });
  const exited = once(child, 'exit');
  const ended = exited.then(() => [{ error: `${file.pathname.split('/').at(-1)} ended` }]);
  return {
    ask: async (message) => {
      child.send(message);
      const [reply] = (await Promise.race([once(child, 'message'), ended])) as [Reply];
      if ('error' in reply) throw new Error(reply.error);
      return reply.value as Result;
    },
    stop: async () => {
      // The child stops its parts and exits when its channel closes.
      if (child.connected) child.disconnect();
      setTimeout(() => child.kill('SIGKILL'), 5_000).unref();
      await exited;
    },
  };
}

/**
 * In the child: answers the parent's messages, and exits with the parent. Ctrl-C goes to all processes of a
 * terminal; the child leaves it to the parent.
 */
export function answerParent<Message>(answer: (message: Message) => Promise<unknown>): void {
  process.on('SIGINT', () => undefined);
  process.on('message', (message: Message) => {
    answer(message).then(
      (value) => process.send?.({ value }),
      (error: unknown) => process.send?.({ error: messageOf(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
