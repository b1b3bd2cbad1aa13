import { changeOfGrants, START } from '../../proof/oracle/generate.ts';
import type { Operation } from '../../proof/oracle/operations.ts';
import * as does from '../../proof/oracle/operations.ts';
import { createRandom } from '../../proof/oracle/random.ts';
import { drawSmallWorld } from '../../proof/simulation/worlds.ts';
import type { World } from '../../support/world.ts';

const HOUR = 3_600_000;
/** Instants between which grants of these worlds begin and end, and one after all of them. */
export const LATER = [2.5, 4.5, 9_000].map((hours) => START + hours * HOUR);

/** A small world of the oracle with scopes of every type, an added one too, and with grants at many of them. */
export async function furnish({ provision }: Pick<World, 'provision'>, seed: number) {
  const random = createRandom(seed);
  const { pick, some, oneIn } = random;
  const { names, operations } = drawSmallWorld(random, { conditions: false, tree: true });
  const [client, project] = names.places.filter(({ ref }) => /^(?:client|project):/.test(ref));
  const root = String(client?.ref);
  const added = [
    { ref: 'campus:one', parent: project?.ref, root },
    { ref: 'campus:island', parent: undefined, root: 'campus:island' },
    { ref: 'location:kiosk', parent: undefined, root: 'location:kiosk' },
    { ref: 'device:far', parent: 'campus:one', root },
    // Below what has nothing below it unless a type is added.
    { ref: 'campus:yard', parent: 'location:kiosk', root: 'location:kiosk' },
  ];
  const places = [...names.places, ...added];
  const types = [...new Set(places.map(({ ref }) => ref.split(':', 1)[0]))];
  /** Types are drawn first: most places are devices. */
  const place = () => {
    const type = pick(types);
    return pick(places.filter(({ ref }) => ref.startsWith(`${type}:`)));
  };
  const subject = () => pick(names.subjects);
  const assign = () => {
    const from = oneIn(4) ? START + HOUR * pick([1, 3]) : null;
    return does.assign(subject(), place().ref, pick(names.roles), { from, until: from && from + HOUR });
  };
  const several = (count: number, make: (n: number) => Operation | readonly Operation[]) =>
    Array.from({ length: count }, (_, n) => make(n)).flat();
  for (const { command, input } of [
    ...operations,
    does.createScopeType('campus', { root: true, parents: ['project', 'location'], children: ['device'] }),
    ...added.map(({ ref, parent }) => does.createScope(ref, { parent })),
    ...several(8, (n) => [
      does.createGroup(`group-${n}`, place().ref),
      does.giveGroupRole(`group-${n}`, pick(names.roles)),
      does.join(subject(), `group-${n}`),
    ]),
    ...several(25, assign),
    ...several(6, () => does.grant(subject(), place().root, some(names.roles, 2))),
    // Some of these are refused.
    ...several(40, () => changeOfGrants(random, { ...names, places })),
  ])
    await provision({ command, input });
  return { scopes: places.map(({ ref }) => ref), subjects: names.subjects };
}

export type Furnished = Awaited<ReturnType<typeof furnish>>;
