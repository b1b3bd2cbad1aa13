import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pid } from 'node:process';
import { setTimeout } from 'node:timers/promises';

/** The controller of processor time, version 1 (https://docs.kernel.org/scheduler/sched-bwc.html). */
const CONTROLLER = '/sys/fs/cgroup/cpu';
/** Microseconds in which a process gets its share, and then waits. */
const PERIOD_US = 20_000;

/** So often a group is tried to be removed, every tenth of a second. */
const MOST_TRIES = 100;

export type Limit = NonNullable<ReturnType<typeof createLimit>>;

/**
 * Limits a process to a share of a processor, as Lambda does by its memory.
 *
 * @param share at most 1
 * @returns undefined where control groups cannot be written
 */
export function createLimit(share: number) {
  const group = join(CONTROLLER, `gatehouse-${pid}`);
  try {
    mkdirSync(group);
    writeFileSync(join(group, 'cpu.cfs_period_us'), `${PERIOD_US}`);
    writeFileSync(join(group, 'cpu.cfs_quota_us'), `${Math.round(PERIOD_US * share)}`);
  } catch {
    if (existsSync(group)) rmdirSync(group);
    return undefined;
  }
  return {
    put: (process: number): void => writeFileSync(join(group, 'cgroup.procs'), `${process}`),
    /** Call it when the processes have ended: they leave the group a moment later. */
    remove: async (): Promise<void> => {
      for (let tries = 1; ; tries++)
        try {
          return rmdirSync(group);
        } catch (error) {
          if ((error as { code?: string }).code !== 'EBUSY' || tries === MOST_TRIES) throw error;
          await setTimeout(100);
        }
    },
  };
}
