import type { CheckOptions } from '../../engine/engine.ts';
import type { Item } from '../../table/item.ts';
import { openNewTable } from '../harness/engine.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { writeItems } from '../model/table.ts';
import type { Question } from '../model/world.ts';
import { loadDeployed } from './deployed.ts';

/** Longer than a run, so that nothing expires within it. */
const TTL_MS = 3_600_000;
/** Questions that are asked together. */
const AHEAD = 500;

/** A question with the options of its check. */
export interface Asked extends Question {
  readonly options?: CheckOptions;
}

/**
 * Engines of Gatehouse, bundled as it is deployed, on a table of the embedded engine with these items: with expiry, the
 * bound on memory, the coherence test and the chain of scopes. Only the time-to-live is longer than the default.
 */
export async function openEngines(endpoint: string, table: string, items: readonly Item[]) {
  const { client, reader } = await openNewTable(endpoint, table);
  await writeItems(client, table, items);
  const { createEngine } = await loadDeployed();
  const newEngine = (options: { readonly observe?: () => void; readonly maxBytes?: number } = {}) =>
    createEngine({ reader, clock: { now: Date.now }, ttlMs: TTL_MS, ...options });

  /** A loop over an engine, which has answered all questions before. */
  async function newLoop(engine: ReturnType<typeof newEngine>, questions: readonly Asked[]) {
    for (let at = 0; at < questions.length; at += AHEAD)
      await engine.checkMany(
        questions.slice(at, at + AHEAD).map(({ subject, permission, scope, options }) => ({
          subject,
          permission,
          scope,
          actor: options?.actor,
          given: options,
        })),
      );
    const loop = async (asked: readonly Asked[]): Promise<number> => {
      for (const { subject, permission, scope, options, allowed } of asked) {
        const decision = await engine.check(subject, permission, scope, options);
        if (decision.allowed !== allowed) throw wrongAnswer(table, { subject, permission, scope });
      }
      return asked.length;
    };
    await loop(questions);
    return loop;
  }
  return { newEngine, newLoop };
}
