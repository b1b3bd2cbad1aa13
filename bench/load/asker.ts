import { execFileSync } from 'node:child_process';
import { CLIENT_CORE } from '../harness/cores.ts';
import { answerParent } from './child.ts';
import { type ClosedLoopPlan, runClosedLoop } from './closed-loop.ts';
import { openConnection, prepare } from './connection.ts';
import { type Measured, runOpenLoop } from './open-loop.ts';

/** Questions that are due at given instants, whatever became of those before. */
export interface OpenLoopPlan extends ClosedLoopPlan {
  /** When each question is due, in milliseconds from the start. */
  readonly schedule: readonly number[];
  readonly seconds: number;
}

/** The client in a process and on a core of its own, so that the measured servers do not delay it. */
execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', CLIENT_CORE, String(process.pid)], {
  stdio: 'ignore',
});

async function runOpen({
  target,
  connections,
  questions,
  schedule,
  seconds,
}: OpenLoopPlan): Promise<Measured> {
  const prepared = questions.map((question) => prepare(target, question));
  const idle = await Promise.all(Array.from({ length: connections }, () => openConnection(target)));
  const all = [...idle];
  try {
    return await runOpenLoop({
      schedule,
      seconds,
      connections,
      send: async (n) => {
        const connection = idle.pop();
        const question = prepared[n];
        if (!connection || !question) throw new Error('more requests at once than connections');
        await connection.ask(question);
        idle.push(connection);
        return { status: 200 };
      },
    });
  } finally {
    for (const { close } of all) close();
  }
}

answerParent((plan: ClosedLoopPlan | OpenLoopPlan) =>
  'schedule' in plan ? runOpen(plan) : runClosedLoop(plan),
);
