import { isConditionFailed, type Reason, refusedFirst, type TokenGroups } from '../../engine/index.ts';
import { defined } from '../../table/defined.ts';
import { GatehouseError, limitExceeded } from '../../table/errors.ts';
import { groupBy } from '../../table/group-by.ts';
import { isRef } from '../../table/identifiers.ts';
import { batchesOf, type Reader } from '../../table/reader.ts';
import type { DifferenceOptions } from '../access-difference/access-difference.ts';
import { type Change, carryOut } from '../access-difference/carry-out.ts';
import { createCopy, TooLarge } from '../access-difference/copy.ts';
import { engineOn } from '../access-difference/engine-on.ts';
import { rootsAt } from '../access-difference/state.ts';
import { byIssuer, externalGroupsIn, MOST_GROUPS, tokenNaming } from '../access-difference/token-groups.ts';
import { byText } from '../canonical.ts';
import { inTurns } from '../in-turns.ts';
import { remembered } from '../remembered.ts';
import { hasPseudonym, openPseudonyms } from './logged-ids.ts';
import {
  type AskedInLog,
  type Counted,
  type LoggedQuestion,
  type LoggedQuestions,
  NONE,
  plus,
} from './logged-questions.ts';

/** One question whose answer differs, by all decisions about it. */
export interface AgainstRow extends AskedInLog {
  readonly decisions: Counted;
}

/** Decisions that would be answered otherwise. */
export interface AgainstSide {
  readonly decisions: Counted;
  readonly people: number;
  /** Of whom it concerns most first; of each person by permission. At most {@link MOST_ROWS}. */
  readonly rows: readonly AgainstRow[];
  readonly moreRows: number;
}

/** What a change would have done to the decisions of a log. */
export interface Against extends Pick<LoggedQuestions, 'others'> {
  /** About a permission of a subject at a scope. */
  readonly decisions: Counted;
  /** How many questions they are. */
  readonly questions: number;
  /** Those that the state of now allows, and the one after the change refuses; and the other way around. */
  readonly refused: AgainstSide;
  readonly allowed: AgainstSide;
  /** Those that the state of now answers otherwise than the log: it refuses them now, or allows them. */
  readonly now: { readonly refused: AgainstSide; readonly allowed: AgainstSide };
  readonly unknown: Unknown;
  /** About scopes that are not in this table, neither now nor after the change. */
  readonly elsewhere: Counted;
}

/** Decisions whose answer the table does not say, by what it rests on: each has one reason. */
export interface Unknown {
  readonly decisions: Counted;
  /** Conditions on what a request passes: properties, arguments, its time or address. */
  readonly properties: Counted;
  /** Groups that a token may name. */
  readonly tokens: Counted;
  /** A pseudonym that belongs to nobody in the table. */
  readonly pseudonyms: Counted;
  /** They were about another instant than their own. */
  readonly instants: Counted;
  /** A mandate that has ended, or that is not there. */
  readonly mandates: Counted;
  /** What was left of the budget of a mandate. */
  readonly budgets: Counted;
  /** Of all these, those that were allowed, may be allowed now, and would be refused in any case. */
  readonly refused: Counted;
}

export interface AgainstOptions extends Omit<DifferenceOptions, 'bounds'> {
  readonly bounds?: Partial<typeof BOUNDS>;
}

/** Items that are copied, and the calls that read them. */
const BOUNDS = { items: 300_000, calls: 100_000 };
const MOST_ROWS = 1_000;
const AT_ONCE = 100;

/**
 * Decides the questions of a log on the table as it is and on a copy to which a change is written.
 *
 * @throws GatehouseError what a command of the change is refused with; `limit_exceeded` where it takes too much to read
 */
