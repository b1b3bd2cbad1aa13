import { expect, test } from 'vitest';
import { isListed, withoutNames } from '../../cli/input-names.ts';
import { NameError, namesIn, resolveBy } from '../../cli/references.ts';
import { describeCommands, fieldsOf } from '../../provisioning/documents/commands.ts';
import { EXAMPLES } from '../../provisioning/documents/examples.ts';
import { namedBy } from '../../provisioning/documents/named-fields.ts';
import { createLightWorld } from '../support/world.ts';

/** Verbs of what has to be there. */
const OF_WHAT_EXISTS = /^(?:read|read-all|update|delete|erase|move|revoke)$/;

test('of every command, an id or a reference of what does not exist is wrong input', async () => {
  const { provision, reader } = await createLightWorld();
  const others: string[] = [];
  let tried = 0;
  for (const described of describeCommands()) {
    const { name } = described;
    const input = EXAMPLES.get(name);
    // Those look for what may not be there.
    if (!input || /^(?:audit\.list|name\.|tenant\.(?:plan|apply|onboard)$)/.test(name)) continue;
    const named = fieldsOf(described).filter(
      (field) => input[field.name] !== undefined && namedBy(name, field, input),
    );
    const [, verb = ''] = name.split('.');
    if (named.length === 0 && !OF_WHAT_EXISTS.test(verb)) continue;
    tried += 1;
    const command = { name, fields: fieldsOf(described) };
    const code = await withoutNames(resolveBy(namesIn(reader)), command, input, isListed(described)).then(
      async (sent) => {
        const answer = await provision({ command: name, input: sent, dryRun: true });
        return answer.ok ? 'ok' : answer.error.code;
      },
      (error: unknown) => (error instanceof NameError ? error.code : 'internal'),
    );
    if (!['name_unknown', 'not_found', 'invalid'].includes(code)) others.push(`${name}: ${code}`);
  }
  expect(tried).toBeGreaterThan(120);
  expect(others).toEqual([]);
});
