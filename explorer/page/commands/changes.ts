import { isObject, parseJson } from '../json.ts';

/** A provisioning command that would be sent (docs/commands.md). */
export interface Change {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type ReadChanges = { readonly changes: readonly Change[] } | { readonly problem: string };

/**
 * Reads a JSON list of `{ command, input }`, as the address has it. An empty text is no change.
 *
 * @returns the changes, or what is wrong with the text
 */
export function readChanges(text: string): ReadChanges {
  if (text.trim() === '') return { changes: [] };
  const parsed = parseJson(text);
  if ('problem' in parsed) return { problem: `this is not JSON: ${parsed.problem}` };
  const { value: data } = parsed;
  if (!Array.isArray(data)) return { problem: `this is no list: ${FORM}` };
  const wrong = data.findIndex((each) => !isChange(each));
  return wrong < 0 ? { changes: data } : { problem: `${ordinal(wrong)} is no command: ${FORM}` };
}

const FORM = 'it takes [{"command": "…", "input": {…}}]';
const ordinal = (position: number): string => `number ${position + 1} of the list`;

/** Whether it has the form of a command. What the command takes, its schema says in the service. */
const isChange = (value: unknown): value is Change =>
  isObject(value) &&
  Object.keys(value).every((name) => name === 'command' || name === 'input') &&
  typeof value.command === 'string' &&
  isObject(value.input);

/** The text of changes for the address: empty for none. */
export const writeChanges = (changes: readonly Change[]): string | undefined =>
  changes.length === 0 ? undefined : JSON.stringify(changes);

/** The list with the change at a position one place further up or down. */
export function moved(changes: readonly Change[], position: number, by: -1 | 1): readonly Change[] {
  const [one, other] = [changes[position], changes[position + by]];
  if (!one || !other) return changes;
  return changes.with(position, other).with(position + by, one);
}

/** What sends these changes: one command by itself, several in one transaction: all of them or none. */
export const commandOf = (changes: readonly Change[]): Change | undefined =>
  changes.length > 1 ? { command: 'transaction.write', input: { commands: changes } } : changes[0];
