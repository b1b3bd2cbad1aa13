import { connect, readEndpoint } from '../connection.ts';
import { UsageError, wantsColours } from '../context.ts';
import { readTestFiles, runFiles } from '../model-tests/files.ts';
import { countsOf, formatReport, reportData } from '../model-tests/report.ts';
import { argument } from '../options.ts';
import { subcommand } from '../subcommand.ts';

/** `gatehouse test`: questions and the answers that a team expects, asked of the engine itself. */
export const addTest = subcommand({
  name: 'test',
  summary: 'run model tests: questions and the decisions you expect',
  description: 'Runs model tests: a manifest, questions about it, and the decisions that you expect.',
  arguments: [argument('<files...>', 'model tests, in YAML or JSON')],
  examples: `  gatehouse test permissions.test.yaml
  gatehouse test --json tests/*.test.yaml
  gatehouse test --table gatehouse --region eu-central-1 live.test.yaml`,
  notes: `A file holds tests, and the manifest that they are about or its path. The
manifest is applied to a temporary table: on the embedded engine if one is
installed, at --endpoint, or else in memory. Tests without a manifest ask the
table of --table.`,
  run: async ([files], options, context) => {
    const { env, now, onInterrupt } = context;
    const read = await readTestFiles(files);
    if (options.table !== undefined && read.every(({ manifest }) => manifest))
      throw new UsageError(
        '--table is not used: each file has a manifest, which is tested in a temporary table',
      );
    const live = () => connect(options, context);
    const results = await runFiles(read, { endpoint: readEndpoint(options, env), live, now, onInterrupt });
    return {
      data: reportData(results),
      text: () => formatReport(results, wantsColours(context)),
      refused: countsOf(results).failed > 0,
    };
  },
});
