import { stringify } from 'yaml';
import { type Exported, exportManifest, partsOf } from '../../provisioning/index.ts';
import { off, repeated, text } from '../options.ts';
import { assertWritable, writeNewFile, writeNewFolder } from '../output-file.ts';
import { asJson } from '../print.ts';
import { openSender } from '../provisioning.ts';
import { referenceOf } from '../references.ts';
import { apiOf } from '../routes/routes.ts';
import { subcommand } from '../subcommand.ts';

/** `gatehouse export`: a manifest of what is in the table. */
export const addExport = subcommand({
  name: 'export',
  summary: 'write the tenants of the table as a manifest',
  description:
    'Writes tenants as a manifest. gatehouse apply of it makes the same tenants in an empty table.',
  options: {
    root: repeated(
      '<tenant>',
      'only this tenant, by its name or as tenant:ID; may be repeated (default: all)',
    ),
    api: repeated('<name>', 'the routes of this API; may be repeated (default: the API named default)'),
    ids: off('leave out the ids, so that apply creates new ones'),
    output: text(
      '<file>',
      'write to this new file instead of the standard output; to a folder of that name what is too large for one file',
    ),
  },
  examples: `  gatehouse export --api school > school.manifest.yaml
  gatehouse export --json                        (JSON instead of YAML)
  gatehouse export --root Northwind --output school.manifest.yaml
  gatehouse export --root tenant:01M7YAMY51QT61RYW2RQE37W98 --no-ids     (as a template for another tenant)`,
  run: async (_, options, around) => {
    const { output, api, ids, json } = options;
    for (const name of api) apiOf({ api: name });
    if (output !== undefined) assertWritable(output, true);
    const { find, list, names } = await openSender(options, around);
    const roots = await Promise.all(
      options.root.map((root) => referenceOf(names, { label: '--root', kind: 'scope' }, root)),
    );
    const { manifest, notes } = await exportManifest(
      { read: find, list },
      {
        roots: roots.length === 0 ? undefined : roots,
        apis: api.length === 0 ? ['default'] : api,
        ids,
      },
    );
    const textOf = (each: Exported['manifest']): string =>
      json ? asJson(each) : stringify(each, { lineWidth: 0, flowCollectionPadding: true });
    const parts = partsOf(manifest);
    if (output === undefined) around.out(textOf(manifest));
    else if (parts.length === 1) writeNewFile(output, textOf(manifest));
    else writeNewFolder(output, parts.map(textOf), json ? 'json' : 'yaml');
    const large =
      output === undefined
        ? 'this is too large for gatehouse apply as one file: give --output, which makes a folder of it'
        : `too large for one file: ${output} is a folder of ${parts.length} files, for gatehouse plan and apply`;
    return { notes: parts.length === 1 ? notes : [...notes, large] };
  },
});
