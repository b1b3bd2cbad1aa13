import { confirm } from '../ask.ts';
import { OK, REFUSED, wantsColours } from '../context.ts';
import { applyPlan } from '../manifest/apply.ts';
import { planManifest, readManifestFile } from '../manifest/plan.ts';
import { countsOf, formatDangers, formatPlan, planData, progressOn } from '../manifest/print.ts';
import {
  assertTable,
  connectTo,
  type ManifestOptions,
  pruningOf,
  telling,
  withManifestOptions,
} from '../manifest/shared.ts';
import { asJson } from '../print.ts';
import type { Subcommand } from '../subcommand.ts';

interface ApplyOptions extends ManifestOptions {
  readonly yes?: boolean;
}

const HELP = `
Shows the plan and carries it out, one transaction after the other: what takes away before what
grants. An interrupted apply is run again and goes on where it stopped.

Examples:
  gatehouse apply school.manifest.yaml --yes --actor pipeline
  gatehouse apply school.manifest.yaml --prune     (asks first)

Exit codes:
  0  the table has what the file says
  1  nothing was done: --yes is needed, or the answer was not yes
  2  the file is wrong, wrong use, or a fault; what was done is told`;

/** `gatehouse apply`: makes the table have what a manifest says. */
export const addApply: Subcommand = (program, around, finish) => {
  const command = program
    .command('apply')
    .summary('make the table have what a manifest says')
    .description('Carries out what gatehouse plan shows for a manifest (tenants in YAML or JSON).')
    .argument('<file>', 'YAML or JSON')
    .option('--yes', 'without asking, where nobody can be asked, and what is dangerous or removes');
  withManifestOptions(command)
    .addHelpText('after', HELP)
    .action(async (file: string, options: ApplyOptions) => {
      const read = await readManifestFile(file);
      const { provision, table, place, actor } = connectTo(options, around);
      assertTable(read, table);
      const reading = telling(provision, around);
      const plan = await planManifest(read, reading, pruningOf(options)).finally(reading.end);
      const printing = { colours: wantsColours(around), all: options.all === true, place };
      if (!options.json) around.out(formatPlan(plan, printing));
      const { dangerous, remove } = countsOf(plan);
      const why = [
        ...(around.isTerminal ? [] : ['this is no terminal']),
        ...(dangerous > 0 ? ['some of it is dangerous'] : []),
        ...(remove > 0 ? ['some of it removes'] : []),
      ];
      if (plan.steps.length > 0 && options.yes !== true && why.length > 0) {
        const terminal = around.isTerminal && !options.json ? around.terminal : undefined;
        if (terminal) around.out(formatDangers(plan, printing));
        if (!terminal || !(await confirm(terminal, 'Apply this?'))) {
          if (options.json) around.out(asJson({ ...planData(plan, table), applied: false }));
          const reason = terminal ? 'the answer was not yes' : `${why.join(', ')}: give --yes to do it`;
          around.error(`gatehouse apply: nothing was done: ${reason}\n`);
          return finish(REFUSED);
        }
      }
      let isInterrupted = false;
      const ignore = around.onInterrupt?.(() => {
        isInterrupted = true;
      });
      try {
        const onProgress = progressOn(around.isTerminal, around.error, around.now);
        await applyPlan(plan, { provision, actor, onProgress, isInterrupted: () => isInterrupted });
      } finally {
        ignore?.();
      }
      if (options.json) around.out(asJson({ ...planData(plan, table), applied: true }));
      else if (plan.steps.length > 0) around.out(`done: ${plan.steps.length} steps\n`);
      finish(OK);
    });
};
