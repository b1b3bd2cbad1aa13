import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The command line in a process of its own; `main` is `cliMain()`. */
export function startGatehouse(main: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    error += String(chunk);
  });
  const ended = new Promise<{ code: number | null; signal: string | null; out: string; error: string }>(
    (resolve) => child.once('close', (code, signal) => resolve({ code, signal, out, error })),
  );
  /** It has printed something, or has ended. */
  const shown = Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), ended]);
  return { kill: () => child.kill('SIGKILL'), shown, ended };
}
