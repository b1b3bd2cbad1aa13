import { createEngine, type Given } from '../../engine/index.ts';
import { type ConnectionOptions, connect } from '../connection.ts';
import { painter, wantsColours } from '../context.ts';
import { OK, REFUSED } from '../exit-codes.ts';
import { givenOption } from '../given.ts';
import { asJson } from '../print.ts';
import { atOption, permissionArgument, scopeArgument, subjectArgument } from '../question.ts';
import { meantText, namesIn, questionOf, unknownPermission } from '../references.ts';
import type { Subcommand } from '../subcommand.ts';

interface CheckOptions extends ConnectionOptions {
  readonly at?: number;
  readonly strong?: boolean;
  readonly given?: Given;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  gatehouse check tina@school.example grades 'North School'
  gatehouse check user:01M7YAMYCAWSND2TZ7F47P6DYF grades location:01M7YAMY51QT61RYW2RQE37W98
  gatehouse check --at 2026-03-01 --json user:01M7… doors:open:door building:01M7…
  gatehouse check --given '{"context":{"ip":"10.0.0.1"}}' user:01M7… grades location:01M7…`;

/** `gatehouse check`: the decision and its reason. */
export const addCheck: Subcommand = (program, context, finish) => {
  const command = program
    .command('check')
    .summary('may this subject do this there?')
    .description('Decides whether a subject may use a permission at a scope, and gives the reason.')
    .addArgument(subjectArgument())
    .addArgument(permissionArgument())
    .addArgument(scopeArgument())
    .addOption(atOption())
    .addOption(givenOption())
    .option('--strong', 'read everything at one instant, in a transaction');
  command
    .addHelpText('after', EXAMPLES)
    .action(async (given: string, permission: string, scopeGiven: string, options: CheckOptions) => {
      const { at = context.now() } = options;
      const reader = await connect(options, context.env);
      const asked = await questionOf(namesIn(reader), given, scopeGiven);
      const { subject, scope } = asked;
      const engine = createEngine({ reader, clock: { now: context.now } });
      const consistency = options.strong ? 'strong' : 'cached';
      const { allowed, reason } = await engine.check(subject, permission, scope, {
        at,
        consistency,
        ...options.given,
      });
      const paint = painter(wantsColours(context));
      context.out(
        options.json
          ? asJson({ allowed, reason, ...asked, permission, at: new Date(at).toISOString() })
          : `${paint(allowed ? 'green' : 'red', allowed ? 'ALLOWED' : 'REFUSED')} (${reason})\n${meantText(asked)}`,
      );
      if (reason === 'permission_unknown')
        context.error(`note: ${await unknownPermission(reader, permission)}\n`);
      finish(allowed ? OK : REFUSED);
    });
};
