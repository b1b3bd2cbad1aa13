import { expect, test } from 'vitest';
import { createExplainer, formatExplanation, type Reason } from '../../../engine/index.ts';
import { ask, change, furnish } from '../../proof/oracle/generate.ts';
import { createRandom } from '../../proof/oracle/random.ts';
import { createStage } from '../../proof/oracle/stage.ts';
import { again, SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';

/** In the worlds of the oracle, an explanation decides as `check` does, and its parts agree with the decision. */
const WORLDS = size(1, 20);
const QUESTIONS = 160;

test('the decision equals that of `check`, and the explanation supports it', async () => {
  const counts = new Map<Reason, number>();
  const stage = createStage('');
  for (let world = 0; world < WORLDS; world++) {
    const random = createRandom(SEED + world);
    const { carryOut, clock, newEngine, reader } = await stage.open();
    const { names, operations } = furnish(random, true);
    const changes = Array.from({ length: 30 }, () => change(random, names));
    for (const { command, input } of [...operations, ...changes]) await carryOut(command, input);
    clock.advance(60_000);
    const explainer = createExplainer({ reader, clock });
    const engine = newEngine();
    for (let n = 0; n < QUESTIONS; n++) {
      const { subject, permission, scope, given, ...more } = ask(random, names);
      const options = { ...more, ...given };
      const explained = await explainer.explain(subject, permission, scope, options);
      const { allowed, reason } = await engine.check(subject, permission, scope, options);
      const { allowedBy, deniedBy } = explained;
      expect(explained, again(SEED + world)).toMatchObject({ allowed, reason });
      counts.set(reason, (counts.get(reason) ?? 0) + 1);

      const refusing = explained.steps.filter(({ passed }) => passed === false);
      const deciding = explained.steps.find(({ decides }) => decides);
      expect(deciding?.passed).toBe(allowed);
      if (allowed) expect(refusing).toEqual([]);
      else expect(refusing.at(-1)).toEqual(deciding);
      if (allowed) expect(allowedBy.items.length).toBeGreaterThan(0);
      if (reason === 'denied_by_role') expect(deniedBy.items.length).toBeGreaterThan(0);
      if (reason === 'no_grant') expect([allowedBy.items, deniedBy.items]).toEqual([[], []]);
      expect(formatExplanation(explained)).toMatch(/^[\x20-\x7e\n]*$/);
    }
  }
  for (const reason of ['role', 'no_grant', 'denied_by_role'] as const)
    expect(counts.get(reason) ?? 0, [...counts].join(' ')).toBeGreaterThan(0);
});
