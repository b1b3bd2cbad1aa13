import type { Unknown } from './against.ts';
import type { LogCoverage } from './log-coverage.ts';
import { count, gapsIn } from './log-gaps.ts';
import type { Counted } from './logged-questions.ts';

/** How often, in words, as the command line and the explorer say it: `31 times`; of a sample `about 620 times (31 lines)`. */
export function said({ lines, estimated }: Counted, one = 'decision', many = `${one}s`): string {
  const whole = Math.round(estimated);
  const text = count(whole, one, many);
  return whole === lines ? text : `about ${text} (${count(lines, 'line')})`;
}

const REASONS = {
  properties: 'on what a request passed',
  tokens: 'on groups that a token may name',
  pseudonyms: 'the pseudonym of nobody in the table',
  instants: 'about another instant',
  mandates: 'by a mandate that has ended, or is not there',
  budgets: 'by a mandate with a budget',
} as const;

/** Why decisions are unknown, and how many. */
export function unknownLines({ decisions, refused, ...reasons }: Unknown): readonly string[] {
  if (decisions.lines === 0) return [];
  return [
    `unknown: ${said(decisions)}`,
    ...Object.entries(REASONS).flatMap(([name, text]) => {
      const counted = reasons[name as keyof typeof REASONS];
      return counted.lines > 0 ? [`  ${text}: ${said(counted)}`] : [];
    }),
    ...(refused.lines > 0 ? [`  allowed in the log, and refused then in any case: ${said(refused)}`] : []),
  ];
}

/** What the log does not say. */
export const gapLines = (coverage: LogCoverage, others: number): readonly string[] => [
  ...gapsIn(coverage),
  ...(others > 0
    ? [
        `${count(others, 'decision')} left out: no permission of a subject at a scope, or a credential refused`,
      ]
    : []),
];
