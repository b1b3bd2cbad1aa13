import { createEngine, DEFAULT_TTL_MS } from '../../engine/index.ts';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { countRequests } from '../harness/counted.ts';
import { DYNAMODB, logNormal } from '../harness/draws.ts';
import { openTable } from '../harness/engine.ts';
import { chainOf, type Question, type World } from '../model/world.ts';

interface Filling {
  /** Whether the request names the scope's ancestors, as a path can. */
  readonly isNamed?: boolean;
  /** An earlier check of the same at the same place; none when left out. */
  readonly before?: 'by-another' | 'long-ago';
}

/**
 * What decides with an empty or partly filled cache. Each has its own client, which counts, and its own series of
 * latencies from the same distribution. `prepare` comes before each question, and is not counted.
 */
export function createColdCandidates(endpoint: string, table: string, { places, users }: World) {
  let seed = 100;

  function candidate({ isNamed, before }: Filling = {}) {
    const { client, reader } = openTable(endpoint, table);
    const counter = countRequests(client, logNormal(createRandom(seed++), DYNAMODB));
    let skippedMs = 0;
    const newEngine = () =>
      createEngine({ reader, clock: { now: () => Date.now() + skippedMs }, random: () => 0 });
    let engine = newEngine();
    const ask = async ({ subject, permission, scope }: Question): Promise<boolean> => {
      const prefetch = isNamed ? chainOf(places, scope).slice(1) : undefined;
      return (await engine.check(subject, permission, scope, { prefetch })).allowed;
    };
    const prepare = async (question: Question): Promise<void> => {
      engine = newEngine();
      const other = users.find(({ ref }) => ref !== question.subject)?.ref as string;
      if (before) await ask(before === 'by-another' ? { ...question, subject: other } : question);
      if (before === 'long-ago') skippedMs += DEFAULT_TTL_MS + 1;
    };
    return { ...counter, prepare, ask };
  }

  return {
    gatehouse: candidate(),
    'new-user': candidate({ before: 'by-another' }),
    expired: candidate({ before: 'long-ago' }),
    named: candidate({ isNamed: true }),
  };
}
