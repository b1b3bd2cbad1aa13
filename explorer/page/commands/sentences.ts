import { labelOf, type NameOf, subjectOf } from '../refs.ts';
import type { Change } from './changes.ts';

/** What commands do, in words. A name in braces is a property of the input; `effect` is a verb. */
const SENTENCES: Readonly<Record<string, string>> = {
  'membership.delete': '{user} leaves the group {group}',
  'membership.create': '{user} joins the group {group}',
  'assignment.create': '{user} gets the role {role} at {scope}',
  'assignment.delete': '{user} loses the role {role} at {scope}',
  'group.delete': 'the group {id} is removed',
  'role-permission.create': 'the role {role}{effect}{permission}',
  'role-permission.delete': 'the role {role} has no effect on {permission} any more',
};

/** Properties that a sentence ends with where they are given. */
const TAILS = { startsAt: ' from ', endsAt: ' until ', when: ' where ' };

/** A part of a sentence: text, or what a reference names. */
export type Part = string | { readonly ref: string };

/** A property of a command: what it names, or its text. */
function partOf({ command, input }: Change, name: string): Part {
  const text = String(input[name]);
  if (name === 'user') return { ref: subjectOf(text) };
  if (name === 'group' || name === 'role') return { ref: `${name}:${text}` };
  if (name === 'id') return { ref: `${kindOf(command)}:${text}` };
  if (name === 'effect') return text === 'DENY' ? ' denies ' : ' allows ';
  return name === 'scope' ? { ref: text } : text;
}

const kindOf = (command: string): string => command.slice(0, command.lastIndexOf('.'));

/** A change in a sentence; undefined for a command that has none. */
export function sentenceOf(change: Change): readonly Part[] | undefined {
  const { command, input } = change;
  if (!Object.hasOwn(SENTENCES, command)) return statusSentence(change);
  const words = (SENTENCES[command] as string).split(/\{(\w+)\}/);
  const parts = words.map((word, position) => (position % 2 === 0 ? word : partOf(change, word)));
  for (const [name, joined] of Object.entries(TAILS))
    if (input[name] !== undefined) parts.push(`${joined}${String(input[name])}`);
  return parts.filter((part) => part !== '');
}

/** Of types that were added: the property that holds the reference. */
const REFERRED: Readonly<Record<string, string>> = { 'scope.update': 'scope', 'subject.update': 'user' };

/** What is said of a command that sets a status and nothing else. */
function statusSentence(change: Change): readonly Part[] | undefined {
  const { command, input } = change;
  const named = REFERRED[command] ?? 'id';
  const others = Object.keys(input).filter((name) => name !== named && name !== 'status');
  if (!/^[a-z][a-z0-9-]*\.update$/.test(command) || others.length > 0) return undefined;
  if (typeof input[named] !== 'string' || input.status === undefined) return undefined;
  return [partOf(change, named), ` becomes ${String(input.status)}`];
}

/** The references that sentences name. */
export const refsIn = (changes: readonly Change[]): readonly string[] =>
  changes.flatMap((change) =>
    (sentenceOf(change) ?? []).flatMap((part) => (typeof part === 'string' ? [] : [part.ref])),
  );

/** The names of what changes would make, which the table does not have yet. */
export function newNamesIn(changes: readonly Change[]): NameOf {
  const names = new Map(
    changes.flatMap(({ command, input }): [string, string][] => {
      const name = command.endsWith('.create') ? labelOf(input) : undefined;
      const kind = kindOf(command);
      const type = kind === 'scope' || kind === 'subject' ? String(input.type) : kind;
      return name === undefined || typeof input.id !== 'string' ? [] : [[`${type}:${input.id}`, name]];
    }),
  );
  return (ref) => names.get(ref);
}

/** Of whom or of what the caches of decisions are to be followed after changes: the one subject, or what was changed. */
export function revokedBy(changes: readonly Change[], losers: readonly string[]): string | undefined {
  const [only] = losers;
  if (only !== undefined && losers.length === 1) return only;
  return refsIn(changes)[0] ?? only;
}
