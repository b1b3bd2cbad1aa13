import { type Branch, draw, wrap } from './drawing.ts';
import type { Derivation, Explanation, Some, Step, Suggestions } from './explanation.ts';
import {
  findingText,
  linksOf,
  missingText,
  named,
  RELATIONS,
  STATES,
  safe,
  short,
  sourceHead,
  sourceText,
} from './wording.ts';

export interface FormatOptions {
  /** Whether to use ANSI colours. Default false. */
  readonly colours?: boolean;
}

/**
 * Formats an explanation as a tree for a terminal: printable ASCII, at most 100 columns. All other characters
 * are escaped as `\u{…}`, so that stored names cannot send control sequences to the terminal.
 */
export function formatExplanation(explanation: Explanation, { colours = false }: FormatOptions = {}): string {
  const { allowed, reason, subject, permission, path, at } = explanation;
  const lines = [
    ...wrap(`${allowed ? 'ALLOWED' : 'REFUSED'} (${reason})`, '', '', allowed ? 'green' : 'red', colours),
    ...wrap(`subject     ${named(subject)}`, '', ' '.repeat(12)),
    ...wrap(`permission  ${safe(permission)}`, '', ' '.repeat(12)),
    ...wrap(`scope       ${path.map(named).join(' < ')}`, '', ' '.repeat(12)),
    ...wrap(`at          ${at}`, '', ''),
  ];
  const sections: readonly Branch[] = [
    { text: 'steps', below: explanation.steps.map(stepBranch) },
    ...derivations('allowed by', explanation.allowedBy),
    ...derivations(allowed ? 'denied by, but overridden' : 'denied by', explanation.deniedBy),
    ...(explanation.suggestions ? [suggestionsBranch(explanation.suggestions)] : []),
  ];
  for (const { text, below = [] } of sections) lines.push('', text, ...draw(below, '', colours));
  return `${lines.join('\n')}\n`;
}

function stepBranch({ step, name, passed, decides, findings, missing }: Step): Branch {
  const mark = passed === null ? '--' : passed ? 'ok' : 'NO';
  const colour = passed === null ? 'dim' : passed ? 'green' : 'red';
  return {
    text: `${mark} ${step} ${name}${decides ? '  <- decides' : ''}`,
    colour,
    below: [
      ...findings.map((finding) => ({ text: findingText(finding) })),
      ...missing.map((each) => ({ text: missingText(each), colour: 'red' as const })),
    ],
  };
}

/** grant -> role -> inherited role -> permission, each below the one before. */
function derivationBranch({ effect, from, roles, by }: Derivation): Branch {
  const end = by ? `${effect} ${by.kind === 'exact' ? '' : 'by pattern '}${safe(by.name)}` : effect;
  const colour = effect === 'ALLOW' ? 'green' : 'red';
  const below = [...linksOf(roles, named), end].reduceRight<readonly Branch[]>(
    (under, text) => [{ text, below: under, colour: under.length === 0 ? colour : undefined }],
    [],
  );
  return { text: sourceHead(from), below };
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
        ...branchesOf(granted, ({ from, roles: path, relation, period }) => {
          const when = period === 'holds' ? '' : `, and ${STATES[period]}`;
          return {
            text: `${linksOf(path, short).join(', ')} ${sourceText(from)}: ${RELATIONS[relation]}${when}`,
          };
        }),
        ...unread,
      ]),
      section(
        'groups here or above that the subject is not in',
        branchesOf(groups, ({ group, scope, role }) => ({
          text: `${named(group)} at ${short(scope)}: carries role ${short(role)}`,
        })),
      ),
      section(
        'roles that can be granted here, those that name the permission first',
        branchesOf(roles, ({ role, by }) => ({ text: `${named(role)}: allows ${safe(by)}` })),
      ),
    ],
  };
}
