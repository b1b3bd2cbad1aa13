import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyOf, createMemoryWorld } from '../support/world.ts';
import { atTerminal, gatehouse } from './support.ts';

/**
 * What is typed and what is answered, in transcripts/*.txt:
 *
 *   === manifest       what the table holds; also the file manifest.yaml
 *   === file NAME      a file beside it
 *   === any title      a test, on a copy of that table
 *   $ gatehouse …      FOLDER is the one with these files; then what it prints: lines of the error stream begin with !, and [1] is an exit code that is not 0
 *   $ cat NAME         what a file holds that was written beside
 *   $ sed 's/a/b/' A > B, $ diff A B, $ rm A, $ sleep SECONDS
 *
 * Before a subcommand stand variables of its environment. Two are not: TYPED is typed at a terminal, where what it asks
 * begins with ?; without a text, input ends. TABLE_NAME=OTHER is another table, which is empty at first.
 *
 * `…` stands for any text, ID for an id that was made, $ID for the last of them. With TRANSCRIPTS=write, what differs is
 * written anew: read it before you commit it.
 */
const FOLDER = new URL('transcripts/', import.meta.url);
const START = Date.parse('2026-02-01T00:00:00Z');
/** Ids that were made: anew, or of names. */
const IDS = /\b(?:[0-7][0-9A-HJKMNP-TV-Z]{25}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/g;

interface Block {
  readonly title: string;
  readonly lines: string[];
}
const blocksOf = (text: string): readonly Block[] =>
  text
    .split(/^=== /m)
    .slice(1)
    .map((block) => {
      const [title = '', ...lines] = block.trimEnd().split('\n');
      return { title, lines };
    });

const wordsOf = (line: string): string[] =>
  (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''));

/** Whether a text is as expected, where `…` is any text on a line, or alone on a line any lines. */
function isAs(text: string, expected: string): boolean {
  const pattern = expected
    .split('\n')
    .map((line) =>
      line === '…' ? '[\\s\\S]*?' : line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*?'),
    );
  return new RegExp(`^${pattern.join('\n')}$`).test(text);
}

