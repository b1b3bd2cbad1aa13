import { confirm } from '../ask.ts';
import { NothingDoneError, wantsColours } from '../context.ts';
import { OK } from '../exit-codes.ts';
import { applyFile } from '../manifest/apply.ts';
import { formatDangers, formatPlan, planData, progressOn } from '../manifest/print.ts';
import { type ManifestOptions, planFile, withManifestOptions } from '../manifest/shared.ts';
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
  gatehouse apply school.plan --yes                (of gatehouse plan --out: that and nothing else)`;

/** `gatehouse apply`: makes the table have what a manifest says. */
export const addApply: Subcommand = (program, around, finish) => {
  const command = program
    .command('apply')
    .summary('make the table have what a manifest says')
    .description('Carries out what gatehouse plan shows for a manifest (tenants in YAML or JSON).')
    .argument('<file>', 'YAML or JSON, or a plan of gatehouse plan --out')
    .option('--yes', 'without asking, where nobody can be asked, and what is dangerous or removes');
  withManifestOptions(command)
    .addHelpText('after', HELP)
    .action(async (path: string, options: ApplyOptions) => {
      const planned = await planFile(path, options, around);
      const { plan, table, place, file } = planned;
      const colours = wantsColours(around);
      const printing = { colours, all: options.all === true, place, file: file.source.file };
      if (!options.json) around.out(formatPlan(plan, printing));
      const { dangerous, remove } = plan;
      const why = [
        ...(around.isTerminal ? [] : ['this is no terminal']),
        ...(dangerous > 0 ? ['some of it is dangerous'] : []),
        ...(remove > 0 ? ['some of it removes'] : []),
      ];
      const steps = plan.changes.length;
      if (steps > 0 && options.yes !== true && why.length > 0) {
        const terminal = around.isTerminal && !options.json ? around.terminal : undefined;
        if (terminal) around.out(formatDangers(plan, printing));
        if (!terminal || !(await confirm(terminal, 'Apply this?'))) {
          const reason = terminal ? 'the answer was not yes' : `${why.join(', ')}: give --yes to do it`;
          const data = { ...planData(plan, table), applied: false };
          throw new NothingDoneError('not_agreed', `nothing was done: ${reason}`, data);
        }
      }
      const onProgress = progressOn(steps, around.isErrorTerminal === true, around.error, around.now);
      if (steps > 0) await applyFile(planned, onProgress, around);
      if (options.json) around.out(asJson({ ...planData(plan, table), applied: true }));
      else if (steps > 0) around.out(`done: ${steps} steps\n`);
      finish(OK);
    });
};
