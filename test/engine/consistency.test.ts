import { beforeEach, describe, expect, test } from 'vitest';
import { CLOCK_SKEW_MS, COHERENCE_MARGIN_MS } from '../../table/timing.ts';
import { createWorld, type World } from '../support/world.ts';
import { timelines } from './timeline.ts';

/** `cached`, `strong` and `atLeast`, on the real engine: what each may answer, and what each reads. */
const flat = 'tenant:fresh';
const world = await createWorld(`
pages: [home]
roles: { reader: { id: reader, global: true, allow: [home] } }
scopes: { Fresh: { id: fresh, type: tenant } }
users: { ann: { id: ann } }
`);

const grant = () => ({ user: 'ann', scope: flat });
let token = '';
async function write(command: string, input: Record<string, unknown>): Promise<void> {
  const answer = await world.provision({ command, input });
  if (!answer.ok) throw new Error(answer.error.message);
  token = String(answer.token);
}
const ask = (
  engine: ReturnType<World['newEngine']>,
  scope: string,
  consistency: 'strong' | { atLeast: string },
) => engine.check('user:ann', 'home', scope, { consistency });
const operations = () => world.calls.map(({ operation }) => operation);
beforeEach(() => {
  world.settle();
  world.calls.length = 0;
});

describe('strong', () => {
  test('answers from the table, whatever is cached, and caches what it read', async () => {
    const engine = world.newEngine();
    const cached = () => engine.check('user:ann', 'home', flat);
    expect(await cached()).toMatchObject({ allowed: false });
    await write('grant.create', { ...grant(), roles: ['reader'] });
    // From the margin on nobody needs to read again what was written to know that it was there.
    world.clock.advance(COHERENCE_MARGIN_MS);
    expect(await cached()).toMatchObject({ allowed: false });
    expect(await ask(engine, flat, 'strong')).toMatchObject({ allowed: true });
    world.calls.length = 0;
    expect(await cached()).toMatchObject({ allowed: true });
    expect(operations()).toEqual([]);
    await write('grant.delete', grant());
    expect(await cached()).toMatchObject({ allowed: true });
    expect(await ask(engine, flat, 'strong')).toMatchObject({ allowed: false });
  });
});

describe('atLeast', () => {
  test('never answers from before the write, in any process; what was read long after it may answer', async () => {
    const [here, elsewhere] = [world.newEngine(), world.newEngine()];
    for (const engine of [here, elsewhere]) await engine.check('user:ann', 'home', flat);
    for (const [command, input, allowed] of [
      ['grant.create', { ...grant(), roles: ['reader'] }, true],
      ['grant.delete', grant(), false],
    ] as const) {
      await write(command, input);
      for (const engine of [here, elsewhere]) {
        world.calls.length = 0;
        expect(await ask(engine, flat, { atLeast: token })).toMatchObject({ allowed });
        // The user was written within the margin: what was read with it is read once more.
        expect(operations()).toEqual(['BatchGetItem', 'BatchGetItem']);
      }
    }
    const written = token;
    world.clock.advance(30_000);
    await here.check('user:ann', 'home', flat, { consistency: 'strong' });
    world.calls.length = 0;
    expect(await ask(here, flat, { atLeast: written })).toMatchObject({ allowed: false });
    expect(operations()).toEqual([]);
  });
});

timelines(`
  atLeast of a writer whose clock is behind is not answered from what was read before its write
    ask 0 → role · later 1 · revoke 0 · ask 0 since ${1 - CLOCK_SKEW_MS} → no_grant
  atLeast is not answered from what a slow read from before the write caches in the meantime
    hold · begin 1 · later 2 · grant 1 now · begin 1 since 0 · let go
    later 1 · answer 0 · ends → subject_unknown · answer 1 · ends → role
  nor does it share such a read, even if that began in the same tick of the clock
    hold · begin 0 · revoke 0 now · begin 0 since 0 · let go · later 1 · answer 0 · answer 1 · ends → role · ends → no_grant
  a strong check is one call if the subject is cached as missing
    ask 1 → subject_unknown · grant 1 · ask 1 strong → role · reads → 5 5
`);