describe.each(readdirSync(FOLDER))('%s', (name) => {
  const file = new URL(name, FOLDER);
  const text = readFileSync(file, 'utf8');
  const blocks = blocksOf(text);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-transcript-'));
  const files = blocks.filter(({ title }) => title.startsWith('file '));
  const tests = blocks.filter(({ title }) => title !== 'manifest' && !title.startsWith('file '));
  const made = createMemoryWorld();

  beforeAll(async () => {
    for (const { title, lines } of files) {
      const path = join(folder, title.slice(5));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${lines.join('\n')}\n`);
    }
    const manifest = blocks.find(({ title }) => title === 'manifest')?.lines.join('\n');
    if (manifest === undefined) return;
    writeFileSync(join(folder, 'manifest.yaml'), `${manifest}\n`);
    await made.apply(manifest);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    if (process.env.TRANSCRIPTS !== 'write') return;
    const written = blocks.map(({ title, lines }) => `=== ${title}\n${lines.join('\n')}\n`).join('\n');
    writeFileSync(file, text.slice(0, text.search(/^=== /m)) + written);
  });

  const textOf = (file: string): string =>
    readFileSync(file.startsWith('docs/') ? file : join(folder, file), 'utf8');
  /** What is no subcommand. */
  const TOOLS: Readonly<Record<string, (...args: readonly string[]) => string>> = {
    cat: (file = '') =>
      existsSync(join(folder, file))
        ? textOf(file).replace(IDS, 'ID').trimEnd()
        : '! there is no such file\n[1]',
    sed: (script = '', file = '', _, to = '') => {
      const changed = script.split(';').reduce((text, each) => {
        const [, from = '', by = ''] = each.split('/');
        const next = text.replace(new RegExp(from, 'g'), by.replaceAll('\\n', '\n'));
        if (next === text) throw new Error(`${each} changes nothing`);
        return next;
      }, textOf(file));
      writeFileSync(join(folder, to), changed);
      return '';
    },
    rm: (file = '') => {
      rmSync(join(folder, file));
      return '';
    },
    diff: (one = '', other = '') => (textOf(one) === textOf(other) ? '' : '[1]'),
  };

  test.each(tests)('$title', async ({ lines }) => {
    const [world, other] = [copyOf(made), createMemoryWorld()];
    let [id, turn, slept] = ['', 0, 0];
    async function run(line: string): Promise<string> {
      // Time passes with each look at it, and a second with each command: the same on any machine.
      let now = START + slept + 1_000 * ++turn;
      const words = wordsOf(line.replace('$ID', id));
      const [tool = '', ...operands] = words;
      if (tool === 'sleep') slept += 1_000 * Number(operands[0]);
      if (tool === 'sleep') return '';
      if (TOOLS[tool]) return TOOLS[tool](...operands);
      const at = words.indexOf('gatehouse');
      const { TYPED, ...given } = Object.fromEntries(
        words.slice(0, at).map((word) => word.split(/=(.*)/s).slice(0, 2)),
      );
      if (given.TABLE_NAME === 'OTHER') given.TABLE_NAME = other.table;
      const args = words
        .slice(at + 1)
        .map((word) =>
          /^[\w-]+(?:\.\w+)*\.(?:csv|json|jsonl|ts|txt|yaml)$/.test(word)
            ? join(folder, word)
            : word.replace('FOLDER', folder),
        );
      // Tests of a model without a table are on one in memory, as where no engine is installed.
      const { platform } = process;
      if (args[0] === 'test') Object.defineProperty(process, 'platform', { value: 'sunos' });
      const changes = { env: { TABLE_NAME: world.table, USER: 'ops', ...given }, now: () => ++now };
      const { code, out, error, asked } = await (TYPED === undefined
        ? gatehouse(args, changes).then((ran) => ({ ...ran, asked: '' }))
        : atTerminal(JSON.parse(`"${TYPED}"`), args, changes)
      ).finally(() => Object.defineProperty(process, 'platform', { value: platform }));
      id = [...`${error}${out}`.matchAll(IDS)].at(-1)?.[0] ?? id;
      const question = stripVTControlCharacters(asked).replaceAll('\r', '').trimEnd().replace(/^/gm, '? ');
      const printed = `${asked && `${question}\n`}${error.replace(/^(?=.)/gm, '! ')}${out}${out === '' || out.endsWith('\n') ? '' : '\n'}${code === 0 ? '' : `[${code}]\n`}`;
      return stripVTControlCharacters(printed)
        .replaceAll(`${folder}/`, '')
        .replaceAll(folder, 'FOLDER')
        .replaceAll(other.table, 'OTHER')
        .replaceAll(world.table, 'TABLE')
        .replace(IDS, 'ID')
        .replace(/gh1([._])[\w.-]+/g, 'gh1$1SECRET')
        .replace(/(cursor\W{1,4})[\w=-]{20,}/g, '$1CURSOR')
        .replace(/2026-02-01T00:0\d:\d\d\.\d{3}Z/g, 'NOW')
        .replace(/(2026-02-01T\d\d:\d\d:\d\d)\.\d{3}Z/g, '$1Z')
        .trimEnd();
    }

    const seen: string[] = [];
    for (let n = 0; n < lines.length; ) {
      const line = String(lines[n++]);
      seen.push(line);
      if (!line.startsWith('$ ')) continue;
      const expected: string[] = [];
      while (n < lines.length && !lines[n]?.startsWith('$ ')) expected.push(String(lines[n++]));
      const printed = await run(line.slice(2));
      const wanted = expected.join('\n').trimEnd();
      const isRight = isAs(printed, wanted);
      if (!isRight && process.env.TRANSCRIPTS !== 'write') expect(printed, line).toBe(wanted);
      const shown = isRight ? wanted : printed;
      if (shown !== '') seen.push(...shown.split('\n'));
    }
    lines.splice(0, lines.length, ...seen);
  });
});
