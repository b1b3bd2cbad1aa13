import { connect, readEndpoint } from '../connection.ts';
import type { ConnectionOptions } from '../connection-options.ts';
import { UsageError, wantsColours } from '../context.ts';
import { OK, REFUSED } from '../exit-codes.ts';
import { addHelpTexts } from '../help.ts';
import { readTestFiles, runFiles } from '../model-tests/files.ts';
import { countsOf, formatReport, reportData } from '../model-tests/report.ts';
import type { Subcommand } from '../subcommand.ts';

interface TestOptions extends ConnectionOptions {
  readonly json?: boolean;
}

const NOTES = `A file holds tests, and the manifest that they are about or its path. The
manifest is applied to a temporary table: on the embedded engine if one is
installed, at --endpoint, or else in memory. Tests without a manifest ask the
table of --table.`;

const EXAMPLES = `  gatehouse test permissions.test.yaml
  gatehouse test --json tests/*.test.yaml
  gatehouse test --table gatehouse --region eu-central-1 live.test.yaml`;

/** `gatehouse test`: questions and the answers that a team expects, asked of the engine itself. */
export const addTest: Subcommand = (program, around, finish) => {
  const command = program
    .command('test')
    .summary('run model tests: questions and the decisions you expect')
    .description('Runs model tests: a manifest, questions about it, and the decisions that you expect.')
    .argument('<files...>', 'model tests, in YAML or JSON');
  addHelpTexts(command, { examples: EXAMPLES, notes: NOTES }).action(
    async (files: readonly string[], options: TestOptions) => {
      const read = await readTestFiles(files);
      if (options.table !== undefined && read.every(({ manifest }) => manifest))
        throw new UsageError(
          '--table is not used: each file has a manifest, which is tested in a temporary table',
        );
      const results = await runFiles(read, {
        endpoint: readEndpoint(options, around.env),
        live: () => connect(options, around.env),
        now: around.now,
        onInterrupt: around.onInterrupt,
      });
      around.out(
        options.json
          ? `${JSON.stringify(reportData(results), null, 2)}\n`
          : formatReport(results, wantsColours(around)),
      );
      finish(countsOf(results).failed === 0 ? OK : REFUSED);
    },
  );
};
