import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withEngine } from '../harness/engine.ts';
import { toFigure } from '../harness/figures.ts';
import type { Topic } from '../harness/topic.ts';

const pathOf = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const MAIN = pathOf('dist/cli/main.js');

/** `gatehouse dev` with a manifest in its table, once it names its addresses. */
async function startStack(env: NodeJS.ProcessEnv) {
  const words = [
    MAIN,
    'dev',
    pathOf('docs/examples/first.manifest.yaml'),
    '--port',
    '0',
    '--lambda-port',
    '0',
  ];
  const stack = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(stack, 'exit');
  await Promise.race([
    exited.then(() => Promise.reject(new Error('gatehouse dev ended'))),
    (async () => {
      for await (const chunk of stack.stdout.iterator({ destroyOnReturn: false }))
        if (/^[a-z]+ http:\S+$/m.test(String(chunk))) return;
    })(),
  ]);
  return async () => {
    stack.kill('SIGINT');
    await exited;
  };
}

/** Milliseconds of a run of Node with these words. */
function timeOf(words: readonly string[], env: NodeJS.ProcessEnv): number {
  const began = performance.now();
  execFileSync(process.execPath, words, { env });
  return performance.now() - began;
}

export const commandLine: Topic = {
  name: 'command-line',
  title: 'from process start to exit of `gatehouse`, as npm would have it, beside an empty Node',
  run: ({ quick }) =>
    withEngine(async (endpoint) => {
      if (!existsSync(MAIN)) throw new Error('there is no dist/cli/main.js: run `npm run build` first');
      const env = { ...process.env, DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: 'gatehouse' };
      const stop = await startStack(env);
      try {
        const times = { node: [] as number[], version: [] as number[], check: [] as number[] };
        const rounds = quick ? 9 : 31;
        for (let round = 0; round < rounds; round++) {
          times.node.push(timeOf(['-e', '0'], env));
          times.version.push(timeOf([MAIN, '--version'], env));
          times.check.push(timeOf([MAIN, 'check', 'ann@example.com', 'reports', 'acme'], env));
        }
        const { node, version, check } = times;
        return [
          toFigure('command-line.node', 'Node that does nothing', 'ms', node),
          toFigure('command-line.version', '`gatehouse --version`', 'ms', version, { node }),
          toFigure('command-line.check', '`gatehouse check`', 'ms', check, { node }),
        ];
      } finally {
        await stop();
      }
    }),
};
