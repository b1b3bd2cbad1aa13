import { type Queries, queriesBy } from '../../provisioning/index.ts';
import { RefusedError } from '../provisioning.ts';
import type { Deliver } from '../transport.ts';

/** Reading by commands that are sent, wherever provisioning runs. Throws what provisioning refuses. */
export const queriesThrough = (deliver: Deliver): Queries =>
  queriesBy(async (command, input) => {
    const { answer } = await deliver({ command, input });
    if (answer.ok) return answer.result;
    if (answer.error.code === 'not_found') return undefined;
    throw new RefusedError(answer.error, `${command}: ${answer.error.message}`);
  });
