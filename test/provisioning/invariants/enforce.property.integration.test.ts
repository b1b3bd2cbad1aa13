import { expect, test } from 'vitest';
import { createRandom } from '../../proof/oracle/random.ts';
import { again, SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { isBrokenAnew } from './brute-force.ts';
import { change, createModel, NOW, ROOT, tableOf } from './random-worlds.ts';

const WORLDS = Number(process.env.WORLDS ?? size(12, 200));
const STEPS = 25;

/** Exactly what gives somebody two permissions that stay apart is refused: also the end of a DENY, a parent, a place. */
test(
  'a command is refused where brute force finds that somebody would then have both, and only there',
  async () => {
    const counts = { refused: 0, refusedEnds: 0, done: 0 };
    for (let n = 0; n < WORLDS; n++) {
      const random = createRandom(SEED + n);
      let model = createModel(random, false);
      for (const person of Object.values(model.users)) person.suspended = [];
      const { provisioning } = await tableOf(model, { isOpen: false, withSuspended: true });
      for (const { id, name, separate, within } of model.invariants)
        if (separate) {
          const input = { id, name, scope: ROOT, separate, ...(within ? { within } : {}) };
          expect(await provisioning({ command: 'invariant.create', input })).toMatchObject({ ok: true });
        }
      for (let step = 0; step < STEPS; step++) {
        const after = structuredClone(model);
        let sent = '';
        let refusal: string | undefined;
        await change(random, after, async (command, input) => {
          sent = `${command} ${JSON.stringify(input)}`;
          const answer = await provisioning({ command, input });
          refusal = answer.ok ? undefined : answer.error.code;
          return true;
        });
        if (refusal !== undefined && refusal !== 'invariant_violated') continue;
        const about = () => `${again(SEED + n)}, step ${step}: ${sent} at ${NOW} in ${JSON.stringify(model)}`;
        expect(refusal !== undefined, about()).toBe(isBrokenAnew(model, after));
        if (refusal === undefined) model = after;
        counts[refusal === undefined ? 'done' : 'refused'] += 1;
        if (refusal !== undefined && sent.includes('.delete')) counts.refusedEnds += 1;
      }
    }
    if (process.env.WORLDS) console.info(counts);
    expect(Math.min(counts.refused / 10, counts.refusedEnds, counts.done / 10)).toBeGreaterThan(0);
  },
  WORLDS * 60_000,
);
