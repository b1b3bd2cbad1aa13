import { expect, test } from 'vitest';
import { documentCommands } from '../provisioning/documents/commands-page.ts';
import { ENTITIES } from '../table/entities/registry.ts';
import { textOf } from './documents/documents.ts';

/** The text below a heading of the second level. */
const sectionOf = (document: string, heading: string): string =>
  textOf(document).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

test('docs/commands.md has a line for each command, with its fields, below the fields of its kind', () => {
  const commands = documentCommands();
  expect(commands.length).toBeGreaterThan(150);
  const missing = commands.flatMap(({ name, input, undo, example }) => {
    const section = sectionOf('docs/commands.md', name.slice(0, name.indexOf('.')));
    const line = section.split('\n').find((each) => each.startsWith(`- **\`${name}\`** `)) ?? '';
    const fields = Object.keys(input.properties ?? {});
    const isShown =
      fields.every((field) => line.includes(`\`${field}\``) && section.includes(`\n| \`${field}\` | `)) &&
      line.includes(undo ?? '');
    const [shown] = /(?<=\n```json\n).*/.exec(section) ?? [];
    const isFirst = section.indexOf(line) === section.indexOf('- **`');
    return isShown && line !== '' && (!isFirst || shown === JSON.stringify(example)) ? [] : [name];
  });
  expect(missing).toEqual([]);
});

test('a field that has two types says which command takes which', () => {
  const section = sectionOf('docs/commands.md', 'tenant');
  expect(section).toContain(
    'at most 128 characters (create, update); string, at most 1024 characters (read) |',
  );
});

test('docs/internals/table.md has a row for each entity', () => {
  const entities = sectionOf('docs/internals/table.md', 'Entities').match(/^\| (?!---|entity)/gm) ?? [];
  expect(entities).toHaveLength(Object.keys(ENTITIES).length);
});
