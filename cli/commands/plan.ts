import { wantsColours } from '../context.ts';
import { OK, REFUSED } from '../exit-codes.ts';
import { idsOf, writePlan } from '../manifest/plan-file.ts';
import { formatPlan, planData } from '../manifest/print.ts';
import { type ManifestOptions, planFile, withManifestOptions } from '../manifest/shared.ts';
import { assertWritable } from '../output-file.ts';
import { asJson } from '../print.ts';
import type { Subcommand } from '../subcommand.ts';

const HELP = `
Examples:
  gatehouse plan school.manifest.yaml
  gatehouse plan school.manifest.yaml --prune --json
  gatehouse plan school.manifest.yaml --prune --out school.plan && gatehouse apply school.plan`;

/** `gatehouse plan`: what an apply of a manifest would do. */
export const addPlan: Subcommand = (program, around, finish) => {
  const command = program
    .command('plan')
    .summary('what would a manifest change?')
    .description('Compares a manifest (tenants in YAML or JSON) with the table, and writes nothing.')
    .argument('<file>', 'YAML or JSON, or a plan of --out: whether it still holds')
    .option('--out <file>', 'write the plan to a new file too, for gatehouse apply');
  withManifestOptions(command)
    .addHelpText('after', HELP)
    .action(async (path: string, options: ManifestOptions & { readonly out?: string }) => {
      const { out } = options;
      if (out !== undefined) assertWritable(out, true);
      const { plan, table, place, file, input } = await planFile(path, options, around);
      if (out !== undefined)
        writePlan(out, {
          ...{ place, madeAt: new Date(around.now()).toISOString() },
          ...{ prune: input.prune === true, pruneShared: input.pruneShared === true },
          changes: [...(await idsOf(plan.changes))],
          manifest: file.source.data as Record<string, unknown>,
        });
      const colours = wantsColours(around);
      const printing = { colours, all: options.all === true, place, file: file.source.file };
      around.out(options.json ? asJson(planData(plan, table)) : formatPlan(plan, printing));
      finish(plan.changes.length === 0 ? OK : REFUSED);
    });
};
