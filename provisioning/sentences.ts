import { entityOf } from '../table/entities/registry.ts';
import type { Sent } from './plan.ts';

/** What commands, steps of plans and audit records say: the same in the command line and in the explorer. */

/** What commands do. A name in braces is a field of the input; `effect` is a verb. */
const SENTENCES: Readonly<Record<string, string>> = {
  'membership.delete': '{user} leaves the group {group}',
  'membership.create': '{user} joins the group {group}',
  'assignment.create': '{user} gets the role {role} at {scope}',
  'assignment.delete': '{user} loses the role {role} at {scope}',
  'group.delete': 'the group {id} is removed',
  'role-permission.create': 'the role {role}{effect}{permission}',
  'role-permission.delete': 'the role {role} has no effect on {permission} any more',
};

/** Fields that a sentence ends with where they are given. */
const TAILS = { startsAt: ' from ', endsAt: ' until ', when: ' where ' };

/** A part of a sentence: text, or what a reference names. */
export type SentencePart = string | { readonly ref: string };

/** The subject that a field names: the id of a user, or a reference. */
export const subjectOf = (user: string): string => (user.includes(':') ? user : `user:${user}`);

const kindOf = (command: string): string => command.slice(0, command.lastIndexOf('.'));

function partOf({ command, input }: Sent, name: string): SentencePart {
  const text = String(input[name]);
  if (name === 'user') return { ref: subjectOf(text) };
  if (name === 'group' || name === 'role') return { ref: `${name}:${text}` };
  if (name === 'id') return { ref: `${kindOf(command)}:${text}` };
  if (name === 'effect') return text === 'DENY' ? ' denies ' : ' allows ';
  return name === 'scope' ? { ref: text } : text;
}

/** A command in a sentence; undefined for one that has none. */
export function sentenceOf(sent: Sent): readonly SentencePart[] | undefined {
  const { command, input } = sent;
  if (!Object.hasOwn(SENTENCES, command)) return statusSentence(sent);
  const words = (SENTENCES[command] as string).split(/\{(\w+)\}/);
  const parts = words.map((word, position) => (position % 2 === 0 ? word : partOf(sent, word)));
  for (const [name, joined] of Object.entries(TAILS))
    if (input[name] !== undefined) parts.push(`${joined}${String(input[name])}`);
  return parts.filter((part) => part !== '');
}

/** What is said of a command that sets a status and nothing else. */
function statusSentence(sent: Sent): readonly SentencePart[] | undefined {
  const { command, input } = sent;
  const kind = kindOf(command);
  const entity = entityOf(kind);
  if (command !== `${kind}.update` || !entity) return undefined;
  const named = entity.namedIn ?? 'id';
  const others = Object.keys(input).filter((name) => name !== named && name !== 'status');
  if (others.length > 0 || typeof input[named] !== 'string' || input.status === undefined) return undefined;
  return [partOf(sent, named), ` becomes ${String(input.status)}`];
}

interface Step {
  readonly kind: string;
  readonly label: string;
  readonly details?: readonly string[];
}

/** A step of a plan, behind its verb: `role teacher: allow grades`. */
export const stepText = ({ kind, label, details = [] }: Step): string =>
  `${label.startsWith(`${kind} `) ? '' : `${kind} `}${label}${details.length > 0 ? `: ${details.join(', ')}` : ''}`;

interface Planned {
  readonly verb: 'create' | 'change' | 'remove';
  readonly danger?: string | undefined;
}

/** The steps of a plan by what they do, what is dangerous first; each is in one section, and no section is empty. */
export const planSections = <T extends Planned>(
  steps: readonly T[],
): readonly (readonly [title: string, steps: readonly T[]])[] => {
  const plain = (verb: Planned['verb']) => steps.filter((step) => step.verb === verb && !step.danger);
  const sections = [
    ['Dangerous', steps.filter(({ danger }) => danger)],
    ['To remove', plain('remove')],
    ['To change', plain('change')],
    ['To create', plain('create')],
  ] as const;
  return sections.filter(([, of]) => of.length > 0);
};

/** What differs before and after a change, by field; bookkeeping is left out. */
export function changedFields({ before, after }: Readonly<Record<string, unknown>>): readonly {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}[] {
  const sideOf = (side: unknown) => new Map(Object.entries(side ?? {}));
  const [old, now] = [sideOf(before), sideOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((name) => name !== 'updatedAt')
    .map((name) => ({ name, before: old.get(name), after: now.get(name) }))
    .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after));
}
