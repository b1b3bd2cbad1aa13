import { createExplainer, formatExplanation } from '../../engine/index.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { ARGUMENTS, assertQuestion, readAt } from '../question.ts';
import type { Subcommand } from '../subcommand.ts';
import { EXIT_CODES, FINE, REFUSED, wantsColours } from '../surroundings.ts';

interface ExplainOptions extends ConnectionOptions {
  readonly at?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  gatehouse explain user:01M7YAMYCAWSND2TZ7F47P6DYF grades location:01M7YAMY51QT61RYW2RQE37W98
  gatehouse explain --table gatehouse --region eu-central-1 --json user:01M7… grades location:01M7…`;

/** `gatehouse explain`: why this subject may do this there, or why not. */
export const addExplain: Subcommand = (program, around, finish) => {
  const command = program
    .command('explain')
    .summary('why, or why not?')
    .description('Explains a decision step by step, and what would have helped where it is a refusal.')
    .argument('<subject>', ARGUMENTS.subject)
    .argument('<permission>', ARGUMENTS.permission)
    .argument('<scope>', ARGUMENTS.scope)
    .option('--at <instant>', ARGUMENTS.at)
    .option('--json', 'print data');
  addConnectionOptions(command)
    .addHelpText('after', `${EXAMPLES}\n${EXIT_CODES}`)
    .action(async (subject: string, permission: string, scope: string, options: ExplainOptions) => {
      assertQuestion(subject, permission, scope);
      const at = readAt(options.at) ?? around.now();
      const explainer = createExplainer({ reader: connect(options, around.env), clock: { now: around.now } });
      const explanation = await explainer.explain(subject, permission, scope, { at });
      around.out(
        options.json
          ? `${JSON.stringify(explanation, null, 2)}\n`
          : formatExplanation(explanation, { colours: wantsColours(around) }),
      );
      finish(explanation.allowed ? FINE : REFUSED);
    });
};
