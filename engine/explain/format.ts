import { type Branch, draw, wrap } from './drawing.ts';
import type {
  Acting,
  ConditionShown,
  Derivation,
  Explanation,
  Named,
  Some,
  Source,
  Step,
  Suggestions,
} from './explanation.ts';
import { periodText } from './holdings.ts';
import { grantedSentence, textOf } from './sentences.ts';

export interface FormatOptions {
  /** Whether to use ANSI colours. Default false. */
  readonly colours?: boolean;
}

/**
 * Formats an explanation as a tree for a terminal: printable ASCII, at most 100 columns. All other characters
 * are escaped as `\u{…}`, so that stored names cannot send control sequences to the terminal.
 */
export function formatExplanation(explanation: Explanation, { colours = false }: FormatOptions = {}): string {
  const { allowed, reason, subject, permission, path, at, acting } = explanation;
  const lines = [
    ...wrap(`${allowed ? 'ALLOWED' : 'REFUSED'} (${reason})`, '', '', allowed ? 'green' : 'red', colours),
    ...wrap(`subject     ${named(subject)}`, '', ' '.repeat(12)),
    ...(acting ? wrap(`actor       ${named(acting.actor.subject)}`, '', ' '.repeat(12)) : []),
    ...wrap(`permission  ${permission}`, '', ' '.repeat(12)),
    ...wrap(`scope       ${path.map(named).join(' < ')}`, '', ' '.repeat(12)),
    ...wrap(`at          ${at}`, '', ''),
  ];
  const sections: readonly Branch[] = [
    { text: 'steps', below: explanation.steps.map(stepBranch) },
    ...derivations('allowed by', explanation.allowedBy),
    ...derivations(allowed ? 'denied by, but overridden' : 'denied by', explanation.deniedBy),
    ...derivations('not counting, because of their condition', explanation.notCounting),
    ...(explanation.suggestions ? [suggestionsBranch(explanation.suggestions)] : []),
    ...(acting ? actingBranches(acting) : []),
  ];
  for (const { text, below = [] } of sections) lines.push('', text, ...draw(below, '', colours));
  return `${lines.join('\n')}\n`;
}

/** The actor's own decision, and its mandate. */
const actingBranches = ({ actor, mandate }: Acting): readonly Branch[] => [
  {
    text: `the actor itself: ${actor.allowed ? 'allowed' : 'refused'} (${actor.reason})`,
    below: actor.steps.map(stepBranch),
  },
  ...derivations('the actor is allowed by', actor.allowedBy),
  ...derivations('the actor is denied by', actor.deniedBy),
  mandate === null
    ? { text: 'no mandate of this actor for this subject' }
    : {
        text: `${mandate.ref}: ${mandate.status}, until ${mandate.endsAt}`,
        below: [
          `permissions ${mandate.permissions.join(', ')}`,
          `scopes ${mandate.scopes.map(named).join(', ')}`,
          ...(mandate.when === null ? [] : [`when ${mandate.when}`]),
          ...(mandate.hasBudget ? ['with a budget: only mandate.use allows'] : []),
        ].map((text) => ({ text })),
      },
];

function stepBranch({ step, name, passed, decides, findings, missing }: Step): Branch {
  const mark = passed === null ? '--' : passed ? 'ok' : 'NO';
  const colour = passed === null ? 'dim' : passed ? 'green' : 'red';
  return {
    text: `${mark} ${step} ${name}${decides ? '  <- decides' : ''}`,
    colour,
    below: [
      ...findings.map((text) => ({ text })),
      ...missing.map(({ text }) => ({ text, colour: 'red' as const })),
    ],
  };
}

const named = ({ ref, name }: Named): string => (name === ref ? ref : `${name} (${ref})`);

/** A line for the granted role, then one for each role it inherits from. */
const linksOf = (roles: readonly Named[]): readonly string[] =>
  roles.map((role, position) => `${position === 0 ? 'role' : 'inherits from role'} ${named(role)}`);

/** A source with references, for the root of a branch. */
function sourceHead(source: Source): string {
  switch (source.kind) {
    case 'group':
      return source.everyone
        ? `everyone at ${named(source.scope)}, by group ${named(source.group)}`
        : `group ${named(source.group)} at ${named(source.scope)}`;
    case 'token_group':
      return `group ${named(source.group)} at ${named(source.scope)}, which the token names${periodText(source)}`;
    case 'assignment':
      return `assignment at ${named(source.scope)}${periodText(source)}`;
    case 'grant':
      return `grant in ${named(source.scope)}`;
    case 'global_role':
      return 'global role';
    case 'administrator':
      return 'administrator';
  }
}

/** grant -> role -> inherited role -> permission, each below the one before. */
function derivationBranch({ effect, from, roles, by, condition }: Derivation): Branch {
  const end = by ? `${effect} ${by.kind === 'exact' ? '' : 'by pattern '}${by.name}` : effect;
  const colour = effect === 'ALLOW' ? ('green' as const) : ('red' as const);
  const last: Branch = { text: end, colour, below: condition ? conditionBranches(condition) : [] };
  const below = linksOf(roles).reduceRight<readonly Branch[]>(
    (under, text) => [{ text, below: under }],
    [last],
  );
  return { text: sourceHead(from), below };
}

/** What became of a condition, in words. */
export const CONDITION_OUTCOMES: Readonly<Record<ConditionShown['outcome'], string>> = {
  holds: 'holds',
  does_not_hold: 'does not hold',
  not_evaluated: 'could not be evaluated',
};

function conditionBranches({ when, outcome, message, fails, values }: ConditionShown): readonly Branch[] {
  const isWhole = fails.length === 1 && fails[0] === when;
  return [
    {
      text: `when ${when}: ${CONDITION_OUTCOMES[outcome]}${message === null ? '' : ` (${message})`}`,
      below: [
        ...(isWhole ? [] : fails.map((part) => ({ text: `fails: ${part}` }))),
        ...values.map(({ name, value, isGiven }) => ({
          text: `${name} = ${value}${isGiven ? ', given' : ''}`,
        })),
      ],
    },
  ];
}

const branchesOf = <T>({ items, more }: Some<T>, show: (one: T) => Branch): readonly Branch[] => [
  ...items.map(show),
  ...(more > 0 ? [{ text: `and ${more} more` }] : []),
];

const derivations = (text: string, found: Some<Derivation>): readonly Branch[] =>
  found.items.length > 0 ? [{ text, below: branchesOf(found, derivationBranch) }] : [];

function suggestionsBranch({ granted, groups, roles, lookedAt }: Suggestions): Branch {
  const section = (text: string, below: readonly Branch[]): Branch => ({
    text,
    below: below.length > 0 ? below : [{ text: 'none' }],
  });
  const unread = Object.entries(lookedAt)
    .filter(([, { of, read }]) => read < of)
    .map(([what, { of, read }]) => ({ text: `looked at ${read} of ${of} ${what} elsewhere` }));
  return {
    text: 'what would have helped',
    below: [
      section('granted already, but not in force here', [
        ...branchesOf(granted, (each) => ({ text: textOf(grantedSentence(each)) })),
        ...unread,
      ]),
      section(
        'groups here or above that the subject is not in',
        branchesOf(groups, ({ group, scope, role }) => ({
          text: `${named(group)} at ${scope.name}: carries role ${role.name}`,
        })),
      ),
      section(
        'roles that can be granted here, those that name the permission first',
        branchesOf(roles, ({ role, by }) => ({ text: `${named(role)}: allows ${by}` })),
      ),
    ],
  };
}
