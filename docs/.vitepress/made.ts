import { readFileSync } from 'node:fs';
import { tableOf } from '../../bench/documents.ts';
import { readResults } from '../../bench/harness/figures.ts';
import { EXIT_CODES, FAULT } from '../../cli/exit-codes.ts';
import { commandsAsMarkdown, documentCommands } from '../../provisioning/documents/commands-page.ts';
import { markdownTable, tableAsMarkdown } from '../../provisioning/documents/table.ts';
import { faultsAsMarkdown } from '../../test/faults/page.ts';
import dependencies from './dependencies.json' with { type: 'json' };
import { VARIABLES } from './variables.ts';

/**
 * What documents show and git does not hold. A paragraph that begins with `<!-- made: NAME -->` is its place; the rest
 * of the paragraph says, where the document is read without the site, how to see it.
 */
const PLACE = /^<!-- made: ([a-z][a-z ./-]*) -->(?:.|\n(?=.))*/gm;

/** What each exit code of each subcommand means; that of 2 only where it is special. */
const exitCodesAsMarkdown = (): string =>
  markdownTable(
    ['subcommand', '0', '1', '2'],
    EXIT_CODES.map(({ of, ...codes }) => [
      of.map((name) => `\`${name}\``).join(', '),
      codes[0],
      codes[1] ?? '',
      codes[2] === FAULT ? '' : codes[2],
    ]),
  );

/** What users get with the package: installed, optional, or built into the explorer's page. */
const dependenciesAsMarkdown = (): string =>
  markdownTable(
    ['dependency', 'how it comes', 'why'],
    Object.entries(dependencies).flatMap(([how, reasons]) =>
      Object.entries(reasons).map(([name, why]) => [`\`${name}\``, how, why]),
    ),
  );

const MADE: Readonly<Record<string, () => string>> = {
  commands: () => commandsAsMarkdown(documentCommands()),
  dependencies: dependenciesAsMarkdown,
  'exit codes': exitCodesAsMarkdown,
  faults: faultsAsMarkdown,
  table: tableAsMarkdown,
  ...VARIABLES,
};
const texts = new Map<string, string>();

/** `example FILE`: a file of docs/examples as a block, in the language that its name ends with. */
function exampleOf(name: string): string | undefined {
  if (!name.startsWith('example ')) return undefined;
  const file = new URL(`../examples/${name.slice('example '.length)}`, import.meta.url);
  const [, language = ''] = /\.(csv|json|sql|ts|yaml)$/.exec(name) ?? [];
  return `\`\`\`${language}\n${readFileSync(file, 'utf8')}\`\`\``;
}

function make(name: string): string {
  const text = exampleOf(name) ?? MADE[name]?.() ?? tableOf(name, readResults());
  if (text === undefined) throw new Error(`nothing makes <!-- made: ${name} -->`);
  texts.set(name, text);
  return text;
}

/** A picture of the explorer, of which there are four: light and dark, wide and narrow. */
const PICTURE = /^!\[([^\]]*)\]\((pictures\/explorer\/[a-z-]+)-light-wide\.png\)$/gm;

const pictureOf = (alt: string, path: string): string => `<picture>
  <source media="(max-width: 40rem) and (prefers-color-scheme: dark)" srcset="./${path}-dark-narrow.png">
  <source media="(max-width: 40rem)" srcset="./${path}-light-narrow.png">
  <source media="(prefers-color-scheme: dark)" srcset="./${path}-dark-wide.png">
  <img src="./${path}-light-wide.png" alt="${alt}">
</picture>`;

/** A document with all that is made in its place. */
export const withMade = (markdown: string): string =>
  markdown
    .replace(PLACE, (_, name: string) => texts.get(name) ?? make(name))
    .replace(PICTURE, (_, alt: string, path: string) => pictureOf(alt, path));
