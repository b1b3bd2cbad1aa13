import { wantsColours } from '../context.ts';
import { OK, REFUSED } from '../exit-codes.ts';
import { formatPlan, planData } from '../manifest/print.ts';
import { type ManifestOptions, planFile, withManifestOptions } from '../manifest/shared.ts';
import { asJson } from '../print.ts';
import type { Subcommand } from '../subcommand.ts';

const HELP = `
Examples:
  gatehouse plan school.manifest.yaml
  gatehouse plan school.manifest.yaml --prune --json`;

/** `gatehouse plan`: what an apply of a manifest would do. */
export const addPlan: Subcommand = (program, around, finish) => {
  const command = program
    .command('plan')
    .summary('what would a manifest change?')
    .description('Compares a manifest (tenants in YAML or JSON) with the table, and writes nothing.')
    .argument('<file>', 'YAML or JSON');
  withManifestOptions(command)
    .addHelpText('after', HELP)
    .action(async (path: string, options: ManifestOptions) => {
      const { plan, table, place, file } = await planFile(path, options, around);
      const colours = wantsColours(around);
      const printing = { colours, all: options.all === true, place, file: file.source.file };
      around.out(options.json ? asJson(planData(plan, table)) : formatPlan(plan, printing));
      finish(plan.changes.length === 0 ? OK : REFUSED);
    });
};
