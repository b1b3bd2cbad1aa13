import { invalid } from '../table/errors.ts';
import { isRef, parseRef } from '../table/identifiers.ts';
import { isObject } from '../table/json.ts';
import { LISTS } from './command.ts';

/** Names that fields of commands had until now (ADR 0039). They are taken for one release. */
export interface Former {
  /** The name of the field. */
  readonly field: string;
  /** What was given in its place: the same value, or the type and the id of its reference. */
  readonly before: readonly [name: string] | readonly [type: string, id: string];
}

const TYPE_AND_ID = ['type', 'id'] as const;
const FORMER: ReadonlyMap<string, Former> = new Map<string, Former>([
  ['scope.read', { field: 'scope', before: TYPE_AND_ID }],
  ['scope.update', { field: 'scope', before: TYPE_AND_ID }],
  ['scope.delete', { field: 'scope', before: TYPE_AND_ID }],
  ['subject.read', { field: 'user', before: TYPE_AND_ID }],
  ['subject.update', { field: 'user', before: TYPE_AND_ID }],
  ['subject.delete', { field: 'user', before: TYPE_AND_ID }],
  ['user.access', { field: 'id', before: ['user'] }],
]);

/** The field of a command that had another name. */
export const formerOf = (command: string): Former | undefined => FORMER.get(command);

type Input = Readonly<Record<string, unknown>>;

/** A comparison may hold transactions, and these hold commands. What is deeper is refused as it is. */
const MOST_LEVELS = 2;

/** An input with something done to that of each command in it, and to its own. */
function throughout(
  command: string,
  input: Input,
  rename: (command: string, input: Input, at: string) => Input,
  { at = '', levels = MOST_LEVELS } = {},
): Input {
  const { commands } = input;
  if (!LISTS.has(command) || !Array.isArray(commands) || levels === 0) return rename(command, input, at);
  return {
    ...input,
    commands: commands.map((part: unknown, position) => {
      if (!isObject(part) || typeof part.command !== 'string' || !isObject(part.input)) return part;
      const inside = { at: `${at}commands.${position}.`, levels: levels - 1 };
      return { ...part, input: throughout(part.command, part.input, rename, inside) };
    }),
  };
}

/**
 * An input by the names that fields have now, in the commands of a list too. It comes before everything that reads an
 * input, so that nothing else knows of former names. Throws `invalid` where a field is given under both names.
 */
export const inCurrentNames = (command: string, input: Input): Input => throughout(command, input, renamed);

function renamed(command: string, input: Input, at: string): Input {
  const former = FORMER.get(command);
  const [given] = former?.before.filter((name) => Object.hasOwn(input, name)) ?? [];
  if (!former || given === undefined) return input;
  const { field, before } = former;
  if (Object.hasOwn(input, field))
    throw invalid(`${at}${field}`, `${at}${field} and ${at}${given} name the same: give ${field} alone`);
  const [first, id] = before;
  if (id === undefined) {
    const { [first]: value, ...rest } = input;
    return { ...rest, [field]: value };
  }
  const { [first]: type, [id]: own, ...rest } = input;
  const missing = before.find((name) => typeof input[name] !== 'string');
  if (missing !== undefined)
    throw invalid(
      `${at}${missing}`,
      `${at}${missing}: must be text; or give ${field} instead of ${first} and ${id}`,
    );
  return { ...rest, [field]: `${type}:${own}` };
}

/** The same input by the names of before, in which the digests of earlier operations are. */
export const inFormerNames = (command: string, input: Input): Input =>
  throughout(command, input, (name, own) => {
    const former = FORMER.get(name);
    const value = former && own[former.field];
    if (!former || typeof value !== 'string') return own;
    const { [former.field]: _, ...rest } = own;
    const [first, id] = former.before;
    if (id === undefined) return { ...rest, [first]: value };
    if (!isRef(value)) return own;
    const ref = parseRef(value, former.field);
    return { ...rest, [first]: ref.type, [id]: ref.id };
  });
