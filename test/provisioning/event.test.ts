import { describe, expect, test } from 'vitest';
import { createLedgerWorld } from './support.ts';

/** The event around the input: what is not as it should be is refused before anything is read. */
const world = await createLedgerWorld();

const good = { command: 'user.create', input: {} };

test.each([
  ['nothing', undefined, 'event'],
  ['null', null, 'event'],
  ['a text', 'user.create', 'event'],
  ['a number', 7, 'event'],
  ['a list', [good], 'event'],
  ['no command', { input: {} }, 'command'],
  ['a command that is no text', { ...good, command: { name: 'user.create' } }, 'command'],
  ['an empty command', { ...good, command: '' }, 'command'],
  ['a command of 10 KB', { ...good, command: 'u'.repeat(10_240) }, 'command'],
  ['an unknown command', { ...good, command: 'planet.create' }, 'command'],
  ['a name that every object has', { ...good, command: 'constructor' }, 'command'],
  ['no input', { command: 'user.create' }, 'input'],
  ['an input that is null', { ...good, input: null }, 'input'],
  ['an input that is a list', { ...good, input: [] }, 'input'],
  ['an input that is a text', { ...good, input: '{}' }, 'input'],
  ['an empty operationId', { ...good, operationId: '' }, 'operationId'],
  ['an operationId that is a number', { ...good, operationId: 7 }, 'operationId'],
  ['an operationId of 10 KB', { ...good, operationId: 'x'.repeat(10_240) }, 'operationId'],
  ['an operationId with #', { ...good, operationId: 'a#META' }, 'operationId'],
  ['an operationId with a line break', { ...good, operationId: 'a\nb' }, 'operationId'],
  ['an actor with a control character', { ...good, actor: 'ann\u0007' }, 'actor'],
  ['an actor that is an object', { ...good, actor: { id: 1 } }, 'actor'],
  ['a dryRun that is a text', { ...good, dryRun: 'true' }, 'dryRun'],
  ['a field that is not known', { ...good, dryrun: true }, 'dryrun'],
  ['a field named __proto__', JSON.parse('{"command":"user.create","input":{},"__proto__":{}}'), '__proto__'],
])('%s is refused', async (_, event, field) => {
  world.calls.length = 0;
  expect(await world.provision(event)).toEqual({
    ok: false,
    error: { code: 'invalid', message: expect.any(String), field, retryable: false },
  });
  expect(world.calls).toEqual([]);
});

test('an unknown command of a known kind is answered with those that there are', async () => {
  const answer = await world.provision({ command: 'admin.update', input: {} });
  expect(answer).toMatchObject({
    error: {
      message: 'no such command; of admin there are admin.create, admin.read, admin.delete, admin.list',
    },
  });
});

describe('an operationId', () => {
  // The longest in bytes: its key must still be one that the table takes.
  test.each(['\u{1f680}'.repeat(64), '\uffe6'.repeat(128), 'deploy 7/8 (ann)'])(
    'may be %s',
    async (operationId) => {
      const answer = await world.provision({ ...good, operationId });
      expect(answer).toMatchObject({ ok: true });
      expect(await world.provision({ ...good, operationId })).toEqual(answer);
    },
  );
});

test.each(['user.list', 'admin.list', 'role.list'])(
  '%s says nothing of a write: no token',
  async (command) => {
    const answer = await world.provision({ command, input: {} });
    expect(answer).toEqual({ ok: true, result: { items: expect.anything() } });
  },
);
