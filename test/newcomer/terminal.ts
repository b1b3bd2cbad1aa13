import { type ChildProcess, spawn } from 'node:child_process';

/** A shell in a folder, in which one command after the other is typed. */
export interface Terminal {
  /** Types a command and waits until it has ended. */
  readonly run: (command: string) => Promise<{ readonly code: number; readonly printed: string }>;
  /** Types a command that goes on, and waits until what it has printed is enough. */
  readonly start: (command: string, isEnough: (printed: string) => boolean) => Promise<string>;
  /** Ctrl-C, and closes the shell. */
  readonly close: () => Promise<void>;
}

/** What npm and the test runner have put into the environment is not a newcomer's. */
export const ofNewcomer = (env: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(?:npm_|VITEST|NODE_ENV|FORCE_COLOR|AWS_)/.test(name)),
  );

const MARK = '@@ended';

export function openTerminal(folder: string, env: Readonly<Record<string, string | undefined>>): Terminal {
  // Of a process group of its own, so that what it has started ends with it.
  const shell: ChildProcess = spawn('bash', ['--noprofile', '--norc'], {
    cwd: folder,
    env: { ...env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'] as const,
  });
  let printed = '';
  let changed = () => {};
  for (const stream of [shell.stdout, shell.stderr])
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      changed();
    });
  const ended = new Promise<void>((resolve) => shell.once('exit', () => resolve()));

  /** Waits until what was printed answers; throws when the shell ends before. */
  const until = <T>(answer: (text: string) => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      changed = () => {
        const found = answer(printed);
        if (found !== undefined) resolve(found);
      };
      changed();
      void ended.then(() => reject(new Error(`the shell ended: ${printed}`)));
    });
  const type = (line: string) => {
    printed = '';
    shell.stdin?.write(`${line}\n`);
  };
  return {
    run: (command) => {
      type(`{ ${command}\n} </dev/null; printf '\\n${MARK} %s\\n' "$?"`);
      return until((text) => {
        const [, output, code] = new RegExp(`^([\\s\\S]*)\\n${MARK} (\\d+)\\n$`).exec(text) ?? [];
        return output === undefined ? undefined : { code: Number(code), printed: output };
      });
    },
    start: (command, isEnough) => {
      type(`exec ${command} </dev/null`);
      return until((text) => (isEnough(text) ? text : undefined));
    },
    close: async () => {
      if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGINT');
      shell.stdin?.end();
      await ended;
      // Something that the shell has left behind may hold them.
      for (const stream of [shell.stdout, shell.stderr]) stream?.destroy();
    },
  };
}
