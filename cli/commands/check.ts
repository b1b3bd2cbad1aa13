import { createEngine } from '../../engine/index.ts';
import { defined } from '../../table/defined.ts';
import { ACTING, actorOf } from '../acting.ts';
import { connect } from '../connection.ts';
import { verdict } from '../context.ts';
import { flag, permissionArgument, scopeArgument, subjectArgument } from '../options.ts';
import { assertAsked, meantText, namesIn, questionOf } from '../references.ts';
import { subcommand } from '../subcommand.ts';
import { answerThen, DECIDED, THEN, unknownText } from '../then.ts';
import { VERIFY, verifiedText, verifyLog } from '../verify-log.ts';

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
  examples: `  gatehouse check tina@school.example grades 'North School'
  gatehouse check user:01M7YAMYCAWSND2TZ7F47P6DYF grades location:01M7YAMY51QT61RYW2RQE37W98
  gatehouse check tina@school.example grades 'North School' --at 2026-03-01T14:02Z --json
  gatehouse check tina@school.example grades 'North School' --actor agent:bot --mandate 01M7YAMYCAWSND2TZ7F47P6DYF
  gatehouse check tina@school.example grades 'North School' --given '{"context":{"ip":"10.0.0.1"}}'`,
  run: async ([who, permission, where], options, context) => {
    const { now } = context;
    const reader = await connect(options, context);
    const { subject, scope, ...named } = await questionOf(namesIn(reader), who, where);
    const actor = await actorOf(reader, options);
    const actorName = options.actor === actor?.subject ? undefined : options.actor;
    const asked = { subject, scope, ...named, ...defined({ actor, actorName }) };
    const then = await answerThen(reader, options, now, {
      ask: async ({ table, clock, at }) => {
        const { allowed, reason } = await createEngine({ reader: table, clock }).check(
          subject,
          permission,
          scope,
          { at, actor, consistency: options.strong ? 'strong' : 'cached', ...options.given },
        );
        return { allowed, reason, at: new Date(at).toISOString() };
      },
      ...DECIDED,
    });
    const { answer, unknown } = then;
    const verified = await verifyLog(reader, options, context);
    const more = verified ? { verified } : {};
    if (unknown) {
      const at = new Date(options.at ?? now()).toISOString();
      return {
        data: { unknown, ...asked, permission, at, ...more },
        text: (paint) => `${unknownText(paint, unknown)}${meantText(asked)}${verifiedText(verified)}`,
        refused: true,
      };
    }
    const { allowed, reason, at } = answer;
    await assertAsked(reader, reason, { subject, permission, scope, actor });
    return {
      data: { allowed, reason, ...asked, permission, at, ...more },
      text: (paint) => `${verdict(paint, allowed)} (${reason})\n${meantText(asked)}${verifiedText(verified)}`,
      refused: !allowed || verified?.isWhole === false,
    };
  },
});
