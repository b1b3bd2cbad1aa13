import { createExplainer, formatExplanation } from '../../engine/index.ts';
import { connect } from '../connection.ts';
import { wantsColours } from '../context.ts';
import { OK, REFUSED } from '../exit-codes.ts';
import { ASKED } from '../given.ts';
import { permissionArgument, scopeArgument, subjectArgument } from '../options.ts';
import { assertAsked, namesIn, questionOf } from '../references.ts';
import { subcommand } from '../subcommand.ts';

const EXAMPLES = `  gatehouse explain tina@school.example grades 'North School'
  gatehouse explain tina@school.example grades 'North School' --table gatehouse --region eu-central-1 --json`;

/** `gatehouse explain`: why a decision is what it is. */
export const addExplain = subcommand({
  name: 'explain',
  summary: 'explain a decision step by step',
  description: 'Explains a decision step by step and, for a refusal, what would allow it.',
  arguments: [subjectArgument, permissionArgument, scopeArgument],
  options: ASKED,
  examples: EXAMPLES,
  run: async ([who, permission, where], options, context) => {
    const { now } = context;
    const { at = now(), given } = options;
    const reader = await connect(options, context);
    const { subject, scope } = await questionOf(namesIn(reader), who, where);
    const explainer = createExplainer({ reader, clock: { now } });
    const explanation = await explainer.explain(subject, permission, scope, { at, ...given });
    await assertAsked(reader, explanation.reason, { subject, permission, scope });
    return {
      data: explanation,
      text: () => formatExplanation(explanation, { colours: wantsColours(context) }),
      code: explanation.allowed ? OK : REFUSED,
    };
  },
});
