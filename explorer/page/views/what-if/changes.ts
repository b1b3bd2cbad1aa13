import * as z from 'zod';

/** A provisioning command that would be sent (docs/commands.md). */
export interface Change {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** `access.compare` takes at most this many. */
const MOST = 100;

const schema = z
  .array(z.strictObject({ command: z.string().min(1).max(64), input: z.record(z.string(), z.unknown()) }))
  .max(MOST);

export type ReadChanges = { readonly changes: readonly Change[] } | { readonly problem: string };

/**
 * Reads a JSON list of `{ command, input }`, as the address has it. An empty text is no change.
 *
 * @returns the changes, or what is wrong with the text
 */
export function readChanges(text: string): ReadChanges {
  if (text.trim() === '') return { changes: [] };
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    return { problem: `this is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const parsed = schema.safeParse(data);
  if (parsed.success) return { changes: parsed.data };
  const [issue] = parsed.error.issues;
  const at = issue && issue.path.length > 0 ? issue.path.join('.') : 'the list';
  return {
    problem: `${at}: ${issue?.message ?? 'is not valid'}. It takes a list of {"command": …, "input": {…}}`,
  };
}

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
