import { describeCommand, fieldsOf, namedBy } from '../provisioning/index.ts';
import type { NamedKind } from '../table/entities/registry.ts';
import { isId, isRef } from '../table/identifiers.ts';
import type { JsonObject } from '../table/json.ts';
import type { Deliver } from './transport.ts';

/** How people know what references name, for confirmations and receipts: `Lou Park <lou@mercy.example> (user:ID)`. */

/** Something that is named, and of which kind it is: a type of subjects may be one of scopes. */
export interface Referred {
  readonly ref: string;
  readonly kind: NamedKind;
}

/** A reference as people know it. */
export type KnownAs = (referred: Referred) => string;

/** References of one event. */
const MAX_NAMES = 100;

const keyOf = ({ ref, kind }: Referred): string => `${kind} ${ref}`;

/** Reads the names of the first hundred at once. What cannot be read stays a reference: no name holds up a revocation. */
export async function knownAs(deliver: Deliver, all: readonly Referred[]): Promise<KnownAs> {
  const some = [...new Map(all.map((each) => [keyOf(each), each])).values()].slice(0, MAX_NAMES);
  const names = some.map(({ ref, kind }) => ({ name: ref, kind }));
  const labels = names.length === 0 ? [] : await labelsOf(deliver, names);
  const known = new Map(some.map((each, position) => [keyOf(each), labels[position]]));
  return (referred) => {
    const { name, email } = known.get(keyOf(referred)) ?? {};
    const { ref } = referred;
    if (name === undefined || ref.endsWith(`:${name}`))
      return email === undefined ? ref : `${email} (${ref})`;
    return `${name}${email === undefined || email === name ? '' : ` <${email}>`} (${ref})`;
  };
}

interface Label {
  readonly name: string;
  readonly email?: string;
}

async function labelsOf(
  deliver: Deliver,
  names: readonly { readonly name: string; readonly kind: NamedKind }[],
): Promise<readonly (Label | null)[]> {
  try {
    const { answer } = await deliver({ command: 'name.labels', input: { names } });
    return answer.ok ? (answer.result.labels as readonly (Label | null)[]) : [];
  } catch {
    return [];
  }
}

/** What a command names, by field; of a transaction, what its commands name. */
export function namedIn(
  command: string,
  input: JsonObject,
): readonly (Referred & { readonly field: string })[] {
  if (command === 'transaction.write' && Array.isArray(input.commands))
    return input.commands.flatMap((each: { readonly command: string; readonly input: JsonObject }) =>
      namedIn(each.command, each.input),
    );
  const described = describeCommand(command);
  return (described ? fieldsOf(described) : []).flatMap((field) => {
    const typed = namedBy(command, field, input);
    return [input[field.name]].flat().flatMap((value) => {
      if (!typed || typeof value !== 'string') return [];
      const { kind, type } = typed;
      const own = type ?? (kind === 'subject' ? 'user' : kind === 'scope' ? undefined : kind);
      const ref = isRef(value) ? value : own !== undefined && isId(value) ? `${own}:${value}` : undefined;
      return ref === undefined ? [] : [{ field: field.name, ref, kind }];
    });
  });
}
