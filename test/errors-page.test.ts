import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** docs/errors.md has a row for each code of the sources, and none that no source has. */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PAGE = textOf('docs/errors.md');

interface Row {
  readonly code: string;
  readonly cells: readonly string[];
}

/** The rows of the table after `<!-- codes: NAME -->`. */
function rowsOf(name: string): readonly Row[] {
  const [, table = ''] = new RegExp(`<!-- codes: ${name} -->\\n\\n((?:\\|.*\\n)+)`).exec(PAGE) ?? [];
  return table
    .split('\n')
    .slice(2)
    .filter((line) => line !== '')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, code = '', ...cells]) => ({ code: code.replaceAll('`', ''), cells: cells.slice(0, -1) }));
}

const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
const quoted = (text: string): readonly string[] =>
  [...text.matchAll(/'(\w+)'/g)].map(([, code = '']) => code);

/** The members of a union of texts, as its declaration lists them. */
function unionOf(path: string, name: string): readonly string[] {
  const [, declared = ''] = new RegExp(`\\b${name}\\s*=([^;]*);`).exec(withoutComments(textOf(path))) ?? [];
  const codes = quoted(declared);
  expect(codes.length, `${name} of ${path}`).toBeGreaterThan(0);
  return codes;
}

/** Texts that a pattern finds in all sources of a folder. */
const foundIn = (folder: string, pattern: RegExp): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...withoutComments(textOf(join(folder, file))).matchAll(pattern)])
    .flatMap(([, code = '']) => code);

const TABLE = unionOf('table/errors.ts', 'type ErrorCode');

const CODES: Readonly<Record<string, readonly string[]>> = {
  decision: [
    ...unionOf('engine/decision.ts', 'type AllowReason'),
    ...['type DenyReason', 'type ActorReason', 'type MandateReason'].flatMap((name) =>
      unionOf('engine/decision.ts', name),
    ),
  ],
  explanation: quoted(
    /readonly code: Reason \|([^;]*);/.exec(textOf('engine/explain/explanation.ts'))?.[1] ?? '',
  ),
  refusal: unionOf('authorizer/answer.ts', 'type Refusal'),
  credentials: unionOf('authorizer/errors.ts', 'type CredentialsCode'),
  fault: [
    ...unionOf('authorizer/errors.ts', 'type FaultCode'),
    ...quoted(/constructor\(code:([^)]*)\)/.exec(textOf('authorizer/credentials/keys.ts'))?.[1] ?? ''),
  ],
  table: TABLE,
  // Literals and unions; `custom` is Zod's own, for an issue of a schema.
  cli: foundIn('cli', /\bcode(?:: string =| =|:) ((?:\w+ \? )?'[^;,)]*')/g)
    .flatMap(quoted)
    .filter((code) => code !== 'custom' && !TABLE.includes(code)),
  status: [
    ...['authzen', 'authorizer/service']
      .flatMap((folder) => foundIn(folder, /\b(?:text\(|status: )(\d{3})\b/g))
      .filter((status) => status !== '200'),
    ...foundIn('middleware', /^ {2}(\d{3}): '/gm),
  ],
};

const sorted = (codes: Iterable<string>): readonly string[] => [...new Set(codes)].sort();

describe.each(Object.keys(CODES))('%s', (name) => {
  const rows = rowsOf(name);

  test('has a row for each code, and no other', () => {
    expect(sorted(rows.map(({ code }) => code))).toEqual(sorted(CODES[name] ?? []));
    expect(new Set(rows.map(({ code }) => code)).size).toBe(rows.length);
  });

  test('says of each refusal what it means, why and what to do', () => {
    const isAllow = (code: string) => code === 'role' || code === 'admin';
    for (const { code, cells } of rows) {
      expect(cells.length, code).toBe(3);
      if (!isAllow(code))
        expect(
          cells.filter((cell) => cell === ''),
          code,
        ).toEqual([]);
    }
  });
});

test('the retries of the table are those of its errors', async () => {
  const { GatehouseError } = await import('../table/errors.ts');
  for (const { code, cells } of rowsOf('table')) {
    const { retryable } = new GatehouseError(code as never, '');
    expect(cells.at(-1)?.startsWith('**Retry**'), code).toBe(retryable);
  }
});
