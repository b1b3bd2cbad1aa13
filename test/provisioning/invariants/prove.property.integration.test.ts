import { expect, test } from 'vitest';
import { createEngine } from '../../../engine/index.ts';
import { proveInvariants } from '../../../provisioning/invariants/prove.ts';
import type { Item } from '../../../table/item.ts';
import { createMemoryTable } from '../../../table/memory/index.ts';
import { createRandom } from '../../proof/oracle/random.ts';
import { again, SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { allowedIn, bruteForce, instantsOf, tokensOf } from './brute-force.ts';
import {
  change,
  createModel,
  type Model,
  NOW,
  PERMISSIONS,
  ROOT,
  SCOPES,
  suspend,
  tableOf,
} from './random-worlds.ts';

/** Worlds that begin anew, and how many follow from each by one command at a time. */
const WORLDS = Number(process.env.WORLDS ?? size(6, 100));
const STEPS = 10;

test('brute force decides as the engine does, upon what is open and each condition held or did not', async () => {
  for (let n = 0; n < 4; n++) {
    const model = createModel(createRandom(SEED + n), n % 2 === 1);
    for (const person of Object.values(model.users)) person.isAdmin = false;
    for (const conditions of ['for', 'against'] as const) {
      const reading = { isOpen: true, withSuspended: n % 2 === 0, conditions };
      const { reader } = await tableOf(model, reading);
      const engine = createEngine({ reader, clock: { now: () => NOW + 60_000 }, random: () => 0 });
      const questions = [...Object.keys(model.users), 'newcomer'].flatMap((user) =>
        PERMISSIONS.flatMap((permission) =>
          SCOPES.map((scope) => ({ subject: `user:${user}`, permission, scope })),
        ),
      );
      for (const at of instantsOf(model))
        for (const groups of tokensOf(model)) {
          const { decisions } = await engine.checkMany(questions.map((each) => ({ ...each, at, groups })));
          const allowed = questions.flatMap(({ subject, permission, scope }, position) =>
            decisions[position]?.allowed ? [`${subject.slice('user:'.length)} ${permission} ${scope}`] : [],
          );
          expect(new Set(allowed), again(SEED + n)).toEqual(
            allowedIn(model, { ...reading, at, token: groups }),
          );
        }
    }
  }
});

async function compare(model: Model, items: readonly Item[]) {
  const { reader } = createMemoryTable({ items: suspend(items, model), sharesItems: true });
  const bounds = { violations: Number.POSITIVE_INFINITY };
  const { invariants } = model;
  const proof = await proveInvariants({ reader, root: ROOT, invariants, at: NOW, bounds });
  const { may, certain } = bruteForce(model);
  const admins = Object.entries(model.users).flatMap(([id, { isAdmin }]) => (isAdmin ? [`user:${id}`] : []));
  expect([...proof.administrators]).toEqual(admins.sort());
  expect(proof.unproved).toBeUndefined();
  for (const { id } of invariants) {
    const all = proof.violations.filter(({ invariant }) => invariant === id);
    for (const [broken, some] of [
      [may, all],
      [certain, all.filter((each) => each.certain)],
    ] as const) {
      const names = [...broken.keys()].filter((name) => name.startsWith(`${id} `));
      const people = new Set(names.map((name) => name.slice(id.length + 1)));
      const isOfAnybody = some.some(({ who }) => who.isAnybody);
      expect(isOfAnybody, `${id}: anybody`).toBe(people.delete('newcomer'));
      const named = some.flatMap(({ who }) => who.people ?? []);
      expect(new Set(named).size, id).toBe(named.length);
      for (const one of named) expect(people, id).toContain(one.slice('user:'.length));
      // Whoever holds it as anybody does is not named by name.
      if (isOfAnybody) expect(named.length, id).toBeLessThanOrEqual(people.size);
      else expect(named.length, id).toBe(people.size);
    }
    for (const { who, from } of all.filter((each) => each.certain))
      for (const one of who.people ?? [])
        expect(Date.parse(from), id).toBe(certain.get(`${id} ${one.slice('user:'.length)}`));
  }
  return proof;
}

test(
  'what is proved is what brute force finds, with and without a violation that is planted',
  async () => {
    const counts = { broken: 0, kept: 0, perhaps: 0 };
    for (let n = 0; n < WORLDS; n++) {
      const seed = SEED + n;
      const random = createRandom(seed);
      const model = createModel(random, n % 2 === 1);
      const { items, send } = await tableOf(model, { isOpen: false, withSuspended: true });
      for (let step = 0; step < STEPS; step++) {
        try {
          const { violations } = await compare(model, items());
          const broken = new Set(violations.map(({ invariant }) => invariant));
          counts.broken += broken.size;
          counts.kept += model.invariants.length - broken.size;
          counts.perhaps += violations.filter(({ certain }) => !certain).length;
        } catch (cause) {
          throw new Error(`${again(seed)}, world ${n}, step ${step}: ${JSON.stringify(model)}`, { cause });
        }
        await change(random, model, send);
      }
    }
    if (process.env.WORLDS) console.info(WORLDS * STEPS, counts);
    expect(Math.min(counts.broken, counts.kept, counts.perhaps)).toBeGreaterThan(WORLDS);
  },
  WORLDS * 60_000,
);
