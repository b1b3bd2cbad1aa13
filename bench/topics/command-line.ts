import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { builtCli } from '../harness/built.ts';
import { openNewTable, withEngine } from '../harness/engine.ts';
import { figuresOf, type Titled } from '../harness/figures.ts';
import { type Candidate, runRounds } from '../harness/rounds.ts';
import type { Topic } from '../harness/topic.ts';

const MANIFEST = fileURLToPath(new URL('../../docs/examples/first.manifest.yaml', import.meta.url));
const TABLE = 'gatehouse';

const FIGURES = {
  node: ['Node that does nothing'],
  version: ['`gatehouse --version`', 'node'],
  check: ['`gatehouse check`', 'node'],
} satisfies Titled;

export const topic: Topic = {
  title: 'from process start to exit of `gatehouse`, as npm would have it, beside an empty Node',
  run: ({ quick }) =>
    withEngine(async (endpoint) => {
      const main = builtCli();
      await openNewTable(endpoint, TABLE);
      const env = { ...process.env, DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: TABLE };
      const run = (...words: readonly string[]) => execFileSync(process.execPath, words, { env });
      run(main, 'apply', MANIFEST, '--yes');
      const candidate = (name: string, ...words: readonly string[]): Candidate => ({
        name,
        run: () => run(...words) && 1,
      });
      const runs = [
        candidate('node', '-e', '0'),
        candidate('version', main, '--version'),
        candidate('check', main, 'check', 'ann@example.com', 'reports', 'acme'),
      ];
      const samples = await runRounds(runs, { rounds: quick ? 9 : 31, warmUp: 0 });
      return figuresOf('ms', FIGURES, (name) => samples(name).map((ns) => ns / 1e6));
    }),
};
