import { type ConnectionOptions, connect, readEndpoint } from '../connection.ts';
import { UsageError, wantsColours } from '../context.ts';
import { OK, REFUSED } from '../exit-codes.ts';
import { readTestFiles, runFiles } from '../model-tests/files.ts';
import { countsOf, formatReport, reportData } from '../model-tests/report.ts';
import type { Subcommand } from '../subcommand.ts';

interface TestOptions extends ConnectionOptions {
  readonly json?: boolean;
}

const EXAMPLES = `
A file holds tests and a manifest, or the path of one, or tests alone, which are then asked of the table. A
manifest is applied to a table of its own, which is removed again: on an embedded engine if one is
installed, at --endpoint, or else in memory.

Examples:
  gatehouse test permissions.test.yaml
  gatehouse test --json tests/*.test.yaml
  gatehouse test --table gatehouse --region eu-central-1 live.test.yaml`;

/** `gatehouse test`: questions with the answers that a team expects, asked of the engine itself. */
export const addTest: Subcommand = (program, around, finish) => {
  const command = program
    .command('test')
    .summary('are the answers those that you expect?')
    .description(
      'Runs model tests: a manifest in YAML or JSON, questions, and the decisions that are expected.',
    )
    .argument('<files...>', 'YAML or JSON');
  command.addHelpText('after', EXAMPLES).action(async (files: readonly string[], options: TestOptions) => {
    const read = await readTestFiles(files);
    if (options.table !== undefined && read.every(({ manifest }) => manifest))
      throw new UsageError(
        '--table has no use here: each file has a manifest, which gets a table of its own',
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
  });
};
