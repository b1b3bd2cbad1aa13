import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { SERVER_CORE } from '../harness/cores.ts';

export interface ServerProcess {
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

export interface ServerCommand {
  readonly command: string;
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What to do if the command does not exist. */
  readonly hint: string;
  /** Whether it serves; asked until it does. An error means no. */
  readonly isServing: () => Promise<boolean>;
}

const PATIENCE_MS = 30_000;
const STEP_MS = 10;

/** Starts a server as a process of its own, on one core, and waits until it serves. Its log is not kept. */
export async function startServer(server: ServerCommand): Promise<ServerProcess> {
  const { command, words, env, hint, isServing } = server;
  const child = spawn('taskset', ['--cpu-list', SERVER_CORE, command, ...words], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  let ended: string | undefined;
  const exited = once(child, 'exit').then(
    ([code]) => {
      ended = `${command} ended with ${code}; ${hint}`;
    },
    (error: Error) => {
      ended = error.message;
    },
  );
  const stop = async (): Promise<void> => {
    child.kill();
    setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS).unref();
    await exited;
  };
  for (let waited = 0; waited < PATIENCE_MS; waited += STEP_MS) {
    if (ended !== undefined) throw new Error(ended);
    if (await isServing().catch(() => false)) return { pid: child.pid as number, stop };
    await after(STEP_MS);
  }
  await stop();
  throw new Error(`${command} does not serve after ${PATIENCE_MS / 1_000} s`);
}

/** Milliseconds in a tick of `/proc`. */
const TICK_MS = 10;

/** Milliseconds of processor time that a process has used. Only on Linux. */
export function processorMsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command's name, in brackets, may hold spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
