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

/** The client in a process and on a core of its own, so that the measured servers do not delay it. */
execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', CLIENT_CORE, String(process.pid)], {
  stdio: 'ignore',
});

/**
 * Asks all questions over a few connections and compares every answer.
 *
 * @returns the seconds from the first question sent to the last answer
 * @throws Error for a wrong answer, a status other than 200 and a lost connection
 */
async function runClosedLoop({ target, connections, questions }: ClosedLoopPlan): Promise<number> {
  const prepared = questions.map((question) => prepare(target, question));
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(target)));
  let next = 0;
  const begun = performance.now();
  try {
    await Promise.all(
      open.map(async ({ ask }) => {
        for (let each = prepared[next++]; each !== undefined; each = prepared[next++]) await ask(each);
      }),
    );
    return (performance.now() - begun) / 1_000;
  } finally {
    for (const { close } of open) close();
  }
}

answerParent(runClosedLoop);