export async function againstLog(
  changes: readonly Change[],
  logged: LoggedQuestions,
  { reader, commands, at, bounds }: AgainstOptions,
): Promise<Against> {
  const most = { ...BOUNDS, ...bounds };
  const copy = createCopy(reader, most);
  try {
    await carryOut(changes, copy, commands, at);
    const refs = { subjects: logged.questions.flatMap(subjectsOf), scopes: logged.questions.map(scopeOf) };
    const opened = await openPseudonyms(reader, refs, copy.written());
    const questions = logged.questions.map((question) => ({
      ...question,
      subject: opened.subjects.get(question.subject) ?? question.subject,
      actor: question.actor && {
        ...question.actor,
        subject: opened.subjects.get(question.actor.subject) ?? question.actor.subject,
      },
      scope: opened.scopes.get(question.scope) ?? question.scope,
    }));
    return await compareStates({ ...logged, questions }, copy, at);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    throw limitExceeded(
      `the questions of the log take more than ${most.items} items or ${most.calls} calls to read: give fewer days, or the log of one tenant or API`,
    );
  }
}

const subjectsOf = ({ subject, actor }: LoggedQuestion): readonly string[] =>
  actor === undefined ? [subject] : [subject, actor.subject];
const scopeOf = ({ scope }: LoggedQuestion): string => scope;

/** What a state answers; undefined: that rests on what no log says. */
interface Answer {
  readonly allowed: boolean | undefined;
  readonly restsOn?: 'properties' | 'tokens' | 'mandates' | 'budgets';
  /** Whether a mandate was looked at, and is there. */
  readonly hasMandate?: boolean;
}

/** Decides each question on two states, and compares both with what was logged. Pseudonyms that are left are unknown. */
async function compareStates(
  { questions, others, ofInstants }: LoggedQuestions,
  { before, after }: { readonly before: Reader; readonly after: Reader },
  at: number,
): Promise<Against> {
  const sides = { refused: createSide(), allowed: createSide() };
  const now = { refused: createSide(), allowed: createSide() };
  const unknown = {
    properties: NONE,
    tokens: NONE,
    pseudonyms: NONE,
    instants: ofInstants,
    mandates: NONE,
    budgets: NONE,
    refused: NONE,
  };
  let decisions = ofInstants;
  let elsewhere = NONE;
  const states = [createState(before, at), createState(after, at)] as const;
  const sum = (question: LoggedQuestion, is: Answer | undefined, willBe: Answer | undefined): void => {
    const all = plus(question.allowed, question.refused);
    decisions = plus(decisions, all);
    if (hasPseudonym(question)) {
      unknown.pseudonyms = plus(unknown.pseudonyms, all);
      return;
    }
    if (!is && !willBe) {
      elsewhere = plus(elsewhere, all);
      return;
    }
    const a = is ?? REFUSED;
    // A mandate that counts now is taken away by the change.
    const isTaken = a.hasMandate === true && willBe?.restsOn === 'mandates';
    const b = (isTaken ? undefined : willBe) ?? REFUSED;
    const restsOn = a.restsOn ?? b.restsOn;
    if (restsOn) {
      unknown[restsOn] = plus(unknown[restsOn], all);
      if (b.allowed === false) unknown.refused = plus(unknown.refused, question.allowed);
      return;
    }
    if (a.allowed) now.allowed.add(question, question.refused);
    else now.refused.add(question, question.allowed);
    if (a.allowed && !b.allowed) sides.refused.add(question, all);
    if (!a.allowed && b.allowed) sides.allowed.add(question, all);
  };
  const answered = await inTurns(batchesOf(questions, AT_ONCE), async (chunk) => {
    const [is, willBe] = [await states[0].decide(chunk), await states[1].decide(chunk)];
    return chunk.map((question, position) => [question, is[position], willBe[position]] as const);
  });
  for (const each of answered.flat()) sum(...each);
  const { refused: _, ...reasons } = unknown;
  return {
    others,
    decisions,
    questions: questions.length,
    refused: sides.refused.sum(),
    allowed: sides.allowed.sum(),
    now: { refused: now.refused.sum(), allowed: now.allowed.sum() },
    unknown: { ...unknown, decisions: Object.values(reasons).reduce(plus) },
    elsewhere,
  };
}

/** What refusals by a mandate rest on that the table of now does not say: it ends within a day, and is deleted later. */
const OF_MANDATES: Readonly<Partial<Record<Reason, 'mandates' | 'budgets'>>> = {
  mandate_unknown: 'mandates',
  mandate_inactive: 'mandates',
  mandate_ended: 'mandates',
  budget_uncounted: 'budgets',
};

/** What is not in a state gives nothing there. */
const REFUSED: Answer = { allowed: false };

