import {
  type AccessDifference,
  type AccessRow,
  type AccessSide,
  type Leaves,
  peopleText,
} from '../provisioning/index.ts';
import type { KnownAs, Referred } from './known-as.ts';
import { count, plain } from './print.ts';

/** Who loses and who gains what, for people. */

/** The people whom the lines name. */
export const losersIn = ({ rows }: AccessSide): readonly Referred[] =>
  rows
    .slice(0, ROWS)
    .flatMap(({ subjects }) => subjects.slice(0, PEOPLE))
    .map((ref) => ({ ref, kind: 'subject' }));

const ROWS = 10;
/** People of one row who are named. */
const PEOPLE = 10;
const NAMES = 3;

function rowText(
  { scope, name, people, scopesBelow, ...row }: AccessRow,
  known: KnownAs,
  verb: 'lose' | 'gain' = 'lose',
): string {
  const names = row.permissions.slice(0, NAMES);
  const rest = row.permissions.length - names.length + row.morePermissions;
  const what = `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  const where = name === undefined ? scope : `${name} (${scope})`;
  const below = scopesBelow === 0 ? '' : ` and ${count(scopesBelow, 'scope')} below`;
  const named = row.subjects.slice(0, PEOPLE).map((ref) => known({ ref, kind: 'subject' }));
  const others = people - named.length;
  const listed = `${named.join(', ')}${others > 0 ? ` and ${others.toLocaleString('en')} more` : ''}`;
  const who = `${listed} ${verb}${people === 1 ? 's' : ''}`;
  return plain(`${who} ${what} at ${where}${below}`);
}

/** Lines of the first rows, and how many more there are. */
function firstOf<T>(
  { rows, moreRows }: { readonly rows: readonly T[]; readonly moreRows: number },
  lineOf: (row: T) => string,
): readonly string[] {
  const rest = Math.max(0, rows.length - ROWS) + moreRows;
  return [...rows.slice(0, ROWS).map(lineOf), ...(rest > 0 ? [`  … and ${rest} more like these`] : [])];
}

/** Who is refused while a plan is carried out, and how it is avoided. */
export const betweenLines = (between: AccessSide | undefined, known: KnownAs): readonly string[] =>
  between === undefined
    ? []
    : [
        `who is refused in between: ${peopleText(between, false)}`,
        ...between.rows.slice(0, ROWS).map((row) => `  ${rowText(row, known)}`),
        '  with the id of the old entry, a new name is one change, and nobody is refused',
      ];

/** What stays and names a scope that is deleted, before and after the deletion. */
export const leftLines = (leaves: Leaves): readonly string[] => [
  'what stays, refuses everybody from then on, and goes to whoever creates that id again:',
  ...firstOf(leaves, ({ kind, label, scope }) =>
    plain(`  ${kind === 'route' ? '' : 'resource type '}${label} at ${scope}`),
  ),
];

/** The rows of those who gain something. */
export const gainLines = (side: AccessSide, known: KnownAs): readonly string[] =>
  firstOf(side, (row) => `  ${rowText(row, known, 'gain')}`);

/** The lines of a difference: who loses what, and how many gain something. */
export function accessLines(
  { loses, gains, incomplete, leaves }: AccessDifference,
  known: KnownAs,
): readonly string[] {
  const isLeast = incomplete !== undefined;
  return [
    '',
    `who loses access: ${peopleText(loses, isLeast)}`,
    ...firstOf(loses, (row) => `  ${rowText(row, known)}`),
    ...(gains.people > 0 ? [`who gains access: ${peopleText(gains, isLeast)}`] : []),
    ...(leaves === undefined ? [] : leftLines(leaves)),
    ...(incomplete === undefined ? [] : [plain(`this list is incomplete: ${incomplete}`)]),
  ];
}
