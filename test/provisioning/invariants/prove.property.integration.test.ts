import { expect, test } from 'vitest';
import { proveInvariants } from '../../../provisioning/invariants/prove.ts';
import { createMemoryTable } from '../../../table/memory/index.ts';
import { modelOf } from '../../proof/oracle/model-of-items.ts';
import { again, SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { bruteForce, NEWCOMER, pathsIn } from './brute-force.ts';
import { createWorld, drawInvariants, NOW, suspend } from './worlds.ts';

/** Worlds that begin anew, and how many follow from each by some commands at a time. */
const WORLDS = Number(process.env.WORLDS ?? size(6, 100));
const STEPS = 6;

async function compare({ items, random, root }: Awaited<ReturnType<typeof createWorld>>) {
  const model = modelOf(items());
  const groups = model.groups.filter(({ scope }) => pathsIn(model, root).has(scope));
  const invariants = drawInvariants(
    random,
    groups.map(({ id }) => id),
  );
  const suspended = model.memberships.filter(({ subject }) => subject.startsWith('user:') && random.oneIn(6));
  const { reader } = createMemoryTable({ items: suspend(items(), suspended) });
  const bounds = { violations: Number.POSITIVE_INFINITY };
  const proof = await proveInvariants({ reader, root, invariants, at: NOW, bounds });
  const { may, certain } = bruteForce(model, root, invariants, suspended);
  expect([...proof.administrators]).toEqual([...model.admins].sort());
  expect(proof.unproved).toBeUndefined();
  for (const { id } of invariants) {
    const all = proof.violations.filter(({ invariant }) => invariant === id);
    for (const [broken, some] of [
      [may, all],
      [certain, all.filter((each) => each.certain)],
    ] as const) {
      const keys = [...broken.keys()].filter((name) => name.startsWith(`${id} `));
      const people = new Set(keys.map((name) => name.slice(id.length + 1)));
      const isOfAnybody = some.some(({ who }) => who.isAnybody);
      expect(isOfAnybody, `${id}: anybody`).toBe(people.delete(NEWCOMER));
      const named = some.flatMap(({ who }) => who.people ?? []);
      expect(new Set(named).size, id).toBe(named.length);
      // Whoever holds it as anybody does is not named by name.
      if (isOfAnybody) expect([...people], id).toEqual(expect.arrayContaining([...named]));
      else expect([...named].sort(), id).toEqual([...people].sort());
    }
    for (const { who, from } of all.filter((each) => each.certain))
      for (const one of who.people ?? []) expect(Date.parse(from), id).toBe(certain.get(`${id} ${one}`));
  }
  const broken = new Set(proof.violations.map(({ invariant }) => invariant)).size;
  const perhaps = proof.violations.filter((each) => !each.certain).length;
  return { broken, kept: invariants.length - broken, perhaps };
}

test(
  'what is proved is what brute force finds',
  async () => {
    const counts = { broken: 0, kept: 0, perhaps: 0 };
    for (let n = 0; n < WORLDS; n++) {
      const world = await createWorld(SEED + n);
      for (let step = 0; step < STEPS; step++) {
        const found = await compare(world).catch((cause) => {
          throw new Error(`${again(SEED + n)}, step ${step}`, { cause });
        });
        for (const [name, count] of Object.entries(found)) counts[name as keyof typeof counts] += count;
        for (let change = 0; change < 4; change++) await world.carryOut(world.change());
      }
    }
    if (process.env.WORLDS) console.info(WORLDS * STEPS, counts);
    expect(Math.min(counts.broken, counts.kept, counts.perhaps)).toBeGreaterThan(WORLDS);
  },
  WORLDS * 60_000,
);
