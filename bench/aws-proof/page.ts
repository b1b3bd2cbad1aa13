import type { Proven } from './proof.ts';

export interface PageHead {
  readonly date: string;
  readonly region: string;
  readonly version: string;
  readonly prefix: string;
  /** Left out of the page, also where AWS said it. */
  readonly account: string;
}

/** The page of a proof, as Markdown. It names no account. */
export function pageOf(
  { date, region, version, prefix, account }: PageHead,
  { sections, ended, left }: Proven,
): string {
  return [
    `# Proof on AWS: ${prefix}`,
    `Gatehouse ${version}, ${region}, ${date}.`,
    ...(ended === undefined ? [] : [`**It ended early**: ${ended}.`]),
    ...sections.flatMap(({ title, lines }) => [`## ${title}`, lines.join('\n')]),
    '## What is left',
    left.length === 0
      ? 'Nothing: all that was made is removed.'
      : left.map((line) => `- ${line.replaceAll('\n', ' ')}`).join('\n'),
    '',
  ]
    .join('\n\n')
    .replaceAll(account, 'ACCOUNT');
}

/** The cold starts in lines of Lambda's log, as milliseconds: `REPORT … Init Duration: 312.4 ms`. */
export const coldStartsIn = (lines: readonly string[]): readonly number[] =>
  lines.flatMap((line) => {
    const [, ms] = /\bInit Duration: ([\d.]+) ms/.exec(line) ?? [];
    return ms === undefined ? [] : [Number(ms)];
  });
