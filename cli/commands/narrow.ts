import { SCOPE } from '../../engine/items.ts';
import { readItems } from '../../engine/read-items.ts';
import { type GrantedPart, grantedParts } from '../../engine/rows/granted-parts.ts';
import { namesOf } from '../../provisioning/index.ts';
import type { ScopeItem } from '../../table/decision/items.ts';
import { defined } from '../../table/defined.ts';
import type { Reader } from '../../table/reader.ts';
import { connect } from '../connection.ts';
import { UsageError } from '../context.ts';
import { permissionArgument, repeated, subjectArgument } from '../options.ts';
import { plain } from '../print.ts';
import { existing, lookUp, namesIn } from '../references.ts';
import { subcommand } from '../subcommand.ts';

/** `gatehouse narrow`: what a list of rows asks the database for. It reads what the list reads. */
export const addNarrow = subcommand({
  name: 'narrow',
  summary: 'say which rows a list for a subject asks for',
  description:
    'Says where, and on which conditions, something may allow a permission to a subject. A list of rows asks for no others, and decides each: denies, closed scopes, dates, entitlements and who acts for the subject are not looked at here.',
  arguments: [subjectArgument, permissionArgument],
  options: { within: repeated('<root>', 'only in the tree of this root; may be repeated (default: all)') },
  examples: '  gatehouse narrow tina@school.example billing:read:invoice --within Northwind',
  run: async ([who, permission], options, context) => {
    const reader = await connect(options, context);
    const subject = await existing(reader, 'subject', who);
    await existing(reader, 'permission', permission);
    const roots = await Promise.all(options.within.map((typed) => rootOf(reader, typed)));
    const within = roots.length === 0 ? undefined : new Set(roots);
    const { parts } = await grantedParts(reader, subject, permission, within);
    const names = await namesOf(
      reader,
      parts.map(({ path }) => path?.[0] ?? ''),
    );
    const isEverything = parts.some(({ path, when }) => path === undefined && when === undefined);
    const lines = isEverything ? ['everything'] : parts.map((part, at) => sentenceOf(part, names[at]));
    return {
      data: {
        subject,
        permission,
        parts: parts.map(({ path, when }, at) => defined({ scope: path?.[0], name: names[at], when })),
      },
      text: `${lines.join('\n') || 'nothing'}\n`,
    };
  },
});

/** The root that a text means. Elsewhere nothing is granted to ask for: that would look like an answer. */
async function rootOf(reader: Reader, typed: string): Promise<string> {
  const { ref } = await lookUp(namesIn(reader), { label: '--within', kind: 'scope' }, typed);
  const [scope] = await readItems<[ScopeItem]>(reader, { kind: SCOPE, id: ref });
  const root = scope?.ancestors.at(-1);
  if (root !== undefined) throw new UsageError(`--within ${plain(typed)} is no root: its root is ${root}`);
  return ref;
}

function sentenceOf({ path, when }: GrantedPart, name: string | undefined): string {
  const [scope] = path ?? [];
  const where = name === undefined ? scope : `${name} (${scope})`;
  const rows = where === undefined ? 'everything' : `rows at ${where} or below`;
  return plain(when === undefined ? rows : `${rows}, where ${when.join(', or where ')}`);
}
