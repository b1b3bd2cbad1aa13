import { createExplainer, formatExplanation } from '../../engine/index.ts';
import { ACTING, actorOf } from '../acting.ts';
import { connect } from '../connection.ts';
import { wantsColours } from '../context.ts';
import { permissionArgument, scopeArgument, subjectArgument } from '../options.ts';
import { assertAsked, namesIn, questionOf } from '../references.ts';
import { subcommand } from '../subcommand.ts';
import { answerThen, DECIDED, THEN, unknownText } from '../then.ts';

/** `gatehouse explain`: why a decision is what it is. */
export const addExplain = subcommand({
  name: 'explain',
  summary: 'explain a decision step by step',
  description: 'Explains a decision step by step and, for a refusal, what would allow it.',
  arguments: [subjectArgument, permissionArgument, scopeArgument],
  options: { ...THEN, ...ACTING },
  examples: `  gatehouse explain tina@school.example grades 'North School'
  gatehouse explain tina@school.example grades 'North School' --table gatehouse --region eu-central-1 --json`,
  run: async ([who, permission, where], options, context) => {
    const reader = await connect(options, context);
    const { subject, scope } = await questionOf(namesIn(reader), who, where);
    const actor = await actorOf(reader, options);
    const { answer, unknown } = await answerThen(reader, options, context.now, {
      ask: async ({ table, clock, at }) => {
        const explainer = createExplainer({ reader: table, clock });
        return explainer.explain(subject, permission, scope, { at, actor, ...options.given });
      },
      ...DECIDED,
    });
    if (unknown) return { data: { unknown }, text: (paint) => unknownText(paint, unknown), refused: true };
    await assertAsked(reader, answer.reason, { subject, permission, scope, actor });
    return {
      data: answer,
      text: () => formatExplanation(answer, { colours: wantsColours(context) }),
      refused: !answer.allowed,
    };
  },
});
