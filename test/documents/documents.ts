import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withMade } from '../../docs/.vitepress/made.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const inFolder = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .sort();

/** README and what belongs to the documents that users read: their commands run, and their samples compile. */
export const GUIDES: readonly string[] = ['README.md', ...inFolder('docs')];

/** All documents of the repository, by their path in it. */
export const DOCUMENTS: readonly string[] = [
  ...GUIDES,
  ...inFolder('ADR'),
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md') && name !== 'README.md'),
];

/** The text of a document as the site shows it. */
export const textOf = (document: string): string => withMade(readFileSync(join(ROOT, document), 'utf8'));

export interface Block {
  readonly language: string;
  readonly text: string;
  /** The line of its first line, from 1. */
  readonly line: number;
}

/** The fenced blocks of a document, those within lists too. */
export const blocksOf = (document: string): readonly Block[] => blocksIn(textOf(document));

/** Those of a text. */
export function blocksIn(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { lines: string[]; indent: string; language: string; line: number } | undefined;
  for (const [position, line] of markdown.split('\n').entries()) {
    const [, indent, language = ''] = FENCE.exec(line) ?? [];
    if (indent === undefined) open?.lines.push(line.replace(open.indent, ''));
    else if (open) {
      blocks.push({ language: open.language, text: `${open.lines.join('\n')}\n`, line: open.line });
      open = undefined;
    } else open = { lines: [], indent, language: language.trim(), line: position + 2 };
  }
  return blocks;
}

const FENCE = /^(\s*)```(.*)$/;

/** A document without its blocks, by the same lines. */
export function proseOf(document: string): string {
  let isInBlock = false;
  return textOf(document)
    .split('\n')
    .map((line) => {
      if (!FENCE.test(line)) return isInBlock ? '' : line;
      isInBlock = !isInBlock;
      return '';
    })
    .join('\n');
}

/** What a heading says, without its marks. */
export const plain = (heading: string): string =>
  heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');

/** The links and pictures of a document, as Markdown and as HTML; what is written as code holds none. */
export const linksIn = (document: string): readonly string[] =>
  [
    ...proseOf(document)
      .replaceAll(/`[^`]*`/g, '``')
      .matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset)="([^"]+)"/g),
  ].map(([, link, source]) => link ?? source ?? '');
