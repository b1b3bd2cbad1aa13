import { stringify } from 'yaml';
import { type Exported, exportManifest, partsOf } from '../../provisioning/index.ts';
import type { ConnectionOptions } from '../connection-options.ts';
import { OK } from '../exit-codes.ts';
import { addHelpTexts } from '../help.ts';

import { queriesThrough } from '../manifest/queries.ts';
import { connectTo } from '../manifest/shared.ts';
import { assertWritable, writeNewFile, writeNewFolder } from '../output-file.ts';
import { asJson } from '../print.ts';
import { namesThrough, referenceOf } from '../references.ts';
import { apiOf } from '../routes/routes.ts';
import type { Subcommand } from '../subcommand.ts';

interface ExportCommandOptions extends ConnectionOptions {
  readonly root: readonly string[];
  readonly api: readonly string[];
  readonly ids: boolean;
  readonly json?: boolean;
  readonly output?: string;
}

const EXAMPLES = `  gatehouse export --api school > school.manifest.yaml
  gatehouse export --json                        (JSON instead of YAML)
  gatehouse export --root Northwind --output school.manifest.yaml
  gatehouse export --root tenant:01M7YAMY51QT61RYW2RQE37W98 --no-ids     (as a template for another tenant)`;

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** `gatehouse export`: a manifest of what is in the table. */
export const addExport: Subcommand = (program, around, finish) => {
  const command = program
    .command('export')
    .summary('write the tenants of the table as a manifest')
    .description(
      'Writes tenants as a manifest. gatehouse apply of it makes the same tenants in an empty table.',
    )
    .option(
      '--root <tenant>',
      'only this tenant, by its name or as tenant:ID; may be repeated (default: all)',
      collect,
      [],
    )
    .option(
      '--api <name>',
      'the routes of this API; may be repeated (default: the API named default)',
      collect,
      [],
    )
    .option('--no-ids', 'leave out the ids, so that apply creates new ones')
    .option(
      '--output <file>',
      'write to this new file instead of the standard output; to a folder of that name what is too large for one file',
    );
  addHelpTexts(command, { examples: EXAMPLES }).action(async (options: ExportCommandOptions) => {
    for (const api of options.api) apiOf({ api });
    if (options.output !== undefined) assertWritable(options.output, true);
    const { deliver } = await connectTo(options, around);
    const queries = queriesThrough(deliver);
    const names = namesThrough(queries.read);
    const roots = await Promise.all(
      options.root.map((root) => referenceOf(names, { label: '--root', kind: 'scope' }, root)),
    );
    const { manifest, notes } = await exportManifest(queries, {
      roots: roots.length === 0 ? undefined : roots,
      apis: options.api.length === 0 ? ['default'] : options.api,
      ids: options.ids,
    });
    const textOf = (each: Exported['manifest']): string =>
      options.json ? asJson(each) : stringify(each, { lineWidth: 0, flowCollectionPadding: true });
    const parts = partsOf(manifest);
    const { output } = options;
    if (output === undefined) around.out(textOf(manifest));
    else if (parts.length === 1) writeNewFile(output, textOf(manifest));
    else writeNewFolder(output, parts.map(textOf), options.json ? 'json' : 'yaml');
    const large =
      parts.length === 1
        ? []
        : [
            output === undefined
              ? 'this is too large for gatehouse apply as one file: give --output, which makes a folder of it'
              : `too large for one file: ${output} is a folder of ${parts.length} files, for gatehouse plan and apply`,
          ];
    for (const note of [...notes, ...large]) around.error(`note: ${note}\n`);
    finish(OK);
  });
};
