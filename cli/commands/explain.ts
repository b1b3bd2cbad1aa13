import { createExplainer, formatExplanation, type Given } from '../../engine/index.ts';
import { connect } from '../connection.ts';
import type { ConnectionOptions } from '../connection-options.ts';
import { wantsColours } from '../context.ts';
import { OK, REFUSED } from '../exit-codes.ts';
import { givenOption } from '../given.ts';
import { addHelpTexts } from '../help.ts';
import { asJson } from '../print.ts';
import { atOption, permissionArgument, scopeArgument, subjectArgument } from '../question.ts';
import { assertAsked, namesIn, questionOf } from '../references.ts';
import type { Subcommand } from '../subcommand.ts';

interface ExplainOptions extends ConnectionOptions {
  readonly at?: number;
  readonly json?: boolean;
  readonly given?: Given;
}

const EXAMPLES = `  gatehouse explain tina@school.example grades 'North School'
  gatehouse explain tina@school.example grades 'North School' --table gatehouse --region eu-central-1 --json`;

/** `gatehouse explain`: why a decision is what it is. */
export const addExplain: Subcommand = (program, context, finish) => {
  const command = program
    .command('explain')
    .summary('explain a decision step by step')
    .description('Explains a decision step by step and, for a refusal, what would allow it.')
    .addArgument(subjectArgument())
    .addArgument(permissionArgument())
    .addArgument(scopeArgument())
    .addOption(atOption())
    .addOption(givenOption());
  addHelpTexts(command, { examples: EXAMPLES }).action(
    async (given: string, permission: string, scopeGiven: string, options: ExplainOptions) => {
      const { at = context.now() } = options;
      const reader = await connect(options, context.env);
      const { subject, scope } = await questionOf(namesIn(reader), given, scopeGiven);
      const explainer = createExplainer({ reader, clock: { now: context.now } });
      const explanation = await explainer.explain(subject, permission, scope, { at, ...options.given });
      await assertAsked(reader, explanation.reason, { subject, permission, scope });
      context.out(
        options.json
          ? asJson(explanation)
          : formatExplanation(explanation, { colours: wantsColours(context) }),
      );
      finish(explanation.allowed ? OK : REFUSED);
    },
  );
};
