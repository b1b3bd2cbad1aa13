import { idsOf, type PlanAnswer, savedPlan } from '../../provisioning/index.ts';
import { defined } from '../../table/defined.ts';
import { readEndpoint } from '../connection.ts';
import { UsageError } from '../context.ts';
import { againstLogs } from '../evidence/against.ts';
import { assertNotPruned, manifestFiles, ofFiles, throwFor } from '../manifest/files.ts';
import { formatPlan, formatSum, planData } from '../manifest/print.ts';
import { connectOnce, PLANNING, planFile, printingOf } from '../manifest/shared.ts';
import { argument, repeated, text, whole } from '../options.ts';
import { assertWritable, writeNewFile, writeNewFolder } from '../output-file.ts';
import { asJson } from '../print.ts';
import { subcommand } from '../subcommand.ts';

/** `gatehouse plan`: what an apply of a manifest would change. */
export const addPlan = subcommand({
  name: 'plan',
  summary: 'show what a manifest would change',
  description:
    'Shows what gatehouse apply would change in the table for a manifest. It writes nothing to the table.',
  arguments: [
    argument(
      '<file>',
      'a manifest, a folder of them, or what --out wrote, to check whether it is still current',
    ),
  ],
  options: {
    out: text(
      '<file>',
      'also write the plan to a new file, or of a folder to a new folder, for gatehouse apply',
    ),
    against: repeated(
      '<log...>',
      'also say which decisions of these decision logs it would answer otherwise: files, folders, s3://BUCKET/PREFIX; - is the standard input',
    ),
    days: whole('with --against: how many days to look back (default: all)', 1, 365),
    ...PLANNING,
  },
  examples: `  gatehouse plan school.manifest.yaml
  gatehouse plan school.manifest.yaml --prune --json
  gatehouse plan school.manifest.yaml --against logs/2026/11 s3://audit/decisions/2026/12/
  gatehouse plan school.manifest.yaml --prune --out school.plan && gatehouse apply school.plan`,
  run: async ([path], options, around) => {
    const { out, against: logs, days } = options;
    if (days !== undefined && logs.length === 0)
      throw new UsageError('--days is of --against: name a log, too');
    const files = await manifestFiles(path);
    assertNotPruned(path, files, options);
    if (out !== undefined) assertWritable(out, true);
    const connect = connectOnce(options, around);
    const compared = againstLogs(logs, days, around, readEndpoint(options, around.env).region);
    const plans: PlanAnswer[] = [];
    const data: unknown[] = [];
    const saved: string[] = [];
    for (const each of files) {
      const planned = await planFile(each, options, connect).catch((error: unknown) =>
        throwFor(path, files, error),
      );
      const { plan, table, place, file, input } = planned;
      const against = await compared(planned);
      if (out !== undefined)
        saved.push(
          asJson(
            savedPlan({
              place,
              madeAt: new Date(around.now()).toISOString(),
              prune: input.prune === true,
              pruneShared: input.pruneShared === true,
              changes: [...(await idsOf(plan.changes))],
              manifest: file.source.data as Record<string, unknown>,
            }),
          ),
        );
      plans.push({ ...plan, changes: [], keeps: [] });
      if (options.json) data.push({ ...planData(plan, table), ...defined({ against: against?.data }) });
      else {
        around.out(formatPlan(plan, await printingOf(planned, options, around)));
        if (against) around.out(await against.text());
      }
    }
    const [first = ''] = saved;
    if (out !== undefined && saved.length === 1) writeNewFile(out, first);
    else if (out !== undefined) writeNewFolder(out, saved, 'json');
    const isDone = plans.every(({ create, change, remove }) => create + change + remove === 0);
    return {
      data: ofFiles(files, data, plans),
      text: files.length > 1 ? formatSum(path, plans) : '',
      refused: !isDone,
    };
  },
});
