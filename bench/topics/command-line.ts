import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { builtCli } from '../harness/built.ts';
import { withEngine } from '../harness/engine.ts';
import { figuresOf, type Titled } from '../harness/figures.ts';
import { type Candidate, runRounds } from '../harness/rounds.ts';
import type { Topic } from '../harness/topic.ts';

const MANIFEST = fileURLToPath(new URL('../../docs/examples/first.manifest.yaml', import.meta.url));

const FIGURES = {
  node: ['Node that does nothing'],
  version: ['`gatehouse --version`', 'node'],
  check: ['`gatehouse check`', 'node'],
} satisfies Titled;

/** `gatehouse dev` with a manifest in its table, once it names its addresses. */
async function startStack(main: string, env: NodeJS.ProcessEnv) {
  const words = [main, 'dev', MANIFEST, '--port', '0', '--lambda-port', '0'];
  const stack = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(stack, 'exit');
  const started = async (): Promise<void> => {
    for await (const chunk of stack.stdout.iterator({ destroyOnReturn: false }))
      if (/^[a-z]+ http:\S+$/m.test(String(chunk))) return;
    throw new Error('gatehouse dev ended');
  };
  await started();
  return async () => {
    stack.kill('SIGINT');
    await exited;
  };
}

export const topic: Topic = {
  title: 'from process start to exit of `gatehouse`, as npm would have it, beside an empty Node',
  run: ({ quick }) =>
    withEngine(async (endpoint) => {
      const main = builtCli();
      const env = { ...process.env, DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: 'gatehouse' };
      const stop = await startStack(main, env);
      const candidate = (name: string, ...words: readonly string[]): Candidate => ({
        name,
        run: () => execFileSync(process.execPath, words, { env }) && 1,
      });
      const runs = [
        candidate('node', '-e', '0'),
        candidate('version', main, '--version'),
        candidate('check', main, 'check', 'ann@example.com', 'reports', 'acme'),
      ];
      try {
        const samples = await runRounds(runs, { rounds: quick ? 9 : 31, warmUp: 0 });
        return figuresOf('ms', FIGURES, (name) => samples(name).map((ns) => ns / 1e6));
      } finally {
        await stop();
      }
    }),
};
