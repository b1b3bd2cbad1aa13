import { COMMANDS, type Provisioning } from '../../provisioning/index.ts';
import type { Problem } from '../document.ts';
import type { Step, Translation } from './commands.ts';

/** Where in the file the fault of a command is, and what it is, in the words of the file. Paths begin at the world. */
function toProblem({ path, fields }: Step, field: string | undefined, message: string): Problem {
  const [first = ''] = (field ?? '').split('.');
  const key = Object.hasOwn(fields, first) ? fields[first] : undefined;
  const text = message.startsWith(`${field}: `) ? message.slice(`${field}: `.length) : message;
  return {
    path: key === undefined ? path : [...path, key],
    message: text.replace(
      CAMEL_CASE,
      (word) => (Object.hasOwn(fields, word) ? fields[word] : undefined) ?? word,
    ),
  };
}

/** Words that are surely names of fields. */
const CAMEL_CASE = /\b[a-z]+[A-Z][A-Za-z]*\b/g;
const REF = /\b[a-z][a-z-]*:[0-9A-HJKMNP-TV-Z]{26}\b/g;

/** What the commands' own schemas say against the steps, before anything is sent. */
export const inputProblems = (steps: readonly Step[]): readonly Problem[] =>
  steps.flatMap((step): readonly Problem[] => {
    const parsed = COMMANDS.get(step.command)?.input.safeParse(step.input);
    if (!parsed || parsed.success) return [];
    return parsed.error.issues.map(({ path, message, code }) => {
      if (code === 'unrecognized_keys')
        return toProblem(step, undefined, `${refusedKeys(step, parsed.error.issues)} has no place here`);
      const isMissing = path.length === 1 && step.input[String(path[0])] === undefined;
      return toProblem(
        step,
        path.map(String).join('.'),
        isMissing ? `${String(path[0])} is needed here` : message,
      );
    });
  });

/** A field that things of this kind do not have, as the file calls it. */
const refusedKeys = ({ fields }: Step, issues: readonly { readonly code?: string | undefined }[]): string =>
  issues
    .flatMap((issue) => ('keys' in issue ? (issue.keys as readonly string[]) : []))
    .map((key) => fields[key] ?? key)
    .join(', ');

/**
 * Sends the steps one after the other and says what was refused. What only fails because something before it was
 * refused is not told: every name is known to lead somewhere.
 */
export async function sendSteps(
  { steps, names }: Translation,
  provisioning: Provisioning,
): Promise<readonly Problem[]> {
  const refused: { readonly problem: Problem; readonly code: string }[] = [];
  for (const step of steps) {
    const answer = await provisioning({ command: step.command, input: step.input });
    if (answer.ok) continue;
    const { code, field, message, retryable } = answer.error;
    // A fault of the table is nothing that the file could mend.
    if (retryable || code === 'internal') throw new Error(`${step.command}: ${message}`);
    const told = message.replace(REF, (ref) => names.get(ref) ?? ref);
    refused.push({ problem: toProblem(step, field, told), code });
  }
  const own = refused.filter(({ code }) => code !== 'not_found');
  return (own.length > 0 ? own : refused).map(({ problem }) => problem);
}
