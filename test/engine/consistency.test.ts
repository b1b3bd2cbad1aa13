import { beforeEach, describe, expect, test } from 'vitest';
import { formatFreshnessToken } from '../../table/freshness-token.ts';
import { formatRef } from '../../table/identifiers.ts';
import { CLOCK_SKEW_MS, COHERENCE_MARGIN_MS } from '../../table/timing.ts';
import { createWorld, type World } from '../support/world.ts';
import { createSchool, GRANTED, PLACE, REVOKED, userRef } from './fake-table.ts';

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

test('atLeast of a writer whose clock is behind is not answered from what was read before its write', async () => {
  const { newEngine, ask, clock, putUser } = createSchool();
  const engine = newEngine();
  expect(await ask(engine)).toMatchObject({ allowed: true });
  clock.advance(1);
  putUser(0, REVOKED);
  const consistency = { atLeast: formatFreshnessToken(clock.now() + 1 - CLOCK_SKEW_MS) };
  const answer = await engine.check(formatRef(userRef(0)), 'dashboard', formatRef(PLACE), { consistency });
  expect(answer).toMatchObject({ allowed: false });
});

describe('atLeast beside a slow read from before the write', () => {
  /** A read that sees a person as they were is not answered yet; then they are written. */
  function besideASlowRead() {
    const { newEngine, ask, clock, reads, hold, letGo, putUser } = createSchool();
    const engine = newEngine();
    hold();
    /** Writes the person and asks for a decision that has seen it. */
    const writeAndAsk = (n: number, attributes: object) => {
      putUser(n, { ...attributes, writtenAt: clock.now() });
      const consistency = { atLeast: formatFreshnessToken(clock.now()) };
      return engine.check(formatRef(userRef(n)), 'dashboard', formatRef(PLACE), { consistency });
    };
    return { clock, reads, ask: (n: number) => ask(engine, n), letGo, writeAndAsk };
  }

  test('is not answered from what that read caches in the meantime', async () => {
    const { clock, reads, ask, letGo, writeAndAsk } = besideASlowRead();
    const slow = ask(1);
    clock.advance(2);
    const answer = writeAndAsk(1, GRANTED);
    letGo();
    clock.advance(1);
    reads[0]?.answer();
    expect(await slow).toMatchObject({ reason: 'subject_unknown' });
    reads[1]?.answer();
    expect(await answer).toEqual({ allowed: true, reason: 'role' });
  });

  test('does not share it, even if it began in the same tick of the clock', async () => {
    const { clock, reads, ask, letGo, writeAndAsk } = besideASlowRead();
    const slow = ask(0);
    const answer = writeAndAsk(0, REVOKED);
    letGo();
    clock.advance(1);
    for (const read of [...reads]) read.answer();
    expect(await slow).toMatchObject({ allowed: true });
    expect(await answer).toEqual({ allowed: false, reason: 'no_grant' });
  });
});
