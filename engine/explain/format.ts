import type {
  Explanation,
  Fact,
  Missing,
  Named,
  Nearest,
  Period,
  Relation,
  Some,
  Source,
  Step,
  Way,
} from './explanation.ts';

export interface FormatOptions {
  /** Whether to colour what was allowed and what was refused, for a terminal. */
  readonly colours?: boolean;
}

/** Columns of a line. */
const WIDTH = 100;

/** A line of text with what hangs on it. */
interface Branch {
  readonly text: string;
  readonly below?: readonly Branch[];
  readonly colour?: keyof typeof COLOURS | undefined;
}

const COLOURS = { green: 32, red: 31, dim: 2 } as const;

/**
 * An explanation as a tree for a terminal: printable ASCII only, at most 100 columns, without colours unless asked.
 * Whatever else names hold is escaped: nothing that stands in the table can steer the terminal.
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
    ...ways('allowed by', explanation.allowedBy),
    ...ways(allowed ? 'denied by, but overridden' : 'denied by', explanation.deniedBy),
    ...(explanation.nearest ? [nearestBranch(explanation.nearest)] : []),
  ];
  for (const { text, below = [] } of sections) lines.push('', text, ...draw(below, '', colours));
  return `${lines.join('\n')}\n`;
}

function draw(branches: readonly Branch[], indent: string, colours: boolean): readonly string[] {
  return branches.flatMap(({ text, below = [], colour }, position) => {
    const isLast = position === branches.length - 1;
    const rest = `${indent}${isLast ? '   ' : '|  '}`;
    return [
      ...wrap(text, `${indent}${isLast ? '`- ' : '|- '}`, `${rest}  `, colour, colours),
      ...draw(below, rest, colours),
    ];
  });
}

/** Breaks a text at its spaces, and a word that is longer than a line where it must be. */
function wrap(
  text: string,
  first: string,
  next: string,
  colour?: keyof typeof COLOURS,
  colours = false,
): readonly string[] {
  const rows: string[] = [];
  let start = first;
  let rest = text;
  do {
    const room = WIDTH - start.length;
    const space = rest.length > room ? rest.lastIndexOf(' ', room) : rest.length;
    const end = space > 0 ? space : room;
    const row = rest.slice(0, end);
    const paint = colours && colour !== undefined;
    rows.push(`${start}${paint ? `\u001b[${COLOURS[colour]}m${row}\u001b[0m` : row}`);
    rest = rest.slice(end).trimStart();
    start = next;
  } while (rest !== '');
  return rows;
}

/** Printable ASCII as it is, everything else as `\u{…}`. */
const safe = (text: string): string =>
  text.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

const named = ({ ref, name }: Named): string => (name === ref ? safe(ref) : `${safe(name)} (${safe(ref)})`);
/** The name alone, where the reference stands elsewhere or says nothing. */
const short = ({ name }: Named): string => safe(name);
const chain = (roles: readonly Named[]): string =>
  roles
    .map((role, position) => `${position === 0 ? 'role' : 'inherits from role'} ${short(role)}`)
    .join(', ');

function stepBranch({ step, name, passed, decides, looked, missing }: Step): Branch {
  const mark = passed === null ? '--' : passed ? 'ok' : 'NO';
  const colour = passed === null ? 'dim' : passed ? 'green' : 'red';
  return {
    text: `${mark} ${step} ${name}${decides ? '  <- decides' : ''}`,
    colour,
    below: [
      ...looked.map((fact) => ({ text: factText(fact) })),
      ...missing.map((each) => ({ text: missingText(each), colour: 'red' as const })),
    ],
  };
}

function periodText({ start, end }: Period): string {
  if (start !== undefined && end !== undefined) return ` from ${start} until ${end}`;
  if (start !== undefined) return ` from ${start}`;
  return end === undefined ? '' : ` until ${end}`;
}

function factText(fact: Fact): string {
  switch (fact.kind) {
    case 'subject':
      return `${short(fact.about)} is ${safe(fact.status)}${fact.end === undefined ? '' : `, until ${fact.end}`}`;
    case 'scope':
      return `${short(fact.about)} is ${safe(fact.status)}`;
    case 'permission':
      return `${safe(fact.name)} is ${fact.registered ? '' : 'not '}registered`;
    case 'administrator':
      return fact.is ? 'an administrator' : 'no administrator';
    case 'module':
      if (fact.name === null) return 'of no module: no subscription needed';
      return `module ${safe(fact.name)} is ${fact.sold ? 'sold: a subscription is needed' : 'not sold'}`;
    case 'subscription':
    case 'license': {
      const state =
        fact.state === 'inactive' ? `its status is ${safe(fact.status ?? '')}` : STATES[fact.state];
      return `${fact.kind} for ${short(fact.to)} at ${short(fact.at)}${periodText(fact)}: ${state}`;
    }
    case 'role':
      return `role ${short(fact.role)} ${sourceText(fact.from)}`;
    case 'effects':
      return `ways that allow: ${fact.allow}, that deny: ${fact.deny}`;
    case 'combination':
      return safe(fact.rule);
  }
}

const STATES = { holds: 'holds', ended: 'has ended', not_begun: 'has not begun' } as const;

function missingText(missing: Missing): string {
  switch (missing.code) {
    case 'subject_unknown':
    case 'subject_inactive':
    case 'subject_ended':
    case 'permission_unknown':
      return `${missing.code}: ${safe(missing.detail)}`;
    case 'scope_unknown':
    case 'scope_inactive': {
      const closes = missing.isAncestor ? ', and closes all below it' : '';
      return `${missing.code}: ${short(missing.about)} is ${safe(missing.status)}${closes}`;
    }
    case 'not_subscribed':
      return `${missing.code}: no subscription to ${short(missing.to)} holds here or above`;
    case 'not_licensed':
      return `${missing.code}: no licence for ${short(missing.to)} holds here or above`;
    case 'role_not_in_force':
      return `role ${short(missing.role)} ${sourceText(missing.from)} does not count: ${whyNotText(missing.why)}`;
    case 'no_role':
      return 'no role is in force here';
    case 'no_effect':
      return 'no role in force has anything to say of it';
    case 'no_allow':
      return 'no role in force allows it';
    case 'denied':
      return 'a role denies it';
  }
}

function whyNotText(why: Extract<Missing, { code: 'role_not_in_force' }>['why']): string {
  if (why.code === 'of_another_tenant') return `it belongs to ${short(why.owner)}`;
  return why.code === 'deleted' ? 'it is there no more' : `it ${STATES[why.code]}`;
}

function sourceText(source: Source): string {
  switch (source.kind) {
    case 'group':
      return `through group ${short(source.group)} at ${short(source.scope)}`;
    case 'assignment':
      return `assigned at ${short(source.scope)}${periodText(source)}`;
    case 'grant':
      return `through the grant in ${short(source.scope)}`;
    case 'global_role':
      return 'held everywhere';
    case 'administrator':
      return 'as an administrator';
  }
}

/** user -> group -> role -> inherited role -> permission, one under the other. */
function wayBranch({ effect, from, roles, by }: Way): Branch {
  const end = by ? `${effect} ${by.kind === 'exact' ? '' : 'by pattern '}${safe(by.name)}` : effect;
  const colour = effect === 'ALLOW' ? 'green' : 'red';
  const down = [
    ...roles.map((role, position) => `${position === 0 ? 'role' : 'inherits from role'} ${named(role)}`),
    end,
  ];
  const below = down.reduceRight<readonly Branch[]>(
    (under, text) => [{ text, below: under, colour: under.length === 0 ? colour : undefined }],
    [],
  );
  return { text: sourceHead(from), below };
}

/** As {@link sourceText}, for the head of a branch and with references. */
function sourceHead(source: Source): string {
  switch (source.kind) {
    case 'group':
      return `group ${named(source.group)} at ${named(source.scope)}`;
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

const branchesOf = <T>({ items, more }: Some<T>, show: (one: T) => Branch): readonly Branch[] => [
  ...items.map(show),
  ...(more > 0 ? [{ text: `and ${more} more` }] : []),
];

const ways = (text: string, found: Some<Way>): readonly Branch[] =>
  found.items.length > 0 ? [{ text, below: branchesOf(found, wayBranch) }] : [];

const RELATIONS: Readonly<Record<Relation, string>> = {
  here: 'here',
  above: 'above',
  below: 'below, and grants do not flow up',
  beside: 'elsewhere in this tenant, and grants flow down only',
  other_tenant: 'in another tenant',
};

function nearestBranch({ held, groups, roles, lookedAt }: Nearest): Branch {
  const section = (text: string, below: readonly Branch[]): Branch => ({
    text,
    below: below.length > 0 ? below : [{ text: 'none' }],
  });
  const unread = Object.entries(lookedAt)
    .filter(([, { of, read }]) => read < of)
    .map(([what, { of, read }]) => ({ text: `looked at ${read} of ${of} ${what} held elsewhere` }));
  return {
    text: 'what would have helped',
    below: [
      section('held already, but not in force here', [
        ...branchesOf(held, ({ from, roles: held, relation, period }) => {
          const when = period === 'holds' ? '' : `, and ${STATES[period]}`;
          return { text: `${chain(held)} ${sourceText(from)}: ${RELATIONS[relation]}${when}` };
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
