import {
  createExplainer,
  derivationSentence,
  type Named,
  type Reason,
  type Sentence,
} from '../../engine/index.ts';
import { defined } from '../../table/defined.ts';
import { formatRef } from '../../table/identifiers.ts';
import type { Reader } from '../../table/reader.ts';
import { plain } from '../../table/visible-text.ts';
import { createPeople, UNBOUNDED } from '../access-difference/people.ts';
import { stateOf } from '../access-difference/state.ts';
import { type Granted, isCertain } from './breaches.ts';
import type { Finding } from './findings.ts';
import { asWritten } from './opened.ts';

/** Somebody who breaks an invariant: who, what, where, through which grants, and from when on. */
export interface Violation {
  /** The id of the invariant, and its name. */
  readonly invariant: string;
  readonly name: string;
  readonly who: Who;
  /** In ISO 8601: the instant from which it was decided, or a later one at which something begins or ends. */
  readonly from: string;
  /** Whatever conditions say, and without a token that names a group. */
  readonly certain: boolean;
  /** One permission, or two that are held together. */
  readonly holds: readonly Holding[];
  /** Model tests, in YAML, which say what should be: one of them fails while the violation lasts. */
  readonly test: string;
}

interface Who {
  /** One of them; where it is true of anybody and the table has no such subject, one that is in no table. */
  readonly subject: Named;
  /** Whether it is true of somebody to whom nothing is granted. */
  readonly isAnybody?: boolean;
  /** Otherwise: all of whom it is true, as references. */
  readonly people?: readonly string[];
  /** The token that they have to show: who issued it, and which groups it names. */
  readonly token?: { readonly issuer: string; readonly groups: readonly string[] };
}

interface Holding {
  readonly permission: string;
  readonly scope: Named;
  /** One way: roles, grant and pattern, in words. */
  readonly through: string;
  /** On which conditions it depends. */
  readonly conditions: readonly string[];
  /** What a check says at that instant. Where it refuses, what counts as open here is closed at present. */
  readonly check: Reason;
}

/** How many subjects are looked at for one to whom nothing is granted. */
const MOST_SUBJECTS = 20;

/** @param reader of the table as it is */
export function createReporter({ reader, at }: { readonly reader: Reader; readonly at: number }) {
  const tableNow = stateOf(reader, [], at);

  /** Of whom it is true. Of those to whom nothing is granted, one of the table, if there is one. */
  async function witnessOf({ people, anybody, token, breach, opened }: Finding): Promise<string> {
    const [one = anybody] = people;
    if (one !== anybody) return one;
    const subjects: string[] = [];
    for await (const ref of createPeople(reader, UNBOUNDED).everybody())
      if (subjects.push(formatRef(ref)) >= MOST_SUBJECTS) break;
    const { engine } = await stateOf(opened, [], at);
    for (const subject of subjects) {
      const questions = breach.granted.map(({ permission, scope }) => ({ subject, permission, scope }));
      const options = { at: breach.from, ...defined({ groups: token }) };
      const { decisions } = await engine.checkMany(questions, options);
      if (decisions.every(({ reason }) => reason === 'role' || reason === 'condition_failed')) return subject;
    }
    return anybody;
  }

  async function holdingOf({ opened, token, breach }: Finding, who: string, granted: Granted) {
    const { permission, scope, certain } = granted;
    const options = { at: breach.from, ...defined({ groups: token }) };
    const { reason } = await (await tableNow).engine.check(who, permission, scope, options);
    const explainer = createExplainer({ reader: opened, clock: { now: () => breach.from } });
    const { subject, path, ...found } = await explainer.explain(who, permission, scope, options);
    const [by] = [
      ...found.allowedBy.items,
      ...found.notCounting.items.filter(({ effect }) => effect === 'ALLOW'),
    ];
    const effects = certain || !by ? [] : [by, ...found.deniedBy.items];
    const conditions = effects.flatMap(({ condition }) => (condition ? [asWritten(condition.when)] : []));
    const [place = { ref: scope, name: scope }] = path;
    const holding: Holding = {
      permission,
      scope: { ref: place.ref, name: place.name },
      through: by ? sentenceText(derivationSentence(by)) : '',
      conditions: [...new Set(conditions)],
      check: reason,
    };
    return { subject, holding };
  }

  return async (finding: Finding): Promise<Violation> => {
    const { invariant, breach, people, anybody, token } = finding;
    const witness = await witnessOf(finding);
    const found = [];
    for (const granted of breach.granted) found.push(await holdingOf(finding, witness, granted));
    const reported = {
      invariant: invariant.id,
      name: invariant.name,
      who: {
        subject: found[0]?.subject ?? { ref: witness, name: witness },
        ...(people.includes(anybody) ? { isAnybody: true } : { people }),
        ...(token ? { token: { issuer: token.issuer, groups: token.ids } } : {}),
      },
      from: new Date(breach.from).toISOString(),
      certain: isCertain(breach),
      holds: found.map(({ holding }) => holding),
    };
    return { ...reported, test: testOf(reported) };
  };
}

const sentenceText = (sentence: Sentence): string =>
  sentence.map((part) => (typeof part === 'string' ? part : part.name)).join('');

/** Characters of the longest name of a test. */
const MAX_NAME = 256;

/** JSON is YAML, and needs no rules for quotes. */
const line = (key: string, value: string): string => `    ${key}: ${JSON.stringify(value)}`;

/** What should be: of two permissions, the second is refused. */
const testOf = ({ name, who, from, holds }: Omit<Violation, 'test'>): string =>
  [
    'tests:',
    ...holds.flatMap(({ permission, scope, through, conditions, check }, position) => [
      `  # ${plain(through)}`,
      ...conditions.map((when) => `  # give what it looks at: ${plain(when)}`),
      ...(OPEN.has(check) ? [] : [`  # counts as open, a check says ${check} at present`]),
      `  - name: ${JSON.stringify(plain(name).slice(0, MAX_NAME))}`,
      line('subject', who.subject.ref),
      line('permission', permission),
      line('scope', scope.ref),
      line('at', from),
      line('expect', position < holds.length - 1 ? 'allow' : 'deny'),
    ]),
    '',
  ].join('\n');

const OPEN: ReadonlySet<Reason> = new Set<Reason>(['role', 'condition_failed']);
