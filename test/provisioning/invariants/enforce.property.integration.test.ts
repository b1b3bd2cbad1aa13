import { expect, test } from 'vitest';
import { modelOf } from '../../proof/oracle/model-of-items.ts';
import { again, SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { isBrokenAnew } from './brute-force.ts';
import { createWorld, drawInvariants, provisioningOn } from './worlds.ts';

const WORLDS = Number(process.env.WORLDS ?? size(8, 200));
const STEPS = 30;

/** Exactly what gives somebody two permissions that stay apart is refused: also the end of a DENY, a parent, a place. */
test(
  'a command is refused where brute force finds that somebody would then have both, and only there',
  async () => {
    const counts = { refused: 0, refusedEnds: 0, done: 0 };
    for (let n = 0; n < WORLDS; n++) {
      const { items, random, root, carryOut, change } = await createWorld(SEED + n);
      const invariants = drawInvariants(random, []).filter((each) => 'separate' in each);
      for (const input of invariants)
        expect(
          await carryOut({ command: 'invariant.create', input: { ...input, scope: root } }),
        ).toBeUndefined();
      for (let step = 0; step < STEPS; step++) {
        const { command, input } = change();
        // What is new at a place is what was so above it.
        if (/^(?:tenant|location)\.create$/.test(command)) continue;
        const before = items();
        // The same without invariants.
        const free = provisioningOn(before.filter(({ PK, SK }) => !/INVARIANT/.test(`${PK} ${SK}`)));
        if ((await free.carryOut({ command, input })) !== undefined) continue;
        const refusal = await carryOut({ command, input });
        const about = () => `${again(SEED + n)}, step ${step}: ${command} ${JSON.stringify(input)}`;
        expect(refusal, about()).toBe(
          isBrokenAnew(modelOf(before), modelOf(free.items()), root, invariants)
            ? 'invariant_violated'
            : undefined,
        );
        counts[refusal === undefined ? 'done' : 'refused'] += 1;
        if (refusal !== undefined && command.endsWith('.delete')) counts.refusedEnds += 1;
      }
    }
    if (process.env.WORLDS) console.info(counts);
    expect(Math.min(counts.refused / 10, counts.refusedEnds, counts.done / 10)).toBeGreaterThan(0);
  },
  WORLDS * 60_000,
);
