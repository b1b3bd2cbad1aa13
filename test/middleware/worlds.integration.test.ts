import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { honoGuard, honoPermissions, type Snapshot } from '../../middleware/index.ts';
import { ask, furnish, giveOtherwise } from '../proof/oracle/generate.ts';
import type { Question } from '../proof/oracle/model.ts';
import { createRandom } from '../proof/oracle/random.ts';
import { createStage } from '../proof/oracle/stage.ts';
import { again, SEED } from '../support/seed.ts';
import { size } from '../support/tier.ts';

/** In random worlds a guard lets through what the engine allows, and a snapshot promises nothing else. */
const WORLDS = size(3, 60);
const QUESTIONS = 150;

const open = createStage('').open;

/** A world that chance has made, and an application whose requests carry questions. */
async function play(seed: number) {
  const random = createRandom(seed);
  const world = await open();
  const { names, operations } = furnish(random, true);
  for (const { command, input } of operations) await world.carryOut(command, input);
  const engine = world.newEngine();
  const { now } = world.clock;
  let asked: Question | undefined;
  const question = () => asked as Question;
  const app = new Hono();
  const who = () => ({ subject: question().subject, groups: question().groups });
  const parts = { engine, reader: world.reader, now, who, onFault: fail };
  const guard = honoGuard({ ...parts, showReason: true });
  app.get(
    '/guarded',
    guard(
      () => question().permission,
      () => question().scope,
      { given: () => question().given },
    ),
    (c) => c.text('allowed'),
  );
  app.all('/permissions', honoPermissions(parts));
  /** Asks at the question's instant, or as long after it as the clock has got. */
  const at = (next: Question) => {
    asked = next;
    world.clock.advance(Math.max(0, next.at - now()));
  };
  return { ...world, app, engine, random, names, at, now };
}

function fail(error: unknown): never {
  throw new Error(`${again()}: a fault: ${error}`);
}

/** What a guard adds to what the application gives, also where it has none. */
const withRequest = ({ given, groups }: Question, time: number) => ({
  ...given,
  groups,
  context: {
    ...given?.context,
    time: new Date(time),
    method: 'GET',
    path: '/guarded',
    ip: undefined,
    userAgent: undefined,
    claims: undefined,
  },
});

test('a guard lets through exactly what the engine allows', async () => {
  const counts = { allowed: 0, refused: 0 };
  for (let seed = SEED; seed < SEED + WORLDS; seed++) {
    const world = await play(seed);
    for (let count = 0; count < QUESTIONS; count++) {
      const question = ask(world.random, world.names);
      world.at(question);
      const { subject, permission, scope } = question;
      const decision = await world.engine.check(
        subject,
        permission,
        scope,
        withRequest(question, world.now()),
      );
      const answer = await world.app.request('/guarded');
      const found =
        answer.status === 200 ? 'allowed' : ((await answer.json()) as { readonly reason: string }).reason;
      const place = `${again(seed)} ${JSON.stringify(question)}`;
      expect([answer.status, found], place).toEqual(
        decision.allowed ? [200, 'allowed'] : [403, decision.reason],
      );
      counts[decision.allowed ? 'allowed' : 'refused']++;
    }
  }
  expect(Math.min(counts.allowed, counts.refused)).toBeGreaterThan((WORLDS * QUESTIONS) / 20);
});

test('a snapshot names what is allowed whatever is given, and asks about all else that may be', async () => {
  const counts = { allowed: 0, asked: 0 };
  for (let seed = SEED; seed < SEED + WORLDS; seed++) {
    const world = await play(seed);
    for (let count = 0; count < QUESTIONS / 10; count++) {
      const first = ask(world.random, world.names);
      world.at(first);
      const { subject, scope, groups } = first;
      const answer = await world.app.request(`/permissions?scope=${encodeURIComponent(scope)}`);
      expect(answer.status).toBe(200);
      const { permissions, ask: asked } = (await answer.json()) as Snapshot;
      expect(permissions.filter((name) => asked.includes(name))).toEqual([]);
      counts.allowed += permissions.length;
      counts.asked += asked.length;
      for (const permission of ['dashboard', 'menu', 'alarms:read:door', 'alarms:stop:door'])
        for (let other = 0; other < 6; other++) {
          const given = giveOtherwise(world.random, world.names, first).given;
          const question = { subject, scope, permission, given };
          const place = `${again(seed)} ${JSON.stringify(question)}`;
          const { allowed } = await world.engine.check(subject, permission, scope, { ...given, groups });
          if (permissions.includes(permission)) expect(allowed, place).toBe(true);
          else if (!asked.includes(permission)) expect(allowed, place).toBe(false);
        }
    }
  }
  expect(Math.min(counts.allowed, counts.asked)).toBeGreaterThan(WORLDS / 2);
});
