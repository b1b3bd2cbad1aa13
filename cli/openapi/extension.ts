import * as z from 'zod';
import {
  inPlainWords,
  isScopeName,
  type Path,
  type Problem,
  permissionTemplate,
  problemsOf,
  scopeTemplate,
} from '../../provisioning/index.ts';
import { closest } from '../../table/similar-words.ts';

/** The vendor extension in which a document states what its operations require. */
export const EXTENSION = 'x-gatehouse';

/** A text of the document with its place. */
interface Placed {
  readonly text: string;
  readonly at: Path;
}

/** What an operation needs; `unsaid` when nothing in the document tells it. */
export type Requirement =
  | 'public'
  | 'unsaid'
  | {
      readonly permission: Placed;
      readonly scope: Placed;
    };

const NEITHER = 'must be a mapping with permission and scope, or the word public';

const scopeOrName = z.string('must be a text such as project:{project}').superRefine((text, context) => {
  if (isScopeName(text)) return;
  const parsed = scopeTemplate.safeParse(text, { error: inPlainWords });
  for (const { message } of parsed.error?.issues ?? []) context.addIssue(message);
});

const said = z.strictObject(
  {
    permission: permissionTemplate.optional(),
    scope: scopeOrName.optional(),
  },
  { error: (issue) => (issue.code === 'unrecognized_keys' ? 'permission scope' : NEITHER) },
);

/** The extension on one level of a document: the root, a path, or an operation. */
export type Said = 'public' | 'broken' | z.infer<typeof said>;

/** Reads the extension out of a mapping of the document, and finds the ones that are spelt wrong. */
export function extensionIn(
  holder: Readonly<Record<string, unknown>>,
  at: Path,
  problems: Problem[],
): Said | undefined {
  for (const key of Object.keys(holder))
    if (key !== EXTENSION && /^x-/i.test(key) && closest(key, [EXTENSION]) !== undefined)
      problems.push({ path: [...at, key], message: `unknown key: did you mean ${EXTENSION}?` });
  if (!Object.hasOwn(holder, EXTENSION)) return undefined;
  const value = holder[EXTENSION];
  if (value === 'public') return 'public';
  const parsed = said.safeParse(value, { error: inPlainWords });
  if (parsed.success) return parsed.data;
  for (const { path, message } of problemsOf(parsed.error))
    problems.push({ path: [...at, EXTENSION, ...path], message });
  return 'broken';
}

export interface Level {
  readonly said: Said | undefined;
  readonly at: Path;
}

/**
 * What the levels say together, from the root to the operation: the lower one wins, field by field; `public` replaces
 * both fields. An incomplete default does not apply to an operation without an extension of its own.
 */
export function requirementOf(levels: readonly Level[], problems: Problem[]): Requirement {
  // This is reported already, and further problems would only follow from it.
  if (levels.some(({ said }) => said === 'broken')) return 'unsaid';
  let permission: Placed | undefined;
  let scope: Placed | undefined;
  let isPublic = false;
  for (const { said, at } of levels) {
    if (said === undefined || said === 'broken') continue;
    isPublic = said === 'public';
    if (said === 'public') {
      permission = undefined;
      scope = undefined;
      continue;
    }
    const place = (field: string): Path => [...at, EXTENSION, field];
    if (said.permission !== undefined) permission = { text: said.permission, at: place('permission') };
    if (said.scope !== undefined) scope = { text: said.scope, at: place('scope') };
  }
  if (isPublic) return 'public';
  if (permission && scope) return { permission, scope };
  const own = levels.at(-1);
  if (own?.said !== undefined)
    problems.push({
      path: [...own.at, EXTENSION],
      message: `says no ${[permission ? [] : 'permission', scope ? [] : 'scope'].flat().join(' and no ')}, nor does what stands above`,
    });
  return 'unsaid';
}
