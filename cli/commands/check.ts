import { type Actor, createEngine, type Decision, type Given } from '../../engine/index.ts';
import { defined } from '../../table/defined.ts';
import type { Reader } from '../../table/reader.ts';
import { ACTING, actorOf } from '../acting.ts';
import { connect } from '../connection.ts';
import { verdict } from '../context.ts';
import { OK, REFUSED } from '../exit-codes.ts';
import { flag, permissionArgument, scopeArgument, subjectArgument } from '../options.ts';
import { assertAsked, meantText, namesIn, questionOf } from '../references.ts';
import { subcommand } from '../subcommand.ts';
import { answerThen, THEN, unknownText } from '../then.ts';
import { VERIFY, verifiedText, verifyLog } from '../verify-log.ts';

interface Question {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  readonly actor?: Actor | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What the subcommand answers of a question, whose names are references. */
export const decide = (
  reader: Reader,
  now: () => number,
  { subject, permission, scope, actor, at }: Question,
  { given, strong }: { readonly given?: Given | undefined; readonly strong?: boolean | undefined },
): Promise<Decision> =>
  createEngine({ reader, clock: { now } }).check(subject, permission, scope, {
    at,
    actor,
    consistency: strong ? 'strong' : 'cached',
    ...given,
  });

const EXAMPLES = `  gatehouse check tina@school.example grades 'North School'
  gatehouse check user:01M7YAMYCAWSND2TZ7F47P6DYF grades location:01M7YAMY51QT61RYW2RQE37W98
  gatehouse check tina@school.example grades 'North School' --at 2026-03-01T14:02Z --json
  gatehouse check tina@school.example grades 'North School' --actor agent:bot --mandate 01M7YAMYCAWSND2TZ7F47P6DYF
  gatehouse check tina@school.example grades 'North School' --given '{"context":{"ip":"10.0.0.1"}}'`;

/** `gatehouse check`: the decision and its reason. */
export const addCheck = subcommand({
  name: 'check',
  summary: 'decide whether a subject has a permission at a scope',
  description: 'Decides whether a subject has a permission at a scope, and gives the reason.',
  arguments: [subjectArgument, permissionArgument, scopeArgument],
  options: {
    ...THEN,
    ...ACTING,
    ...VERIFY,
    strong: flag('read the table as it is now, in one transaction, instead of from caches'),
  },
  examples: EXAMPLES,
  run: async ([who, permission, where], options, context) => {
    const { now } = context;
    const reader = await connect(options, context);
    const asked = await questionOf(namesIn(reader), who, where);
    const { subject, scope } = asked;
    const actor = await actorOf(reader, options);
    const then = await answerThen(reader, options, now, {
      ask: async ({ table, clock, at }) => {
        const question = { subject, permission, scope, actor, at };
        const { allowed, reason } = await decide(table, clock.now, question, options);
        return { allowed, reason, at: new Date(at).toISOString() };
      },
      sameAs: ({ allowed }) => String(allowed),
      restsOnProperties: ({ reason }) => reason === 'condition_failed',
    });
    const { answer, unknown } = then;
    const verified = await verifyLog(reader, options, context);
    const more = verified ? { verified } : {};
    if (unknown) {
      const at = new Date(options.at ?? now()).toISOString();
      return {
        data: { unknown, ...asked, permission, at, ...more },
        text: (paint) => `${unknownText(paint, unknown)}${meantText(asked)}${verifiedText(verified)}`,
        code: REFUSED,
      };
    }
    const { allowed, reason, at } = answer;
    await assertAsked(reader, reason, { subject, permission, scope, actor });
    return {
      data: { allowed, reason, ...asked, ...defined({ actor }), permission, at, ...more },
      text: (paint) => `${verdict(paint, allowed)} (${reason})\n${meantText(asked)}${verifiedText(verified)}`,
      code: allowed ? OK : REFUSED,
    };
  },
});
