import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a scanner found: its rule, and where as `FILE:RESOURCE`. */
export interface Finding {
  readonly id: string;
  readonly where: string;
  readonly text: string;
}

/** A row of docs/internals/security-scans.md: rules, where they may find something, and why that stays. */
export interface Answer {
  readonly ids: readonly string[];
  /** With `*` for any text. */
  readonly where: readonly string[];
  readonly answer: string;
}

const DOCUMENT = fileURLToPath(new URL('../../docs/internals/security-scans.md', import.meta.url));

const quoted = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, each = '']) => each);

/** The answers in a document: the rows of its tables that begin with rules. */
export const answersIn = (text: string): readonly Answer[] =>
  [...text.matchAll(/^\| (`[A-Z]\w+`.*?) \| (`.*?`) \| (.*?) \|$/gm)].map(
    ([, ids = '', where = '', answer = '']) => ({ ids: quoted(ids), where: quoted(where), answer }),
  );

const matches = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.replace(/[\\^$.+?()[\]{}|]/g, '\\$&').replaceAll('*', '.*')}$`).test(text);

/** Findings without an answer, and answers to nothing. */
export function unanswered(findings: readonly Finding[], answers: readonly Answer[]): readonly string[] {
  const expected = answers.flatMap(({ ids, where }) =>
    ids.flatMap((id) => where.map((pattern) => ({ id, pattern }))),
  );
  const covers = ({ id, pattern }: { id: string; pattern: string }, finding: Finding): boolean =>
    id === finding.id && matches(pattern, finding.where);
  return [
    ...findings
      .filter((finding) => !expected.some((answer) => covers(answer, finding)))
      .map(({ id, where, text }) => `no answer: ${id} ${where}: ${text}`),
    ...expected
      .filter((answer) => !findings.some((finding) => covers(answer, finding)))
      .map(({ id, pattern }) => `an answer to nothing: ${id} ${pattern}`),
  ];
}

/** What cfn-lint or checkov printed as JSON. */
function findingsIn(text: string): readonly Finding[] {
  // biome-ignore lint/suspicious/noExplicitAny: what tools print
  const printed: any = JSON.parse(text);
  return [printed].flat().flatMap((each) => {
    if (each.Rule !== undefined)
      return [
        {
          id: each.Rule.Id,
          where: `${basename(each.Filename)}:${each.Location?.Path?.[1] ?? ''}`,
          text: each.Message,
        },
      ];
    // biome-ignore lint/suspicious/noExplicitAny: what tools print
    return (each.results?.failed_checks ?? []).map((check: any) => ({
      id: check.check_id,
      where: `${basename(check.file_path)}:${check.resource}`,
      text: check.check_name,
    }));
  });
}

/** `findings.ts FILE…`: what scanners printed against docs/internals/security-scans.md. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const findings = process.argv.slice(2).flatMap((file) => findingsIn(readFileSync(file, 'utf8')));
  const wrong = unanswered(findings, answersIn(readFileSync(DOCUMENT, 'utf8')));
  for (const each of [...new Set(wrong)]) console.error(each);
  console.log(`${findings.length} findings`);
  if (wrong.length > 0) process.exitCode = 1;
}
