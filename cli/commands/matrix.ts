import { readMatrix } from '../../provisioning/index.ts';
import { UsageError } from '../context.ts';
import { matrixCsv, matrixMarkdown } from '../matrix-texts.ts';
import { argument, choice, repeated, SCOPE } from '../options.ts';
import { asJson } from '../print.ts';
import { openSender } from '../provisioning.ts';
import { referenceOf } from '../references.ts';
import { subcommand } from '../subcommand.ts';

const FORMATS = ['markdown', 'csv', 'json'] as const;

const PRINTED = { markdown: matrixMarkdown, csv: matrixCsv, json: asJson } as const;

const OPTIONS = {
  format: choice('<format>', 'how to write it (default: markdown)', FORMATS),
  role: repeated(
    '<role>',
    'only this role: a name, a path of names, or role:ID; may be repeated (default: all)',
  ),
};

/** `gatehouse matrix`: roles by permissions, as a document. */
export const addMatrix = subcommand({
  name: 'matrix',
  summary: 'show roles by permissions, as Markdown or CSV',
  description: 'Shows what each role that can be granted in a tenant allows and denies.',
  arguments: [argument('[scope]', `${SCOPE} (default: the roles that no tenant owns)`)],
  options: OPTIONS,
  examples: `  gatehouse matrix 'North School' > roles.md
  gatehouse matrix 'North School' --format csv > roles.csv
  gatehouse matrix 'North School' --role Teacher --role Head
  gatehouse matrix                        (the roles that no tenant owns)`,
  notes: `A cell is what a role says to somebody who has no other role: what it
allows (ALLOW) and denies (DENY) itself, what it inherits, by which pattern
and on which condition. Where it has both, the matrix says which one wins by
the combination that the tenant has chosen.`,
  run: async ([scope], options, around) => {
    const { json, format = json ? 'json' : 'markdown' } = options;
    if (json && format !== 'json') throw new UsageError(`--json and --format ${format} exclude each other`);
    const { find, names } = await openSender(options, around);
    const at = await referenceOf(names, { label: 'SCOPE', kind: 'scope' }, scope);
    const roles = await Promise.all(
      options.role.map((role) => referenceOf(names, { label: '--role', kind: 'role' }, role)),
    );
    const matrix = await readMatrix(find, {
      scope: at,
      roles: roles.length === 0 ? undefined : roles.map((ref) => ref.slice('role:'.length)),
    });
    around.out(PRINTED[format](matrix));
  },
});
