import { execFileSync } from 'node:child_process';
import { CLIENT_CORE } from '../peers/server-process.ts';
import { answerParent } from './child.ts';
import { type ClosedLoopPlan, runClosedLoop } from './closed-loop.ts';

/** The client in a process and on a core of its own, so that the measured servers do not delay it. */
execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', CLIENT_CORE, String(process.pid)], {
  stdio: 'ignore',
});
answerParent((plan: ClosedLoopPlan) => runClosedLoop(plan));
