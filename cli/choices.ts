import type { Argument, Option } from 'commander';
import { choiceOf } from '../provisioning/suggestions.ts';

/** An option or argument of a subcommand that takes one of these texts, in any case. */
export function withChoices<T extends Argument | Option>(of: T, choices: readonly string[]): T {
  of.choices(choices);
  const { parseArg } = of;
  of.argParser((text, previous: unknown) => parseArg?.(choiceOf(text, choices) ?? text, previous));
  return of;
}
