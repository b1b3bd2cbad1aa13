import { expect, test } from 'vitest';
import type { Step } from '../../../provisioning/apply/steps.ts';
import { verify } from '../../../provisioning/verify/index.ts';
import { createRandom } from '../../proof/oracle/random.ts';
import { again, SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { anyManifest, NAMES, PAGES } from './any-manifest.ts';
import { allowedIn, applyOn, exportOn, type MemoryWorld, planOn, worldOf } from './support.ts';

/** From any small tenant to any other, with DENY of every kind: nothing is allowed in between that neither allows. */

/** Things and places that either of two manifests knows, and what each of them allows. */
async function accessOf(manifests: readonly string[]) {
  const worlds: MemoryWorld[] = [];
  const subjects = new Set<string>();
  const scopes = new Set<string>();
  for (const text of manifests) {
    const world = await worldOf(text);
    const of = (await exportOn(world)) as Record<string, Record<string, { id: string; type: string }>>;
    for (const { id } of Object.values(of.users ?? {})) subjects.add(`user:${id}`);
    for (const { id, type } of Object.values(of.scopes ?? {})) scopes.add(`${type}:${id}`);
    worlds.push(world);
  }
  const allowed = (world: MemoryWorld) => allowedIn(world, [...subjects], [...PAGES, ...NAMES], [...scopes]);
  const [, last] = worlds as [MemoryWorld, MemoryWorld];
  return { allowed, sets: await Promise.all(worlds.map(allowed)), exported: await exportOn(last) };
}

test.each([
  ['effects', false],
  ['effects with conditions over stored properties', true],
])(
  'after every transaction, stopped anywhere or not, as long as one holds what has to be together: %s',
  async (_, isConditional) => {
    const random = createRandom(SEED);
    for (let run = 0; run < size(8, 40); run++) {
      const [before, after] = [anyManifest(random, isConditional), anyManifest(random, isConditional)];
      const { allowed, sets, exported } = await accessOf([before, after]);
      const table = await worldOf(before);
      const reported: string[] = [];
      const atOnce = random.pick([1, 1, 4, undefined]);
      let [together, left] = [0, random.oneIn(2) ? random.between(1, 20) : Number.POSITIVE_INFINITY];
      const apply = () =>
        applyOn(table, after, {
          atOnce,
          after: async ({ verb, kind, label, phase }: Step) => {
            if (phase === 'together') together += 1;
            for (const each of await allowed(table))
              if (!sets.some((set) => set.has(each)))
                reported.push(`${phase}: ${verb} ${kind} ${label}: ${each}`);
            if (--left === 0) throw new Error('stopped');
          },
        });
      const what = `${again()}, run ${run}\n${before}\n${after}`;
      await apply().catch((error: Error) => expect(error.message, what).toBe('stopped'));
      await apply();
      if (together <= 1) expect(reported, what).toEqual([]);
      expect(await allowed(table), what).toEqual(sets[1]);
      expect(await exportOn(table), what).toMatchObject(exported);
      expect((await planOn(table, after)).steps, what).toEqual([]);
      expect((await verify({ reader: table.reader, clock: table.clock, graceMs: 0 })).open, what).toEqual([]);
    }
  },
  600_000,
);