/**
 * With a resource of its own, a condition on any property of a resource counts as one on what is passed: a log does not
 * say which resource was asked about.
 */
const SOME_RESOURCE = { resource: {} };

/** Decides on one state what can be decided on it. */
function createState(reader: Reader, at: number) {
  const engine = engineOn(reader, at);
  const tokensAt = remembered((root: string) => tokensOf(reader, root));

  const decide = async (questions: readonly LoggedQuestion[], groups?: TokenGroups) => {
    const { answers } = await engine.checkManyAsked(
      questions.map(({ subject, actor, permission, scope }) => () => ({
        subject,
        actor,
        permission,
        scope,
        at,
        groups,
        given: SOME_RESOURCE,
      })),
      { keepDecisions: false },
    );
    return answers.map(({ decision, uses }) => {
      if (!decision) throw new GatehouseError('internal', 'a question of a log was not decided');
      return { ...decision, isKnown: uses.length === 0 && !isConditionFailed(decision) };
    });
  };

  return {
    /** @returns an answer for each; undefined where the state does not have the scope */
    decide: async (questions: readonly LoggedQuestion[]): Promise<readonly (Answer | undefined)[]> => {
      const scopes = questions.map(scopeOf);
      const known = await rootsAt(reader, [...new Set(scopes)].filter(isRef));
      const roots = scopes.map((scope) => known.get(scope));
      const decided = await decide(questions);
      const answers = decided.map(({ allowed, reason, isKnown }, position): Answer | undefined => {
        if (roots[position] === undefined) return undefined;
        const ofMandate = OF_MANDATES[reason];
        const isByMandate = questions[position]?.actor?.mandate !== undefined && ofMandate !== 'mandates';
        const hasMandate = isByMandate && (allowed || refusedFirst({ allowed, reason }) === 'mandate');
        if (ofMandate) return { allowed: undefined, restsOn: ofMandate, hasMandate };
        return isKnown ? { allowed, hasMandate } : { allowed: undefined, restsOn: 'properties', hasMandate };
      });
      // Groups in tokens are allow-only: they make a difference to what is refused without them.
      const open = [...answers.keys()].filter((position) => answers[position]?.allowed === false);
      for (const [root, positions] of groupBy(open, (position) => String(roots[position])))
        for (const groups of await tokensAt(root)) {
          const some = positions.map((position) => questions[position] as LoggedQuestion);
          for (const [index, { reason, isKnown }] of (await decide(some, groups)).entries()) {
            const position = positions[index] as number;
            if (!isKnown || reason !== decided[position]?.reason)
              answers[position] = { allowed: undefined, restsOn: 'tokens' };
          }
        }
      return answers;
    },
  };
}

/** Tokens that name, together, every group that means something at a root. */
const tokensOf = async (reader: Reader, root: string): Promise<readonly TokenGroups[]> =>
  byIssuer(await externalGroupsIn(reader, root)).flatMap((all) =>
    batchesOf(all, MOST_GROUPS).map(tokenNaming),
  );

/** Collects what is answered otherwise, by people and then by permission. */
function createSide() {
  const people = new Map<string, { decisions: Counted; readonly rows: AgainstRow[] }>();
  return {
    add: ({ subject, actor, permission, scope }: LoggedQuestion, decisions: Counted): void => {
      if (decisions.lines === 0) return;
      const person = people.get(subject) ?? { decisions: NONE, rows: [] };
      people.set(subject, person);
      person.decisions = plus(person.decisions, decisions);
      person.rows.push({ subject, ...defined({ actor }), permission, scope, decisions });
    },
    sum: (): AgainstSide => {
      const most = [...people.values()].sort((a, b) => byCount(a.decisions, b.decisions));
      const rows = most.flatMap((person) =>
        person.rows.sort(
          (a, b) =>
            byText(a.permission, b.permission) ||
            byCount(a.decisions, b.decisions) ||
            byText(a.scope, b.scope),
        ),
      );
      return {
        decisions: most.map((person) => person.decisions).reduce(plus, NONE),
        people: people.size,
        rows: rows.slice(0, MOST_ROWS),
        moreRows: Math.max(0, rows.length - MOST_ROWS),
      };
    },
  };
}

const byCount = (a: Counted, b: Counted): number => b.estimated - a.estimated;
