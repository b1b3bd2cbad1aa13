import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { compile, folderInCheckout } from '../support/checkout-folder.ts';
import { type Block, blocksOf, GUIDES, ROOT } from './documents.ts';

/**
 * TypeScript in the documents compiles as it is printed, against the sources of this package: one run of tsc over all
 * samples. A sample that begins with a comment `// name.ts` is the file of that name, for the samples beside it. What
 * a fragment takes for granted is declared in `prelude.d.ts`.
 */
const LANGUAGES: Readonly<Record<string, string>> = { ts: 'ts', typescript: 'ts', tsx: 'tsx' };

/** The package's entries as documents import them, and their sources. */
const ENTRIES = Object.entries(packageJson.exports).flatMap(([entry, target]) =>
  typeof target === 'object' && target.default.endsWith('.js')
    ? [[entry.replace('.', packageJson.name), target.default.replace('./dist', ROOT).replace(/js$/, 'ts')]]
    : [],
);

const folder = folderInCheckout('samples');

interface Sample {
  readonly file: string;
  readonly document: string;
  /** The line of the document that holds its first line. */
  readonly line: number;
}

/** Writes a sample as a module of its own. One line before it makes it one. */
function write(document: string, { language, text, line }: Block): Sample {
  const named = /^\/\/ (\S+\.tsx?)\n/.exec(text)?.[1] ?? `line-${line}.${LANGUAGES[language]}`;
  const file = join(folder, document.replace(/\.md$/, ''), named);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `export {};\n${text}`);
  return { file, document, line };
}

test('every sample of TypeScript compiles', () => {
  const samples = GUIDES.flatMap((document) =>
    blocksOf(document)
      .filter(({ language }) => language in LANGUAGES)
      .map((block) => write(document, block)),
  );
  expect(samples.length).toBeGreaterThan(5);
  const folders = [...new Set(samples.map(({ file }) => dirname(file)))];
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        noUnusedLocals: false,
        noUnusedParameters: false,
        isolatedModules: false,
        jsx: 'react-jsx',
        lib: ['ES2023', 'ES2024.String', 'DOM'],
        paths: Object.fromEntries(ENTRIES.map(([entry, source]) => [entry, [source]])),
        // `./NAME.ts` in a document is a file of the examples.
        rootDirs: [...folders, join(ROOT, 'docs/examples')],
      },
      include: [],
      files: [
        ...samples.map(({ file }) => file),
        ...['prelude', 'packages'].map((name) => join(ROOT, `test/documents/${name}.d.ts`)),
      ],
    }),
  );
  const byFile = new Map(samples.map((sample) => [relative(ROOT, sample.file), sample]));
  const errors = compile(folder).replaceAll(/^(\S+)\((\d+),/gm, (all, file: string, at: string) => {
    const sample = byFile.get(file);
    return sample ? `${sample.document}:${sample.line + Number(at) - 2} (column ` : all;
  });
  expect(errors).toBe('');
});
