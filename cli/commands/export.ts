import { stringify } from 'yaml';
import { isRef } from '../../table/identifiers.ts';
import type { ConnectionOptions } from '../connection.ts';
import { UsageError } from '../context.ts';
import { OK } from '../exit-codes.ts';
import { exportManifest } from '../manifest/export.ts';
import { queriesThrough } from '../manifest/queries.ts';
import { connectTo } from '../manifest/shared.ts';
import { assertWritable, writeNewFile } from '../output-file.ts';
import { asJson } from '../print.ts';
import { apiOf } from '../routes/routes.ts';
import type { Subcommand } from '../subcommand.ts';

interface ExportCommandOptions extends ConnectionOptions {
  readonly root: readonly string[];
  readonly api: readonly string[];
  readonly ids: boolean;
  readonly json?: boolean;
  readonly output?: string;
}

const HELP = `
Examples:
  gatehouse export --api school > school.manifest.yaml
  gatehouse export --json                        (JSON instead of YAML)
  gatehouse export --root tenant:01M7YAMY51QT61RYW2RQE37W98 --output school.manifest.yaml
  gatehouse export --root tenant:01M7YAMY51QT61RYW2RQE37W98 --no-ids     (for a tenant like it)`;

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** `gatehouse export`: a manifest of what is there. */
export const addExport: Subcommand = (program, around, finish) => {
  const command = program
    .command('export')
    .summary('write a manifest of what is there')
    .description('Writes tenants as a manifest, which makes the same of an empty table (gatehouse apply).')
    .option('--root <ref>', 'a tenant, as tenant:ID, as often as needed; all unless given', collect, [])
    .option(
      '--api <name>',
      'the routes of an API, as often as needed; those of default unless given',
      collect,
      [],
    )
    .option('--no-ids', 'leave out the ids')
    .option('--output <file>', 'write there; a file that is there stays as it is');
  command.addHelpText('after', HELP).action(async (options: ExportCommandOptions) => {
    const wrong = options.root.find((ref) => !isRef(ref));
    if (wrong !== undefined) throw new UsageError(`--root ${wrong} is not type:ID, as tenant:ID`);
    for (const api of options.api) apiOf({ api });
    if (options.output !== undefined) assertWritable(options.output, true);
    const { deliver } = await connectTo(options, around);
    const { manifest, notes } = await exportManifest(queriesThrough(deliver), {
      roots: options.root.length === 0 ? undefined : options.root,
      apis: options.api.length === 0 ? ['default'] : options.api,
      ids: options.ids,
    });
    const text = options.json
      ? asJson(manifest)
      : stringify(manifest, { lineWidth: 0, flowCollectionPadding: true });
    if (options.output === undefined) around.out(text);
    else writeNewFile(options.output, text);
    for (const note of notes) around.error(`note: ${note}\n`);
    finish(OK);
  });
};
