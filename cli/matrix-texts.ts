import { cellsByPlace, EFFECT_SIGNS, type Matrix, signsOf } from '../provisioning/index.ts';
import { csvLine } from './bulk/csv-line.ts';
import { plain } from './print.ts';

/** A matrix of roles and permissions as a document and as a table for spreadsheets. */

type Cell = Matrix['cells'][number];

const LEGEND =
  '✓ ALLOW, ✕ DENY. ↑ inherited, ≈ by a pattern, ? on a condition. → which one wins where a role has both.';

const COMBINATIONS = {
  'allow-overrides': 'Effects combine by allow-overrides: one ALLOW is enough, whichever role it comes from.',
  'deny-overrides': 'Effects combine by deny-overrides: one DENY refuses, whichever role it comes from.',
} as const;

function signsIn({ marks, wins }: Cell): string {
  const winner = wins ? ` → ${EFFECT_SIGNS[wins.effect]}${wins.onCondition ? '?' : ''}` : '';
  return `${[...new Set(marks.map(signsOf))].join(' ')}${winner}`;
}

/** A text in which nothing is markup. */
const escaped = (text: string): string => plain(text).replace(/[\\`*_[\]<>#|!~&]/g, '\\$&');

/** A text as code, whatever backticks it has. */
function asCode(text: string): string {
  const shown = plain(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}

const tableRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** GitHub Flavored Markdown: a table, what its signs mean, and the conditions. */
export function matrixMarkdown(matrix: Matrix): string {
  const { scope, combination, roles, permissions, cells } = matrix;
  const cellAt = cellsByPlace(matrix.cells);
  const labels = new Map(roles.map(({ id, label }) => [id, label]));
  const titles = roles.map(({ label, inherits }) =>
    inherits === undefined ? escaped(label) : `${escaped(label)} ↑ ${escaped(inherits)}`,
  );
  const rows = permissions.map(({ name }) =>
    // A pipe ends a cell within code too.
    [
      asCode(name).replaceAll('|', '\\|'),
      ...roles.map(({ id }) => {
        const cell = cellAt(name, id);
        return cell ? signsIn(cell) : '';
      }),
    ],
  );
  const conditional = cells.filter(({ marks }) => marks.some(({ when }) => when !== undefined));
  const lines = [
    `# Roles and permissions${scope ? ` of ${escaped(scope.name)} (${escaped(scope.ref)})` : ' of no tenant'}`,
    '',
    tableRow(['permission', ...titles]),
    tableRow(['---', ...titles.map(() => '---')]),
    ...rows.map(tableRow),
    '',
    LEGEND,
    '',
    `${COMBINATIONS[combination]}${scope ? '' : ' A tenant may choose deny-overrides.'}`,
    ...(conditional.length === 0 ? [] : ['', '## Conditions', '']),
    ...conditional.map(
      ({ role, permission, text }) =>
        `- ${asCode(permission)}, ${escaped(labels.get(role) ?? role)}: ${asCode(text)}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** CSV: a row for each permission, a column for each role, each cell in words. */
export function matrixCsv(matrix: Matrix): string {
  const { roles, permissions } = matrix;
  const cellAt = cellsByPlace(matrix.cells);
  const lines = [
    ['permission', 'kind', 'description', ...roles.map(({ label }) => label)],
    ...permissions.map(({ name, kind, description = '' }) => [
      name,
      kind,
      description,
      ...roles.map(({ id }) => cellAt(name, id)?.text ?? ''),
    ]),
  ];
  return lines.map((cells) => csvLine(cells.map(plain))).join('');
}
