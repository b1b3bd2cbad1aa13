import { blocksIn } from '../documents/documents.ts';

/** What a reader of a document does, one after the other. */
export type Step =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'command'; readonly command: string; readonly output: readonly string[] };

/** The blocks of a document, each with the last line of text before it, unless another block stands in between. */
function fencesOf(markdown: string) {
  const lines = markdown.split('\n');
  let end = 0;
  return blocksIn(markdown).map(({ language, text, line }) => {
    const before = lines.slice(end, line - 2).filter((each) => each.trim() !== '');
    const shown = text.split('\n').slice(0, -1);
    end = line + shown.length;
    return { language, lines: shown, before: before.at(-1)?.trim() ?? '' };
  });
}

/**
 * The steps of a document. A fence after a line that ends in `` `name`: `` is a file, a fence of `sh` holds commands, and
 * a fence without a language right after it is what the last of these prints.
 */
export function stepsOf(markdown: string): readonly Step[] {
  const steps: Step[] = [];
  for (const { language, lines, before } of fencesOf(markdown)) {
    const file = /`([^`\s]+)`:$/.exec(before)?.[1];
    const last = steps.at(-1);
    if (file !== undefined) steps.push({ kind: 'file', name: file, text: `${lines.join('\n')}\n` });
    else if (language === 'sh')
      for (const command of lines.filter((line) => line !== '' && !line.startsWith('#')))
        steps.push({ kind: 'command', command, output: [] });
    else if (language === '' && before === '' && last?.kind === 'command')
      steps.splice(-1, 1, { ...last, output: lines });
  }
  return steps;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The first line of `expected` that `printed` does not hold in its place; `…` stands for anything. */
export function missingIn(printed: string, expected: readonly string[]): string | undefined {
  let rest = printed.split('\n').map((line) => line.trimEnd());
  for (const line of expected.map((each) => each.trimEnd())) {
    if (line === '' || line.trim() === '…') continue;
    const pattern = new RegExp(`^${line.split('…').map(escaped).join('.*')}$`);
    const found = rest.findIndex((each) => pattern.test(each));
    if (found < 0) return line;
    rest = rest.slice(found + 1);
  }
  return undefined;
}
