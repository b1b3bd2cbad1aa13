import { type Paint, painter } from '../context.ts';
import { count, plain, section } from '../print.ts';
import type { PlannedManifest } from './plan.ts';
import type { Kept, Step } from './steps.ts';

/** A plan, and how it is carried out, for people and for programs. */
const SIGNS = { create: '+', change: '~', remove: '-' } as const;
const KINDS_AT_MOST = 40;

const stepLine = (paint: Paint, { verb, kind, label, details, danger }: Step): string => {
  const line = plain(
    `${SIGNS[verb]} ${kind} ${label.startsWith(`${kind} `) ? label.slice(kind.length + 1) : label}${details.length > 0 ? `: ${details.join(', ')}` : ''}${danger === undefined ? '' : ` (${danger})`}`,
  );
  if (danger !== undefined || verb === 'remove') return paint('red', line);
  return verb === 'create' ? paint('green', line) : line;
};

/** Lines, of each kind only the first ones unless all are asked for. */
function shortened(steps: readonly Step[], paint: Paint, all: boolean): readonly string[] {
  const byKind = new Map<string, Step[]>();
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

const keptLines = (kept: readonly Kept[], all: boolean): readonly string[] => {
  const lines = kept.map(({ kind, label }) =>
    plain(`${kind} ${label.startsWith(`${kind} `) ? label.slice(kind.length + 1) : label}`),
  );
  if (all || lines.length <= KINDS_AT_MOST) return lines;
  return [...lines.slice(0, KINDS_AT_MOST), `… and ${lines.length - KINDS_AT_MOST} more: see --all`];
};

export const countsOf = ({ steps, kept, unchanged }: PlannedManifest) => ({
  create: steps.filter(({ verb }) => verb === 'create').length,
  change: steps.filter(({ verb }) => verb === 'change').length,
  remove: steps.filter(({ verb }) => verb === 'remove').length,
  dangerous: steps.filter(({ danger }) => danger !== undefined).length,
  kept: kept.length,
  unchanged,
});

export interface PrintOptions {
  readonly colours: boolean;
  readonly all: boolean;
  /** Which table it is, for people. */
  readonly place: string;
}

export function formatPlan(plan: PlannedManifest, { colours, all, place }: PrintOptions): string {
  const paint = painter(colours);
  const { steps, kept, file } = plan;
  const counts = countsOf(plan);
  const plainSteps = (verb: Step['verb']) =>
    shortened(
      steps.filter((step) => step.verb === verb && step.danger === undefined),
      paint,
      all,
    );
  const lines = [
    plain(`${file.source.file} for ${place}`),
    ...section(
      'dangerous',
      steps.filter(({ danger }) => danger !== undefined).map((step) => stepLine(paint, step)),
    ),
    ...section('to remove', plainSteps('remove')),
    ...section('to change', plainSteps('change')),
    ...section('to create', plainSteps('create')),
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
    '',
    steps.length === 0
      ? paint('green', `nothing to do: ${count(counts.unchanged, 'thing')} as the file says`)
      : `${counts.create} to create, ${counts.change} to change, ${counts.remove} to remove; ${counts.dangerous} dangerous; ${counts.unchanged} as they should be`,
  ];
  return `${lines.join('\n')}\n`;
}

/** What somebody has to look at twice before they agree, once more below a plan that may be long. */
export function formatDangers({ steps }: PlannedManifest, { colours, all }: PrintOptions): string {
  const paint = painter(colours);
  const dangerous = steps.filter(({ danger }) => danger !== undefined);
  const removals = steps.filter(({ verb, danger }) => verb === 'remove' && danger === undefined);
  const lines = [
    ...section('this is dangerous', shortened(dangerous, paint, all)),
    ...section('this is removed', shortened(removals, paint, all)),
  ];
  return `${lines.join('\n')}\n\n`;
}

export const planData = (plan: PlannedManifest, table: string | undefined) => ({
  ...(table === undefined ? {} : { table }),
  ...countsOf(plan),
  steps: plan.steps.map(({ verb, kind, label, details, danger, command, input }) => ({
    ...{ verb, kind, label, details, command, input },
    ...(danger === undefined ? {} : { danger }),
  })),
  keeps: plan.kept,
});

const WIDTH = 30;
const EVERY_MS = 5_000;

/** Shows how far an apply is: a bar on a terminal, a line now and then elsewhere. */
export function progressOn(isTerminal: boolean, write: (text: string) => void, now: () => number) {
  let told = now();
  const began = told;
  return (done: number, all: number, { verb, kind }: Step): void => {
    const at = now();
    const isLast = done === all;
    if (!isLast && at - told < (isTerminal ? 100 : EVERY_MS)) return;
    told = at;
    const seconds = Math.round((at - began) / 1000);
    if (!isTerminal) {
      write(`${done} of ${all} steps, ${seconds} s\n`);
      return;
    }
    const filled = Math.round((WIDTH * done) / all);
    const bar = `${'='.repeat(filled)}${' '.repeat(WIDTH - filled)}`;
    write(`\r[${bar}] ${done}/${all} ${seconds} s  ${verb} ${kind}\u001b[K${isLast ? '\n' : ''}`);
  };
}
