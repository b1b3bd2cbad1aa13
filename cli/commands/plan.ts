import { OK, REFUSED, wantsColours } from '../context.ts';
import { planManifest, readManifestFile } from '../manifest/plan.ts';
import { formatPlan, planData } from '../manifest/print.ts';
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

const HELP = `
Examples:
  gatehouse plan school.manifest.yaml
  gatehouse plan school.manifest.yaml --prune --json

Exit codes:
  0  nothing to do: the table has what the file says
  1  there is something to do
  2  the file is wrong, wrong use, or a fault`;

/** `gatehouse plan`: what an apply of a manifest would do. */
export const addPlan: Subcommand = (program, around, finish) => {
  const command = program
    .command('plan')
    .summary('what would a manifest change?')
    .description('Compares a manifest (tenants in YAML or JSON) with the table, and writes nothing.')
    .argument('<file>', 'YAML or JSON');
  withManifestOptions(command)
    .addHelpText('after', HELP)
    .action(async (file: string, options: ManifestOptions) => {
      const read = await readManifestFile(file);
      const { provision, table, place } = connectTo(options, around);
      assertTable(read, table);
      const reading = telling(provision, around);
      const plan = await planManifest(read, reading, pruningOf(options)).finally(reading.end);
      const printing = { colours: wantsColours(around), all: options.all === true, place };
      around.out(options.json ? asJson(planData(plan, table)) : formatPlan(plan, printing));
      finish(plan.steps.length === 0 ? OK : REFUSED);
    });
};
