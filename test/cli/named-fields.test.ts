import { expect, test } from 'vitest';
import { describeCommands, fieldsOf } from '../../provisioning/documents/commands.ts';
import { namedBy } from '../../provisioning/documents/named-fields.ts';

/** What is made of names: transcripts/names.txt. */
test('every field of a command that takes an id or a reference of what has a name is looked up', () => {
  const OTHERS = new Set(['sessionId', 'mandate']);
  const left = describeCommands().flatMap((command) =>
    fieldsOf(command)
      .filter((field) => {
        const { description = '', anyOf, items } = field.property;
        const texts = [description, ...(anyOf ?? []).map((each) => each.description), items?.description];
        const takes = texts.some((text) => /^(?:id \(|id of a user|reference such as)/.test(text ?? ''));
        return takes && !OTHERS.has(field.name) && !namedBy(command.name, field, {});
      })
      .filter(({ name }) => name !== 'id')
      .map(({ name }) => `${command.name} ${name}`),
  );
  expect(left).toEqual([]);
});
