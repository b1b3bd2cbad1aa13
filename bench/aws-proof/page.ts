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

export interface Usage {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly invocations: number;
  readonly billedMs: number;
  readonly memoryMb: number;
}

export interface ListPrices {
  readonly dynamodb: { readonly millionReadRequestUnits: number };
  readonly lambda: { readonly millionRequests: number; readonly gbSecondArm64: number };
}

/** The parts of the bill: quantities, and dollars where bench/prices.json has the price. */
export function billOf(usage: Usage, { dynamodb, lambda }: ListPrices): readonly string[] {
  const { readUnits, writeUnits, invocations, billedMs, memoryMb } = usage;
  const gbSeconds = (billedMs / 1_000) * (memoryMb / 1_024);
  const dollars = (value: number): string => value.toFixed(6);
  return [
    '| part | quantity | dollars, list price |',
    '| --- | --- | --- |',
    `| DynamoDB read units | ${readUnits} | ${dollars((readUnits / 1e6) * dynamodb.millionReadRequestUnits)} |`,
    `| DynamoDB write units | ${writeUnits} | see AWS |`,
    `| Lambda requests (authorizer) | ${invocations} | ${dollars((invocations / 1e6) * lambda.millionRequests)} |`,
    `| Lambda GB-seconds (authorizer) | ${gbSeconds.toFixed(1)} | ${dollars(gbSeconds * lambda.gbSecondArm64)} |`,
    '| API Gateway requests | as many as answered | see AWS |',
  ];
}

/** The cold starts in lines of Lambda's log, as milliseconds: `REPORT … Init Duration: 312.4 ms`. */
export const coldStartsIn = (lines: readonly string[]): readonly number[] =>
  lines.flatMap((line) => {
    const [, ms] = /\bInit Duration: ([\d.]+) ms/.exec(line) ?? [];
    return ms === undefined ? [] : [Number(ms)];
  });
