import { ChildProcess } from 'node:child_process';

/** Everything that starts a process comes by here. */
Object.assign(ChildProcess.prototype, {
  spawn: () => {
    throw new Error('a unit test starts no process: name its file *.integration.test.ts');
  },
});
