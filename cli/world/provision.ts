import { COMMANDS, type Provisioning } from '../../provisioning/index.ts';
import type { Problem } from '../document.ts';
import type { Step } from './commands.ts';

/** Where in the file the fault of a command is, and what it is. Paths begin at the world. */
function toProblem({ path, fields }: Step, field: string | undefined, message: string): Problem {
  const [first = ''] = (field ?? '').split('.');
  const key = Object.hasOwn(fields, first) ? fields[first] : undefined;
  return {
    path: key === undefined ? path : [...path, key],
    message: message.startsWith(`${field}: `) ? message.slice(`${field}: `.length) : message,
  };
}

/** What the commands' own schemas say against the steps, before anything is sent. */
export const inputProblems = (steps: readonly Step[]): readonly Problem[] =>
  steps.flatMap((step): readonly Problem[] => {
    const parsed = COMMANDS.get(step.command)?.input.safeParse(step.input);
    if (!parsed || parsed.success) return [];
    return parsed.error.issues.map(({ path, message, code }) =>
      code === 'unrecognized_keys'
        ? toProblem(step, undefined, `${refusedKeys(step, parsed.error.issues)} has no place here`)
        : toProblem(step, path.map(String).join('.'), message),
    );
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
  steps: readonly Step[],
  provisioning: Provisioning,
): Promise<readonly Problem[]> {
  const refused: { readonly problem: Problem; readonly code: string }[] = [];
  for (const step of steps) {
    const answer = await provisioning({ command: step.command, input: step.input });
    if (answer.ok) continue;
    const { code, field, message, retryable } = answer.error;
    // A fault of the table is nothing that the file could mend.
    if (retryable || code === 'internal') throw new Error(`${step.command}: ${message}`);
    refused.push({ problem: toProblem(step, field, message), code });
  }
  const own = refused.filter(({ code }) => code !== 'not_found');
  return (own.length > 0 ? own : refused).map(({ problem }) => problem);
}
