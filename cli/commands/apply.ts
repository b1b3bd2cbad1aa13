import { assertNoneErased } from '../../provisioning/apply/erased.ts';
import { confirm } from '../ask.ts';
import { NothingDoneError, wantsColours } from '../context.ts';
import { OK, REFUSED } from '../exit-codes.ts';
import { addHelpTexts } from '../help.ts';
import { applyFile, leftAfter } from '../manifest/apply.ts';
import { formatDangers, formatLeft, formatPlan, leftData, planData, progressOn } from '../manifest/print.ts';
import { losersKnown, type ManifestOptions, planFile, withManifestOptions } from '../manifest/shared.ts';
import { asJson } from '../print.ts';
import type { Subcommand } from '../subcommand.ts';

interface ApplyOptions extends ManifestOptions {
  readonly again?: boolean;
  readonly yes?: boolean;
}

const EXAMPLES = `  gatehouse apply school.manifest.yaml
  gatehouse apply school.manifest.yaml --yes --actor pipeline
  gatehouse apply school.manifest.yaml --prune     (asks first)
  gatehouse apply school.plan --yes                (exactly the plan that gatehouse plan --out wrote)`;

const NOTES = `It shows the plan and applies it, one transaction after another. Changes that
take access away come before those that grant it. If an apply is interrupted,
run it again: it continues where it stopped. While another apply of the same
tenant is under way, it is refused. In the end it compares once more.`;

/** `gatehouse apply`: changes the table to match a manifest. */
export const addApply: Subcommand = (program, around, finish) => {
  const command = program
    .command('apply')
    .summary('change the table to match a manifest')
    .description('Changes the table to match a manifest: tenants, roles and people in one YAML or JSON file.')
    .argument('<file>', 'a manifest, or a plan that gatehouse plan --out wrote')
    .option('--again', 'also create users who were erased: it brings them back')
    .option('--yes', 'do not ask; required without a terminal if a step removes something or is dangerous');
  addHelpTexts(withManifestOptions(command), { examples: EXAMPLES, notes: NOTES }).action(
    async (path: string, options: ApplyOptions) => {
      const planned = await planFile(path, options, around);
      const { plan, table, place, file } = planned;
      const colours = wantsColours(around);
      const known = await losersKnown(planned.deliver, plan);
      const printing = { colours, all: options.all === true, place, file: file.source.file, known };
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
      if (steps > 0) await applyFile(planned, onProgress, around, options.again === true);
      const left = steps > 0 ? await leftAfter(planned) : [];
      if (options.json) around.out(asJson({ ...planData(plan, table), applied: true, ...leftData(left) }));
      else if (steps > 0) around.out(`done: ${steps} steps\n`);
      if (left.length > 0 && !options.json) around.error(formatLeft(left, colours));
      finish(left.length > 0 ? REFUSED : OK);
    },
  );
};
