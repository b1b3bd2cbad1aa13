import { readManifest } from '../../testing/manifest-file.ts';
import { readFileAsDocument } from '../../testing/text-file.ts';
import { type Context, UsageError } from '../context.ts';
import { argument, flag, type GlobalOptions, text } from '../options.ts';
import { readIfThere, writeText } from '../output-file.ts';
import { permissionType } from '../permission-type.ts';
import { openSender } from '../provisioning.ts';
import { subcommand } from '../subcommand.ts';

/** `gatehouse types`: permission names as a type of TypeScript. */
export const addTypes = subcommand({
  name: 'types',
  summary: 'write permission names as a TypeScript type',
  description: 'Writes all pages and permissions as a union type, so that the compiler finds misspelt names.',
  arguments: [argument('[manifests...]', 'manifests, in YAML or JSON (default: the names in the table)')],
  options: {
    out: text('<file>', 'write to this file, and replace it (default: the standard output)'),
    check: flag('write nothing; exit with 1 if the file of --out is not up to date'),
  },
  examples: `  gatehouse types authz/manifest.yaml --out src/permission.ts
  gatehouse types authz/manifest.yaml --out src/permission.ts --check     (in CI)
  gatehouse types --table gatehouse > src/permission.ts`,
  run: async ([manifests], options, around) => {
    const { out, check } = options;
    if (check && out === undefined) throw new UsageError('--check compares a file: name it with --out');
    const names = manifests.length > 0 ? await namesIn(manifests) : await namesOfTable(options, around);
    const type = permissionType(names);
    if (out === undefined) around.out(type);
    else if (!check) writeText(out, type);
    else if (readIfThere(out)?.replaceAll('\r\n', '\n') !== type) {
      around.error(`${out} is not up to date: write it again, by the same command without --check\n`);
      return { refused: true };
    }
    return {};
  },
});

/** Throws ProblemsError for a manifest that is wrong, and {@link UsageError} where none declares a name. */
async function namesIn(files: readonly string[]): Promise<readonly string[]> {
  const names: string[] = [];
  for (const file of files) {
    const { manifest } = readManifest(await readFileAsDocument(file));
    names.push(...Object.keys(manifest.pages), ...Object.keys(manifest.permissions));
  }
  if (names.length > 0) return names;
  throw new UsageError(
    `${files.join(', ')}: no pages and no permissions in it: name the manifest that declares them, or none to read the table`,
  );
}

async function namesOfTable(options: GlobalOptions, around: Context): Promise<readonly string[]> {
  const { list } = await openSender(options, around);
  const rows = [...(await list('page.list', {})), ...(await list('permission.list', {}))];
  return rows.map(({ name }) => String(name));
}
