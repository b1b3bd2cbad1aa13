import { readDocument } from '../../testing/document.ts';
import { readManifest } from '../../testing/manifest-file.ts';
import { readText } from '../../testing/text-file.ts';
import type { ConnectionOptions } from '../connection-options.ts';
import { type Context, UsageError } from '../context.ts';
import { OK, REFUSED } from '../exit-codes.ts';
import { addHelpTexts } from '../help.ts';
import { queriesThrough } from '../manifest/queries.ts';
import { connectTo } from '../manifest/shared.ts';
import { readIfThere, writeText } from '../output-file.ts';
import { permissionType } from '../permission-type.ts';
import type { Subcommand } from '../subcommand.ts';

interface TypesOptions extends ConnectionOptions {
  readonly out?: string;
  readonly check?: boolean;
}

const EXAMPLES = `  gatehouse types authz/manifest.yaml --out src/permission.ts
  gatehouse types authz/manifest.yaml --out src/permission.ts --check     (in CI)
  gatehouse types --table gatehouse > src/permission.ts`;

/** `gatehouse types`: permission names as a type of TypeScript. */
export const addTypes: Subcommand = (program, around, finish) => {
  const command = program
    .command('types')
    .summary('write permission names as a TypeScript type')
    .description(
      'Writes all pages and permissions as a union type, so that the compiler finds misspelt names.',
    )
    .argument('[manifests...]', 'manifests, in YAML or JSON (default: the names in the table)')
    .option('--out <file>', 'write to this file, and replace it (default: the standard output)')
    .option('--check', 'write nothing; exit with 1 if the file of --out is not up to date');
  addHelpTexts(command, { examples: EXAMPLES }).action(
    async (manifests: readonly string[], options: TypesOptions) => {
      const { out, check } = options;
      if (check && out === undefined) throw new UsageError('--check compares a file: name it with --out');
      const names = manifests.length > 0 ? await namesIn(manifests) : await namesOfTable(options, around);
      const text = permissionType(names);
      if (out === undefined) around.out(text);
      else if (!check) writeText(out, text);
      else if (readIfThere(out)?.replaceAll('\r\n', '\n') !== text) {
        around.error(`${out} is not up to date: write it again, by the same command without --check\n`);
        return finish(REFUSED);
      }
      finish(OK);
    },
  );
};

/** Throws ProblemsError for a manifest that is wrong, and {@link UsageError} where none declares a name. */
async function namesIn(files: readonly string[]): Promise<readonly string[]> {
  const names: string[] = [];
  for (const file of files) {
    const { manifest } = readManifest(readDocument(file, await readText(file)));
    names.push(...Object.keys(manifest.pages), ...Object.keys(manifest.permissions));
  }
  if (names.length > 0) return names;
  throw new UsageError(
    `${files.join(', ')}: no pages and no permissions in it: name the manifest that declares them, or none to read the table`,
  );
}

async function namesOfTable(options: ConnectionOptions, around: Context): Promise<readonly string[]> {
  const { deliver } = await connectTo(options, around);
  const { list } = queriesThrough(deliver);
  const rows = [...(await list('page.list', {})), ...(await list('permission.list', {}))];
  return rows.map(({ name }) => String(name));
}
