import {
  brokenLines,
  type PlanAnswer,
  type PlannedChange,
  type Progress,
  planSections,
  stepText,
} from '../../provisioning/index.ts';
import { accessLines, betweenLines } from '../access.ts';
import { type Paint, painter } from '../context.ts';
import type { KnownAs } from '../known-as.ts';
import { count, plain, section } from '../print.ts';

type Kept = PlanAnswer['keeps'];

/** A plan, and how it is carried out, for people and for programs. */
const SIGNS = { create: '+', change: '~', remove: '-' } as const;
const KINDS_AT_MOST = 40;

const stepLine = (paint: Paint, step: PlannedChange): string => {
  const { verb, danger } = step;
  const line = plain(`${SIGNS[verb]} ${stepText(step)}${danger === undefined ? '' : ` (${danger})`}`);
  if (danger !== undefined || verb === 'remove') return paint('red', line);
  return verb === 'create' ? paint('green', line) : line;
};

/** Lines, of each kind only the first ones unless all are asked for. */
function shortened(steps: readonly PlannedChange[], paint: Paint, all: boolean): readonly string[] {
  const byKind = new Map<string, PlannedChange[]>();
  for (const step of steps) byKind.set(step.kind, [...(byKind.get(step.kind) ?? []), step]);
  return [...byKind].flatMap(([kind, of]) => {
    const shown = all ? of : of.slice(0, KINDS_AT_MOST);
    const rest = of.length - shown.length;
    return [
      ...shown.map((step) => stepLine(paint, step)),
      ...(rest > 0 ? [`  … and ${rest} more of kind ${kind}: see --all`] : []),
    ];
  });
}

const keptLines = (kept: Kept, all: boolean): readonly string[] => {
  const lines = kept.map((each) => plain(stepText(each)));
  if (all || lines.length <= KINDS_AT_MOST) return lines;
  return [...lines.slice(0, KINDS_AT_MOST), `… and ${lines.length - KINDS_AT_MOST} more: see --all`];
};

export interface PrintOptions {
  readonly colours: boolean;
  readonly all: boolean;
  readonly file: string;
  /** Which table it is, for people. */
  readonly place: string;
  /** Who loses access, by name. */
  readonly known: KnownAs;
}

export function formatPlan(plan: PlanAnswer, { colours, all, file, place, known }: PrintOptions): string {
  const paint = painter(colours);
  const { changes: steps, keeps: kept } = plan;
  const lines = [
    plain(`${file} for ${place}`),
    // What is dangerous is shown, however much it is.
    ...planSections(steps).flatMap(([title, of]) =>
      section(title.toLowerCase(), shortened(of, paint, all || title === 'Dangerous')),
    ),
    ...section(
      'in the table, not in the file: stays (--prune removes it)',
      keptLines(
        kept.filter(({ shared }) => !shared),
        all,
      ),
    ),
    ...section(
      'in the table, of no tenant, not in the file: stays (--prune-shared removes it, for all tenants)',
      keptLines(
        kept.filter(({ shared }) => shared),
        all,
      ),
    ),
    ...(steps.length === 0 ? [] : [...accessLines(plan.access, known), ...betweenLines(plan.between, known)]),
    ...section(
      'this breaks invariants (--accept NAME --reason TEXT goes on)',
      brokenLines(plan.invariants).map(plain),
    ),
    '',
    ...(plan.warning === undefined ? [] : [plain(`warning: ${plan.warning}`)]),
    steps.length === 0
      ? paint(
          'green',
          `nothing to do: the table has all ${count(plan.unchanged, 'entry', 'entries')} of the file`,
        )
      : countsText(plan),
    ...(plan.dangerous === 0
      ? []
      : ['undo: gatehouse apply of a file that gatehouse export wrote before this']),
  ];
  return `${lines.join('\n')}\n`;
}

/** What somebody has to look at twice before they agree, once more below a plan that may be long. */
export function formatDangers(
  { changes: steps, access }: PlanAnswer,
  { colours, all, known }: PrintOptions,
): string {
  const paint = painter(colours);
  const dangerous = steps.filter(({ danger }) => danger !== undefined);
  const removals = steps.filter(({ verb, danger }) => verb === 'remove' && danger === undefined);
  const lines = [
    ...section('this is dangerous', shortened(dangerous, paint, all)),
    ...section('this is removed', shortened(removals, paint, all)),
    ...accessLines(access, known),
  ];
  return `${lines.join('\n')}\n\n`;
}

const LEFT_AT_MOST = 10;

/** What is left after an apply, for people. */
export function formatLeft(left: readonly PlannedChange[], colours: boolean): string {
  const paint = painter(colours);
  const rest = left.length - LEFT_AT_MOST;
  const lines = [
    `${count(left.length, 'change')} left, because somebody else has changed the table meanwhile; apply the file again to make them:`,
    ...left.slice(0, LEFT_AT_MOST).map((step) => `  ${stepLine(paint, step)}`),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** The same for programs; nothing where nothing is left. */
export const leftData = (left: readonly PlannedChange[]) =>
  left.length === 0 ? {} : { left: { changes: left.length, first: left.slice(0, LEFT_AT_MOST) } };

export const planData = ({ changes, problems: _, ...plan }: PlanAnswer, table: string | undefined) => ({
  table,
  ...plan,
  steps: changes,
});

const COUNTS = ['create', 'change', 'remove', 'dangerous', 'unchanged'] as const;
type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

const countsText = ({ create, change, remove, dangerous, unchanged }: Counts): string =>
  `${create} to create, ${change} to change, ${remove} to remove; ${dangerous} dangerous; ${unchanged} unchanged`;

/** The sums of plans of one folder. */
export const sumOf = (plans: readonly Counts[]): Counts =>
  Object.fromEntries(
    COUNTS.map((key) => [key, plans.reduce((sum, plan) => sum + plan[key], 0)]),
  ) as unknown as Counts;

/** What a folder comes to, for people. What several files name is counted in each of them. */
export const formatSum = (path: string, plans: readonly Counts[]): string =>
  `\n${plain(path)}: ${count(plans.length, 'file')}, ${countsText(sumOf(plans))}\n`;

const WIDTH = 30;
const EVERY_MS = 100;
const EVERY_MS_IN_A_LOG = 10_000;

/** Shows how far an apply is: on a terminal a bar, and in a log a line every ten seconds. */
export function progressOn(
  all: number,
  isTerminal: boolean,
  write: (text: string) => void,
  now: () => number,
) {
  const began = now();
  let shown = began;
  return ({ left }: Progress): void => {
    const at = now();
    const done = all - left;
    const isLast = left === 0;
    if (!(isLast && isTerminal) && at - shown < (isTerminal ? EVERY_MS : EVERY_MS_IN_A_LOG)) return;
    shown = at;
    const seconds = Math.round((at - began) / 1000);
    if (!isTerminal) {
      write(`${done} of ${all} steps are done, ${seconds} s\n`);
      return;
    }
    const filled = Math.round((WIDTH * done) / all);
    const bar = `${'='.repeat(filled)}${' '.repeat(WIDTH - filled)}`;
    write(`\r[${bar}] ${done}/${all} ${seconds} s\u001b[K${isLast ? '\n' : ''}`);
  };
}
