import type { World } from '../support/world.ts';

/** What the SDK throws when an answer does not come in time. */
const TIMED_OUT = Object.assign(new Error('socket timed out'), { name: 'TimeoutError' });

/** What becomes of the next transactions at DynamoDB: done without an answer, or not done but for this error. */
export function createMishaps({ client }: Pick<World, 'client'>) {
  const mishaps: ('lost acknowledgement' | Error)[] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const mishap = context.commandName === 'TransactWriteItemsCommand' ? mishaps.shift() : undefined;
      if (mishap instanceof Error) throw mishap;
      const answer = await next(args);
      if (mishap) throw TIMED_OUT;
      return answer;
    },
    { step: 'initialize' },
  );
  return mishaps;
}
