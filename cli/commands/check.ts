import { createEngine, type Decision, type Given } from '../../engine/index.ts';
import type { Reader } from '../../table/reader.ts';
import { connect } from '../connection.ts';
import type { ConnectionOptions } from '../connection-options.ts';
import { painter, wantsColours } from '../context.ts';
import { OK, REFUSED } from '../exit-codes.ts';
import { givenOption } from '../given.ts';
import { addHelpTexts } from '../help.ts';
import { asJson } from '../print.ts';
import { atOption, permissionArgument, scopeArgument, subjectArgument } from '../question.ts';
import { assertAsked, meantText, namesIn, questionOf } from '../references.ts';
import type { Subcommand } from '../subcommand.ts';

interface CheckOptions extends ConnectionOptions {
  readonly at?: number;
  readonly strong?: boolean;
  readonly given?: Given;
  readonly json?: boolean;
}

interface Question {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What the subcommand answers of a question, whose names are references. */
export const decide = (
  reader: Reader,
  now: () => number,
  { subject, permission, scope, at }: Question,
  { given, strong }: Pick<CheckOptions, 'given' | 'strong'>,
): Promise<Decision> =>
  createEngine({ reader, clock: { now } }).check(subject, permission, scope, {
    at,
    consistency: strong ? 'strong' : 'cached',
    ...given,
  });

const EXAMPLES = `  gatehouse check tina@school.example grades 'North School'
  gatehouse check user:01M7YAMYCAWSND2TZ7F47P6DYF grades location:01M7YAMY51QT61RYW2RQE37W98
  gatehouse check tina@school.example grades 'North School' --at 2026-03-01 --json
  gatehouse check tina@school.example grades 'North School' --given '{"context":{"ip":"10.0.0.1"}}'`;

/** `gatehouse check`: the decision and its reason. */
export const addCheck: Subcommand = (program, context, finish) => {
  const command = program
    .command('check')
    .summary('decide whether a subject has a permission at a scope')
    .description('Decides whether a subject has a permission at a scope, and gives the reason.')
    .addArgument(subjectArgument())
    .addArgument(permissionArgument())
    .addArgument(scopeArgument())
    .addOption(atOption())
    .addOption(givenOption())
    .option('--strong', 'read the table as it is now, in one transaction, instead of from caches');
  addHelpTexts(command, { examples: EXAMPLES }).action(
    async (given: string, permission: string, scopeGiven: string, options: CheckOptions) => {
      const { at = context.now() } = options;
      const reader = await connect(options, context.env);
      const asked = await questionOf(namesIn(reader), given, scopeGiven);
      const { subject, scope } = asked;
      const question = { subject, permission, scope, at };
      const { allowed, reason } = await decide(reader, context.now, question, options);
      await assertAsked(reader, reason, question);
      const paint = painter(wantsColours(context));
      context.out(
        options.json
          ? asJson({ allowed, reason, ...asked, permission, at: new Date(at).toISOString() })
          : `${paint(allowed ? 'green' : 'red', allowed ? 'ALLOWED' : 'REFUSED')} (${reason})\n${meantText(asked)}`,
      );
      finish(allowed ? OK : REFUSED);
    },
  );
};
