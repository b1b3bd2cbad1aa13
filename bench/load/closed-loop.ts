import { execFileSync } from 'node:child_process';
import { CLIENT_CORE } from '../harness/cores.ts';
import { answerParent } from './child.ts';
import { type Asked, openConnection, prepare, type Target } from './connection.ts';

export interface ClosedLoopPlan {
  readonly target: Target;
  /** Kept open. Each sends its next question as soon as the last one is answered. */
  readonly connections: number;
  readonly questions: readonly Asked[];
}

export interface ClosedLoopResult {
  /** From the first question sent to the last answer. */
  readonly seconds: number;
  /** Milliseconds of each answer, from the writing of its request. */
  readonly latencies: readonly number[];
}

/** The client in a process and on a core of its own, so that the measured servers do not delay it. */
execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', CLIENT_CORE, String(process.pid)], {
  stdio: 'ignore',
});

/**
 * Asks all questions over a few connections and compares every answer.
 *
 * @throws Error for a wrong answer, a status other than 200 and a lost connection
 */
async function runClosedLoop({ target, connections, questions }: ClosedLoopPlan): Promise<ClosedLoopResult> {
  const prepared = questions.map((question) => prepare(target, question));
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(target)));
  const latencies: number[] = [];
  let next = 0;
  const begun = performance.now();
  try {
    await Promise.all(
      open.map(async ({ ask }) => {
        for (let each = prepared[next++]; each !== undefined; each = prepared[next++])
          latencies.push(await ask(each));
      }),
    );
    return { seconds: (performance.now() - begun) / 1_000, latencies };
  } finally {
    for (const { close } of open) close();
  }
}

answerParent(runClosedLoop);
