import { idsOf } from '../../provisioning/apply/saved-plan.ts';
import { wantsColours } from '../context.ts';
import { OK, REFUSED } from '../exit-codes.ts';
import { addHelpTexts } from '../help.ts';
import { writePlan } from '../manifest/plan-file.ts';
import { formatPlan, planData } from '../manifest/print.ts';
import { losersKnown, type ManifestOptions, planFile, withManifestOptions } from '../manifest/shared.ts';
import { assertWritable } from '../output-file.ts';
import { asJson } from '../print.ts';
import type { Subcommand } from '../subcommand.ts';

const EXAMPLES = `  gatehouse plan school.manifest.yaml
  gatehouse plan school.manifest.yaml --prune --json
  gatehouse plan school.manifest.yaml --prune --out school.plan && gatehouse apply school.plan`;

/** `gatehouse plan`: what an apply of a manifest would change. */
export const addPlan: Subcommand = (program, around, finish) => {
  const command = program
    .command('plan')
    .summary('show what a manifest would change')
    .description(
      'Shows what gatehouse apply would change in the table for a manifest. It writes nothing to the table.',
    )
    .argument('<file>', 'a manifest, or a plan of --out, to check whether it is still current')
    .option('--out <file>', 'also write the plan to a new file, for gatehouse apply');
  addHelpTexts(withManifestOptions(command), { examples: EXAMPLES }).action(
    async (path: string, options: ManifestOptions & { readonly out?: string }) => {
      const { out } = options;
      if (out !== undefined) assertWritable(out, true);
      const { plan, table, place, file, input, deliver } = await planFile(path, options, around);
      if (out !== undefined)
        writePlan(out, {
          ...{ place, madeAt: new Date(around.now()).toISOString() },
          ...{ prune: input.prune === true, pruneShared: input.pruneShared === true },
          changes: [...(await idsOf(plan.changes))],
          manifest: file.source.data as Record<string, unknown>,
        });
      const colours = wantsColours(around);
      const known = await losersKnown(deliver, plan);
      const printing = { colours, all: options.all === true, place, file: file.source.file, known };
      around.out(options.json ? asJson(planData(plan, table)) : formatPlan(plan, printing));
      finish(plan.changes.length === 0 ? OK : REFUSED);
    },
  );
};
