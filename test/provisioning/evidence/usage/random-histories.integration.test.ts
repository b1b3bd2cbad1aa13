import { beforeAll, describe, expect, test } from 'vitest';
import { again, SEED } from '../../../support/seed.ts';
import { size } from '../../../support/tier.ts';
import { copyOf } from '../../../support/world.ts';
import { createHistory, type History, PERMISSIONS, SCOPES } from './history.ts';
import { DAY_MS, type LogWorld, usageIn } from './support.ts';

/** Usage of random histories beside an oracle that wrote their logs: with samples, lost and repeated lines, restarts. */

const HISTORIES = size(12, 400);

type Found = Awaited<ReturnType<typeof usageIn>>;

const reportOn = ({ world, from, lines }: History): Promise<Found> =>
  usageIn(world, lines, { days: (world.clock.now() - from) / DAY_MS });

/** An unused right as the oracle names it. */
const named = ({ is, subject, group, scope, roles, permission }: Found['unused'][number]): string => {
  if (is === 'permission') return `${roles[0]} ${permission}`;
  const user = subject?.replace('user:', '');
  return is === 'membership' ? `membership ${user} ${group}` : `assignment ${user} ${scope} ${roles[0]}`;
};

/** Every decision that allows. */
async function allowedIn(world: LogWorld): Promise<ReadonlySet<string>> {
  const requests = [0, 1, 2, 3, 4].flatMap((user) =>
    PERMISSIONS.flatMap((permission) =>
      SCOPES.map((scope) => ({ subject: `user:u${user}`, permission, scope })),
    ),
  );
  const { decisions } = await world.newEngine().checkMany(requests);
  return new Set(requests.flatMap((request, at) => (decisions[at]?.allowed ? JSON.stringify(request) : [])));
}

describe.each(Array.from({ length: HISTORIES }, (_, number) => SEED + number))('seed %i', (seed) => {
  /** One in which nothing changes in the period. */
  let steady: History;
  let found: Found;
  beforeAll(async () => {
    steady = await createHistory(seed, true);
    found = await reportOn(steady);
  });

  test('nothing changes in the period: exactly what no line used', () => {
    const { unused, unsteady, coverage } = found;
    const { used, edges, allows, activeSince, givesAnything, decisions, lost, unended } = steady;
    const active = (edge: string): boolean => activeSince.has(String(edge.split(' ')[1]));
    const expected = [
      ...[...allows.keys()].filter((each) => !used.has(each)),
      ...[...edges.keys()].filter((each) => !used.has(each) && givesAnything(each) && active(each)),
    ];
    expect(unused.map(named).sort(), again(seed)).toEqual(expected.sort());
    expect(unsteady).toBe(0);
    expect(coverage, again(seed)).toMatchObject({ decisions, lost, unended });
  });

  test('things change: never what a line used, nor what was not there all the time', async () => {
    const history = await createHistory(seed + 1_000_000, false);
    const { unused } = await reportOn(history);
    const { used, edges, allows, activeSince, from } = history;
    for (const each of unused) {
      const name = named(each);
      const label = `${again(seed)}: ${name}`;
      expect(used.has(name), label).toBe(false);
      expect((edges.get(name) ?? allows.get(name)) as number, label).toBeLessThan(from);
      if (each.is !== 'permission')
        expect(activeSince.get(String(name.split(' ')[1])) as number, label).toBeLessThan(from);
    }
  });

  test('what is offered takes away only; what is not would give somebody something', async () => {
    const before = await allowedIn(copyOf(steady.world));
    for (const { ends, refusal } of found.unused) {
      const copy = copyOf(steady.world);
      for (const { command, input } of ends) await copy.run(command, input);
      const gained = [...(await allowedIn(copy))].filter((each) => !before.has(each));
      expect(refusal === undefined, `${again(seed)}: ${JSON.stringify(ends)}`).toBe(gained.length === 0);
    }
  });
});
