import { describe, expect, test } from 'vitest';
import { createLightLedgerWorld, type Input } from './support.ts';

/**
 * `dryRun`: what would happen, and nothing happens. Of every command: examples.integration.test.ts, and
 * corners.integration.test.ts where it fails, as batch.test.ts has it for several.
 */
const world = await createLightLedgerWorld();

const dry = (command: string, input: Input, more: Input = {}) =>
  world.provision({ command, input, dryRun: true, ...more });

describe('a dry run under an operationId', () => {
  test('does not use it up', async () => {
    const operationId = 'rehearsed';
    expect(await dry('user.create', { username: 'rehearsed' }, { operationId })).toMatchObject({ ok: true });
    const real = { command: 'user.create', input: { username: 'performed' }, operationId };
    expect(await world.provision(real)).toMatchObject({ ok: true });
  });

  test('looks again each time: an answer of a moment ago is not repeated', async () => {
    const id = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9D';
    const attempt = () => dry('page.create', { name: 'again' }, { operationId: id });
    expect(await attempt()).toMatchObject({ ok: true });
    await world.run('page.create', { name: 'again' });
    expect(await attempt()).toMatchObject({ error: { code: 'conflict', field: 'name' } });
  });
});
