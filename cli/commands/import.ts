import { dirname, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import { UsageError } from '../context.ts';
import { compared, type Imported, type ImportOptions, type Question } from '../import/imported.ts';
import { argument, choiceArgument, required, text, withDefault } from '../options.ts';
import { assertWritable, writeNewFile } from '../output-file.ts';
import { count, plain } from '../print.ts';
import { subcommand } from '../subcommand.ts';

/** Which files of a product are taken, and what reads them. */
interface Product {
  readonly files: string;
  readonly most: number;
  /** Loads what reads them: an import from another product does without. */
  readonly load: () => Promise<(files: readonly string[], options: ImportOptions) => Promise<Imported>>;
}
const FROM: Readonly<Record<string, Product>> = {
  casbin: {
    files: 'MODEL POLICY',
    most: 2,
    load: async () => (await import('../import/casbin.ts')).importCasbin,
  },
  cognito: {
    files: 'GROUPS.json and a file GROUP.json for each group',
    most: 10_000,
    load: async () => (await import('../import/cognito.ts')).importCognito,
  },
  openfga: {
    files: 'MODEL TUPLES…',
    most: 1_000,
    load: async () => (await import('../import/openfga.ts')).importOpenFga,
  },
};
const PRODUCTS = Object.keys(FROM);

const OPTIONS = {
  out: required(text('<file>', 'write the manifest to this new file')),
  tests: text('<file>', "write the other product's answers to this new file, as model tests"),
  tenant: withDefault(text('<name>', 'the tenant, where the other product has none'), 'main'),
  module: withDefault(text('<name>', 'the module of the permissions, of casbin and cognito'), 'app'),
  server: text('<url>', 'a server of OpenFGA, which is asked in a store that is deleted again'),
};

/** `gatehouse import`: the files of another product as a manifest. */
export const addImport = subcommand({
  name: 'import',
  summary: 'make a manifest of the files of Casbin, Cognito or OpenFGA',
  description:
    'Writes a manifest of what another product keeps, and lists what no manifest can say. The table is not touched.',
  arguments: [
    choiceArgument('<from>', PRODUCTS.join(', '), PRODUCTS),
    argument('<files...>', 'the files of the other product'),
  ],
  options: OPTIONS,
  examples: `  gatehouse import casbin model.conf policy.csv --out manifest.yaml --tests casbin.test.yaml
  gatehouse import openfga model.fga tuples.json --out manifest.yaml --server http://localhost:8080
  gatehouse import cognito groups.json admins.json --out manifest.yaml`,
  notes: `casbin: the model and the policy, as its file adapter reads them.
cognito: what aws cognito-idp list-groups writes, and for each group what
list-users-in-group writes, in a file named after the group.
openfga: what fga model get and fga tuple read write.

What cannot be said is left out, with all that it restricts: an import never
allows more. Where the other product answers (casbin by its package, OpenFGA at
--server) both are asked, and differences are listed.`,
  run: async ([from, files], { out, tests, ...options }) => {
    const product = FROM[from];
    if (!product || files.length < 2 || files.length > product.most)
      throw new UsageError(`gatehouse import ${from} takes ${product?.files}`);
    for (const file of [out, tests ?? []].flat()) assertWritable(file, true);
    const read = await product.load();
    const imported = await read(files, options);
    const answers = await compared(imported).finally(imported.close);
    const { manifest, left } = imported;
    const { wider = [], narrower = [], asked = 0 } = answers ?? {};
    if (wider.length === 0) {
      writeNewFile(out, stringify(said(manifest), { lineWidth: 0 }));
      const path = tests && relative(dirname(resolve(tests)), resolve(out));
      if (tests !== undefined && answers)
        writeNewFile(tests, stringify(said({ manifest: path, tests: answers.tests }), { lineWidth: 0 }));
    }
    const lines = [
      ...left.map(({ what, reason }) => `left out: ${what}: ${reason}`),
      ...narrower.map((question) => `refused here: ${textOf(question)}`),
      ...wider.map((question) => `allowed here alone: ${textOf(question)}`),
      `${left.length} left out; ${
        answers
          ? `${count(asked, 'question')} asked of both, ${narrower.length} refused here, ${wider.length} allowed here alone`
          : 'the other product was not asked'
      }`,
    ];
    return {
      data: { left, asked, narrower, wider },
      text: `${lines.map(plain).join('\n')}\n`,
      notes: [
        ...(wider.length > 0 ? ['nothing was written: an import must never allow more'] : []),
        ...(tests !== undefined && !answers ? [`${tests} was not written: nobody answered`] : []),
      ],
      refused: left.length + narrower.length + wider.length > 0,
    };
  },
});

const textOf = ({ subject, permission, scope }: Question): string => `${subject} ${permission} at ${scope}`;

/** Without empty lists and maps, at any depth. */
function said(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(said);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, each]) => [name, said(each)] as const)
      .filter(([, each]) => !(typeof each === 'object' && each !== null && Object.keys(each).length === 0)),
  );
}
