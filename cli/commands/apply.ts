import { assertNoneErased, type PlanAnswer } from '../../provisioning/index.ts';
import { invalid } from '../../table/errors.ts';
import { confirm } from '../ask.ts';
import { type Context, NothingDoneError } from '../context.ts';
import { applyFile, leftAfter } from '../manifest/apply.ts';
import { assertNotPruned, manifestFiles, ofFiles, throwFor } from '../manifest/files.ts';
import {
  formatDangers,
  formatLeft,
  formatPlan,
  formatSum,
  leftData,
  planData,
  progressOn,
} from '../manifest/print.ts';
import { connectOnce, PLANNING, type Planned, planFile, printingOf } from '../manifest/shared.ts';
import { argument, flag, type GlobalOptions, repeated, text, type ValuesOf } from '../options.ts';
import { subcommand } from '../subcommand.ts';

const OPTIONS = {
  again: flag('also create users who were erased: it brings them back'),
  accept: repeated('<name>', 'go on though it breaks this invariant; needs --reason; may be repeated'),
  reason: text('<text>', 'why an invariant may be broken: the audit log has it'),
  yes: flag('do not ask; required without a terminal if a step removes something or is dangerous'),
  ...PLANNING,
};

/** `gatehouse apply`: changes the table to match a manifest. */
export const addApply = subcommand({
  name: 'apply',
  summary: 'change the table to match a manifest',
  description: 'Changes the table to match a manifest: tenants, roles and people in one YAML or JSON file.',
  arguments: [argument('<file>', 'a manifest, a folder of them, or what gatehouse plan --out wrote')],
  options: OPTIONS,
  examples: `  gatehouse apply school.manifest.yaml
  gatehouse apply school.manifest.yaml --yes --actor pipeline
  gatehouse apply school.manifest.yaml --prune     (asks first)
  gatehouse apply school.plan --yes                (exactly the plan that gatehouse plan --out wrote)`,
  notes: `It shows the plan and applies it, one transaction after another. Changes that
take access away come before those that grant it. If an apply is interrupted,
run it again: it continues where it stopped. While another apply of the same
tenant is under way, it is refused; one that was killed is waited for, at most
a minute. In the end it compares once more.`,
  run: async ([path], options, around) => {
    acceptedBy(options);
    const files = await manifestFiles(path);
    assertNotPruned(path, files, options);
    const connect = connectOnce(options, around);
    const applied: Applied[] = [];
    for (const file of files)
      applied.push(
        await planFile(file, options, connect)
          .then((planned) => applyOne(planned, options, around))
          .catch((error: unknown) =>
            throwFor(
              path,
              files,
              applied.length === 0 ? error : ofFolder(error, file, applied.length, files.length),
            ),
          ),
      );
    const plans = applied.map(({ plan }) => plan);
    const data = applied.map((each) => each.data);
    return {
      data: ofFiles(files, data, plans),
      text: files.length > 1 ? formatSum(path, plans) : '',
      refused: applied.some(({ isLeft }) => isLeft),
    };
  },
});

interface Applied {
  /** Without its changes: of a folder, only one file is held in memory. */
  readonly plan: PlanAnswer;
  /** For programs; undefined without `--json`. */
  readonly data: unknown;
  readonly isLeft: boolean;
}

/** Shows a plan, asks where it has to, and applies it. Throws NothingDoneError where nobody agrees. */
async function applyOne(
  planned: Planned,
  options: ValuesOf<typeof OPTIONS> & GlobalOptions,
  around: Context,
): Promise<Applied> {
  const { plan, table } = planned;
  const printing = await printingOf(planned, options, around);
  if (!options.json) around.out(formatPlan(plan, printing));
  assertNoneErased(plan.changes, options.again === true);
  const { dangerous, remove } = plan;
  const why = [
    ...(around.isTerminal ? [] : ['there is no terminal to ask on']),
    ...(dangerous > 0 ? ['some changes are dangerous'] : []),
    ...(remove > 0 ? ['some changes remove something'] : []),
  ];
  const steps = plan.changes.length;
  if (steps > 0 && options.yes !== true && why.length > 0) {
    const terminal = around.isTerminal && !options.json ? around.terminal : undefined;
    if (terminal) around.out(formatDangers(plan, printing));
    if (!terminal || !(await confirm(terminal, 'Apply this?'))) {
      const reason = terminal ? 'the answer was not yes' : `${why.join(', ')}: add --yes to apply`;
      const data = { ...planData(plan, table), applied: false };
      throw new NothingDoneError('not_agreed', `nothing was done: ${reason}`, data);
    }
  }
  const onProgress = progressOn(steps, around.isErrorTerminal === true, around.error, around.now);
  const onWait = options.json ? () => {} : around.error;
  const given = { again: options.again === true, accept: acceptedBy(options) };
  if (steps > 0) await applyFile(planned, { onProgress, onWait }, around, given);
  const left = steps > 0 ? await leftAfter(planned) : [];
  const data = options.json ? { ...planData(plan, table), applied: true, ...leftData(left) } : undefined;
  if (!options.json && steps > 0) around.out(`done: ${steps} steps\n`);
  if (left.length > 0 && !options.json) around.error(formatLeft(left, printing.colours));
  return { plan: { ...plan, changes: [], keeps: [] }, data, isLeft: left.length > 0 };
}

/** The invariants that may be broken, with the reason. */
function acceptedBy({ accept = [], reason }: ValuesOf<typeof OPTIONS>) {
  if (accept.length > 0 !== (reason !== undefined))
    throw invalid('reason', 'reason: --accept and --reason go together');
  return accept.map((invariant) => ({ invariant, reason: String(reason) }));
}

/** An error of a file after others were applied. */
function ofFolder(error: unknown, file: string, done: number, all: number): unknown {
  if (!(error instanceof NothingDoneError)) return error;
  const what = error.message.replace(/^nothing was done: /, '');
  return new NothingDoneError(
    error.code,
    `${done} of ${all} files are done, and nothing of ${file}: ${what}`,
    error.data,
  );
}
