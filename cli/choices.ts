import type { Argument, Option } from 'commander';

/** The choice that a text is, in whatever case it is written. */
export function choiceOf(text: string, choices: readonly string[]): string | undefined {
  if (choices.includes(text)) return text;
  const alike = choices.filter((each) => String(each).toLowerCase() === text.trim().toLowerCase());
  return alike.length === 1 ? String(alike[0]) : undefined;
}

/** An option or argument of a subcommand that takes one of these texts, in any case. */
export function withChoices<T extends Argument | Option>(of: T, choices: readonly string[]): T {
  of.choices(choices);
  const { parseArg } = of;
  of.argParser((text, previous: unknown) => parseArg?.(choiceOf(text, choices) ?? text, previous));
  return of;
}
