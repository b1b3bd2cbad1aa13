import { isObject, parseJson } from '../json.ts';

/** A provisioning command that would be sent (docs/commands.md). */
export interface Change {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Reads a JSON list of `{ command, input }`, as the address has it. An empty text is no change.
 *
 * @returns the changes; none where something is wrong with the text
 */
export function readChanges(text: string): {
  readonly changes: readonly Change[];
  readonly problem?: string;
} {
  const without = (problem: string) => ({ changes: [], problem });
  if (text.trim() === '') return { changes: [] };
  const parsed = parseJson(text);
  if ('problem' in parsed) return without(`this is not JSON: ${parsed.problem}`);
  const { value: data } = parsed;
  if (!Array.isArray(data)) return without(`this is no list: ${FORM}`);
  const wrong = data.findIndex((each) => !isChange(each));
  return wrong < 0 ? { changes: data } : without(`number ${wrong + 1} of the list is no command: ${FORM}`);
}

const FORM = 'it takes [{"command": "…", "input": {…}}]';

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
