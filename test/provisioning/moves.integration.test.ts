import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { modelOf } from '../proof/oracle/model-of-items.ts';
import { judge } from '../proof/oracle/oracle.ts';
import { size } from '../support/tier.ts';
import { type Event, inParallel, interruptAfter, provisionWatched, provisionWith } from './stepwise.ts';
import { copyOf, createLightLedgerWorld, type Input, type LedgerWorld, type Result } from './support.ts';
import { expectWhole as expectAllWhole } from './whole.ts';

/**
 * A scope is moved to another parent with all below it: at once where that fits into one transaction,
 * otherwise in steps, during which it is closed.
 */
let world: LedgerWorld;
/** References by name: a name is the id as well. */
let at: Record<string, string> = {};
const idOf = (name: string) => String(at[name]).split(':')[1];
const place = async (type: string, name: string, input: Input) => {
  const { id } = await world.run(`${type}.create`, { id: name.replaceAll(' ', '-'), name, ...input });
  at[name] = `${type}:${id}`;
};
const move = (scope: string, parent: string, operationId?: string): Event => ({
  command: 'scope.move',
  input: { scope: at[scope], parent: at[parent] },
  ...(operationId ? { operationId } : {}),
});
const nodeOf = async (name: string) => {
  const [type] = String(at[name]).split(':');
  return world.run(`${type}.read`, { id: idOf(name) });
};

/** The names of what is above, from the nearest on. */
const pathOf = async (name: string) => {
  const names = new Map(Object.entries(at).map(([each, ref]) => [ref, each]));
  return ((await nodeOf(name)).ancestors as readonly string[]).map((ref) => names.get(ref));
};
const recordsOfMoves = async () =>
  (await world.listed('audit.list', { tenant: at.client })).filter(({ action }) => action === 'scope.move');

const PEOPLE = ['of-client', 'of-old', 'of-new', 'of-house', 'of-both'];
/** A client with two projects and a third, a house in the first, and somebody assigned at each. */
const SCOPES = {
  client: { type: 'client' },
  stranger: { type: 'client' },
  old: { type: 'project', parent: 'client' },
  new: { type: 'project', parent: 'client' },
  third: { type: 'project', parent: 'client' },
  foreign: { type: 'project', parent: 'stranger' },
  house: { type: 'building', parent: 'old' },
  next: { type: 'building', parent: 'new' },
};
const staff = (scope: string) => ({ scope, roles: ['visitor'] });
const assigned = (scope: string) => ({ id: `of-${scope}`, assignments: [{ role: 'visitor', scope }] });
type Scopes = Readonly<Record<string, { readonly type: string; readonly parent?: string }>>;

async function createClient(more: Scopes): Promise<void> {
  world = await createLightLedgerWorld();
  const scopes = Object.entries({ ...SCOPES, ...more } as Scopes);
  const manifest = {
    pages: ['home'],
    scopes: Object.fromEntries(scopes.map(([name, scope]) => [name, { id: name, ...scope }])),
    roles: { visitor: { owner: 'client', allow: ['home'] } },
    groups: { 'old staff': staff('old'), 'new staff': staff('new') },
    users: {
      ...Object.fromEntries(['client', 'old', 'new', 'house'].map((name) => [name, assigned(name)])),
      both: { id: 'of-both', groups: ['old staff', 'new staff'] },
    },
  };
  await world.run('tenant.apply', { manifest });
  at = Object.fromEntries(scopes.map(([name, { type }]) => [name, `${type}:${name}`]));
}

/** Furnishes a world once; each test of the group then has a copy of its own. */
function prepare(more: Scopes): void {
  let whole: LedgerWorld;
  let names: typeof at;
  beforeAll(async () => {
    await createClient(more);
    [whole, names] = [world, at];
  });
  beforeEach(async () => {
    world = await copyOf(whole);
    at = { ...names };
  });
}

const questions = (places: readonly string[]) =>
  places.flatMap((name) =>
    PEOPLE.map((who) => ({ subject: `user:${who}`, permission: 'home', scope: at[name] ?? '' })),
  );

/** Who may enter, by a fresh engine: a line of reasons for each place. */
async function entrants(places: readonly string[]): Promise<Record<string, readonly string[]>> {
  const { decisions } = await world.newEngine().checkMany(questions(places));
  return Object.fromEntries(
    places.map((name, i) => [
      name,
      PEOPLE.map((_, j) => decisions[i * PEOPLE.length + j]?.reason ?? 'nothing'),
    ]),
  );
}
const [MAY, NOT] = ['role', 'no_grant'];
const IN_OLD = [MAY, MAY, NOT, MAY, MAY];
const IN_NEW = [MAY, NOT, MAY, MAY, MAY];
/** The same line for each of these places. */
const everybody = (places: readonly string[], line: readonly string[]) =>
  Object.fromEntries(places.map((name) => [name, line]));
const CLOSED = PEOPLE.map(() => 'scope_inactive');

const expectWhole = () => expectAllWhole(world);
const namesIn = async (command: string, parent: string) =>
  (await world.listed(command, { parent: at[parent] })).map(({ name }) => String(name)).sort();

/** Eleven zones in each other below next, above which there are two; answers the last one. */
async function placeLevels() {
  let parent = at.next;
  for (let level = 1; level <= 11; level++) {
    await place('zone', `level ${level}`, { parent });
    parent = at[`level ${level}`];
  }
  return parent;
}

describe('at once', () => {
  prepare({
    floor: { type: 'zone', parent: 'house' },
    room: { type: 'zone', parent: 'floor' },
    lamp: { type: 'device', parent: 'room' },
    door: { type: 'device', parent: 'house' },
  });
  const ALL = ['house', 'floor', 'room', 'lamp', 'door'];

  test('all below comes along: who may enter, paths, lists, log', async () => {
    expect(await entrants(ALL)).toEqual(everybody(ALL, IN_OLD));
    const count = world.transactions.length;
    const result = await world.run('scope.move', move('house', 'new').input);
    expect(result).toEqual({ scope: at.house, parent: at.new, ancestors: [at.new, at.client] });
    expect(world.transactions.length).toBe(count + 1);
    expect(await entrants(ALL)).toEqual(everybody(ALL, IN_NEW));
    expect(await nodeOf('house')).toMatchObject({ parent: at.new, ancestors: [at.new, at.client] });
    expect(await pathOf('lamp')).toEqual(['room', 'floor', 'house', 'new', 'client']);
    expect(await nodeOf('lamp')).toMatchObject({ parent: at.room });
    expect(await namesIn('building.list', 'old')).toEqual([]);
    expect(await namesIn('building.list', 'new')).toEqual(['house', 'next']);
    expect(await namesIn('zone.list', 'house')).toEqual(['floor', 'room']);
    expect(await namesIn('device.list', 'house')).toEqual(['door', 'lamp']);
    expect((await recordsOfMoves())[0]).toMatchObject({
      entityType: 'building',
      entityId: idOf('house'),
      severity: 'warning',
      before: { parent: at.old },
      after: { parent: at.new },
    });
    await expectWhole();
  });

  test.each([
    // What is directly below the house is listed by now.
    ['further down before the floor is listed', 'sensor', 'floor', 'listAll'],
    ['further up before the floor is listed', 'room', 'house', 'listAll'],
    ['further down before the floor is read', 'sensor', 'floor', 'getMany'],
    ['further up before the floor is read', 'room', 'house', 'getMany'],
  ] as const)('what is moved %s comes along once', async (_, name, to, before) => {
    await place('device', 'sensor', { parent: at.house });
    const answer = await world.provisionBeforeRead(move('house', 'new'), before, 'ZONE#floor', () =>
      world.run('scope.move', move(name, to).input),
    );
    expect(answer).toMatchObject({ ok: true });
    expect(await nodeOf(name)).toMatchObject({ parent: at[to] });
    expect(await entrants([...ALL, 'sensor'])).toEqual(everybody([...ALL, 'sensor'], IN_NEW));
    await expectWhole();
  });

  test.each([
    ['a device', 'lamp'],
    ['a group', 'crew'],
  ])('what moves out of a tree that is being deleted is not deleted: %s in it', async (_, inIt) => {
    at.crew = `group:${(await world.run('group.create', { name: 'crew', scope: at.room })).id}`;
    const partition = String(at[inIt]).replace(/^.*:/, (type) => `${type.slice(0, -1).toUpperCase()}#`);
    // It was listed, and is not read yet.
    const answer = await world.provisionBeforeRead(
      { command: 'scope.delete-tree', input: { scope: at.house } },
      'get',
      partition,
      () => world.run('scope.move', move('floor', 'next').input),
      async () => (await nodeOf('house')).deletingSince !== undefined,
    );
    expect(answer).toMatchObject({ ok: true });
    expect(await nodeOf('floor')).toMatchObject({ parent: at.next });
    expect(await nodeOf(inIt)).toMatchObject({ id: idOf(inIt) });
    await expectWhole();
  });

  test('what is suspended stays so', async () => {
    await world.run('building.update', { id: idOf('house'), status: 'inactive' });
    await world.run('scope.move', move('house', 'new').input);
    expect(await entrants(['lamp'])).toEqual({ lamp: CLOSED });
    await expectWhole();
  });

  test.each([
    ['a root', 'client', 'new', 'invalid', 'scope'],
    ['to another tenant', 'house', 'foreign', 'invalid', 'parent'],
    ['below itself', 'floor', 'room', 'invalid', 'parent'],
    ['into itself', 'floor', 'floor', 'invalid', 'parent'],
    ['to a parent of the wrong type', 'house', 'client', 'invalid', 'parent'],
    ['to where it stands', 'house', 'old', 'conflict', 'parent'],
    ['to what is not there', 'house', 'nowhere', 'not_found', 'parent'],
    ['what is not there', 'nothing', 'new', 'not_found', 'scope'],
  ])('%s is refused, and nothing is written', async (_, scope, parent, code, field) => {
    Object.assign(at, { nowhere: 'project:nowhere', nothing: 'building:nothing' });
    const count = world.transactions.length;
    const { input } = move(scope, parent);
    expect(await world.refused('scope.move', input)).toMatchObject({ code, field, retryable: false });
    expect(world.transactions.length).toBe(count);
  });

  test('too deep is refused: 16 scopes above one are the most, for what comes along as well', async () => {
    const parent = await placeLevels();
    // The lamp would have room, floor, eleven levels, next, project and client above it: sixteen.
    await world.run('scope.move', move('floor', 'level 11').input);
    expect((await nodeOf('lamp')).ancestors).toHaveLength(16);
    await world.run('scope.move', move('floor', 'house').input);
    await place('zone', 'level 12', { parent });
    const count = world.transactions.length;
    expect(await world.outcome('scope.move', move('floor', 'level 12').input)).toBe('limit_exceeded parent');
    expect(world.transactions.length).toBe(count);
    await expectWhole();
  });
});

/** A house of three floors, each with two rooms in it, and so many devices in the rooms. */
function furnished(count: number): Scopes {
  const floors = ['a', 'b', 'c'];
  return Object.fromEntries([
    ...floors.map((floor) => [floor, { type: 'zone', parent: 'house' }]),
    ...floors.flatMap((floor) => [1, 2].map((room) => [`${floor}${room}`, { type: 'zone', parent: floor }])),
    ...[...Array(count).keys()].map((i) => {
      return [`d${i}`, { type: 'device', parent: `${floors[i % 3]}${1 + (i % 2)}` }];
    }),
  ]);
}
const SOME = ['house', 'a', 'b2', 'd0', 'd31'];
const everywhere = (line: readonly string[]) => everybody(SOME, line);
const devices = [...Array(60).keys()].map((i) => `d${i}`).sort();

async function expectMoved(parent: string, line: readonly string[]): Promise<void> {
  expect(await entrants(SOME)).toEqual(everywhere(line));
  expect(await nodeOf('house')).toMatchObject({ parent: at[parent], ancestors: [at[parent], at.client] });
  expect(await nodeOf('house')).not.toHaveProperty('movingTo');
  expect(await namesIn('device.list', 'house')).toEqual(devices);
  const listed = await world.listed('building.list', { parent: at[parent] });
  expect(listed.find(({ id }: Result) => id === idOf('house'))).toEqual(await nodeOf('house'));
  const other = parent === 'old' ? 'new' : 'old';
  expect(await namesIn('building.list', other)).not.toContain('house');
  await expectWhole();
}

describe('in steps', () => {
  prepare(furnished(60));
  let steps = 0;
  beforeAll(async () => {
    await provisionWatched(await copyOf(world), move('house', 'new'), async (step) => {
      steps = step;
    });
    expect(steps).toBeGreaterThan(3);
  });

  test('all below is closed from the first step to the last, and whole after each', async () => {
    expect(await entrants(SOME)).toEqual(everywhere(IN_OLD));
    const seen: Record<string, readonly string[]>[] = [];
    const answer = await provisionWatched(world, move('house', 'new'), async (step) => {
      expect(step).toBe(seen.length + 1);
      seen.push(await entrants(SOME));
      const items = await expectWhole();
      const model = modelOf(items);
      const judged = questions(SOME).map(
        (question) => judge(model, { ...question, at: world.clock.now() }).reason,
      );
      expect(Object.values(seen.at(-1) ?? {}).flat()).toEqual(judged);
    });
    expect(answer).toMatchObject({ ok: true, result: { ancestors: [at.new, at.client] } });
    expect(seen).toHaveLength(steps);
    expect(seen.slice(0, -1)).toEqual(Array.from({ length: steps - 1 }, () => everywhere(CLOSED)));
    expect(seen.at(-1)).toEqual(everywhere(IN_NEW));
    await expectMoved('new', IN_NEW);
    const recorded = (await recordsOfMoves()).map(({ step }) => Number(step)).sort((a, b) => a - b);
    expect(recorded).toEqual(Array.from({ length: steps }, (_, i) => i + 1));
  });

  test('interrupted after any number of steps, the same command finishes it', async () => {
    for (let after = 1, turn = 1; after < steps; after += size(2, 1), turn++) {
      // It goes back and forth.
      const [parent, line] = turn % 2 ? ['new', IN_NEW] : ['old', IN_OLD];
      const event = move('house', parent, `interrupted ${after}`);
      expect(await interruptAfter(world, event, after)).toMatchObject({ error: { code: 'internal' } });
      expect(await entrants(SOME)).toEqual(everywhere(CLOSED));
      await expectWhole();
      expect(await nodeOf('house')).toMatchObject({ movingTo: at[parent] });
      const other = move('house', 'third');
      expect(await world.provision(other)).toMatchObject({ error: { code: 'conflict', field: 'parent' } });
      const id = idOf('house');
      expect(await world.outcome('building.update', { id, status: 'inactive' })).toBe('invalid status');
      const done = await world.provision(event);
      if (!done.ok) throw done.error;
      await expectMoved(parent, line);
      // A token is of the time of its answer.
      const { result } = done;
      expect(await world.provision(event)).toEqual({ ok: true, result, token: expect.any(String) });
    }
  });

  test('interrupted after any number of steps, it can be moved back instead', async () => {
    for (let after = 1; after < steps; after += size(2, 1)) {
      await interruptAfter(world, move('house', 'new'), after);
      // The way back can be interrupted as well.
      await interruptAfter(world, move('house', 'old'), 1);
      expect(await entrants(SOME)).toEqual(everywhere(CLOSED));
      await expectWhole();
      expect(await world.provision(move('house', 'old'))).toMatchObject({ ok: true });
      await expectMoved('old', IN_OLD);
    }
  });
});

describe('in steps, with something else in the middle', () => {
  prepare(furnished(33));
  /** Moves the house to the new project, does something before each step in turn, and checks the end. */
  const during = async (step: number, act: () => Promise<unknown>) => {
    const answer = await provisionWith(world, move('house', 'new'), step, act);
    const again = answer.ok ? answer : await world.provision(move('house', 'new'));
    await expectWhole();
    return again;
  };
  // Each of them in the soak tier.
  const steps = [0, 1, 2, 3, 4].filter((step) => step % size(2, 1) === 0);

  test.each(steps)('before step %i: children are created, changed and deleted', async (step) => {
    const answer = await during(step, async () => {
      await place('device', 'late', { parent: at.a1 });
      await place('zone', 'later', { parent: at.c });
      await place('device', 'latest', { parent: at.later });
      await world.run('device.delete', { id: idOf('d5') });
      await world.run('device.update', { id: idOf('d7'), name: 'renamed' });
      await world.run('zone.update', { id: idOf('b'), name: 'floor b' });
      await world.run('building.update', { id: idOf('house'), name: 'renamed' });
    });
    expect(answer).toMatchObject({ ok: true });
    const places = ['late', 'latest', 'house', 'd31'];
    expect(await entrants(places)).toEqual(everybody(places, IN_NEW));
    expect(await namesIn('building.list', 'new')).toEqual(['next', 'renamed']);
  });

  test.each(steps)('before step %i: part of it is moved out, and something else in', async (step) => {
    await place('zone', 'guest', { parent: at.next });
    await place('device', 'guest lamp', { parent: at.guest });
    const answer = await during(step, async () => {
      await world.run('scope.move', move('a1', 'next').input);
      await world.run('scope.move', move('c', 'a2').input);
      await world.run('scope.move', move('guest', 'b1').input);
    });
    expect(answer).toMatchObject({ ok: true });
    expect(await pathOf('c1')).toEqual(['c', 'a2', 'a', 'house', 'new', 'client']);
    expect(await pathOf('a1')).toEqual(['next', 'new', 'client']);
    expect(await pathOf('guest lamp')).toEqual(['guest', 'b1', 'b', 'house', 'new', 'client']);
  });

  test('what is moved out after it was listed, and before it is read, keeps its new place', async () => {
    const answer = await world.provisionBeforeRead(
      move('house', 'new'),
      'getMany',
      'ZONE#a1',
      () => world.run('scope.move', move('a1', 'next').input),
      async () => (await nodeOf('house')).movingTo !== undefined,
    );
    expect(answer).toMatchObject({ ok: true });
    expect(await nodeOf('a1')).toMatchObject({ parent: at.next, ancestors: [at.next, at.new, at.client] });
    await expectWhole();
  });

  test.each(steps)('before step %i: its new parent is moved', async (step) => {
    await place('zone', 'hall', { parent: at.next });
    await place('zone', 'corner', { parent: at.hall });
    const into = move('a', 'corner');
    // A floor with twenty devices more does not fit into one transaction.
    await inParallel([...Array(25).keys()], 6, (i) => place('device', `more ${i}`, { parent: at.a }));
    await provisionWith(world, into, step, async () => {
      await world.run('scope.move', move('hall', 'b').input);
      await world.run('zone.update', { id: idOf('hall'), name: 'hallway' });
    });
    if ((await nodeOf('a')).parent !== at.corner) await world.run('scope.move', into.input);
    expect(await pathOf('d0')).toEqual(['a1', 'a', 'corner', 'hall', 'b', 'house', 'old', 'client']);
    await expectWhole();
  });

  test('a change of its status that was planned before it is closed does not open it again', async () => {
    const event = { command: 'building.update', input: { id: idOf('house'), status: 'active' } };
    const answer = await world.provisionAround(event, () => interruptAfter(world, move('house', 'new'), 2));
    expect(answer).toMatchObject({ error: { code: 'invalid', field: 'status' } });
    expect(await entrants(SOME)).toEqual(everywhere(CLOSED));
    await expectWhole();
  });

  test('a part of it that is being moved has to arrive first, and can', async () => {
    await inParallel([...Array(25).keys()], 6, (i) => place('device', `more ${i}`, { parent: at.a1 }));
    await interruptAfter(world, move('a1', 'next'), 2);
    const conflict = { error: { code: 'conflict', field: 'scope', retryable: false } };
    expect(await world.provision(move('house', 'new'))).toMatchObject(conflict);
    expect(await world.provision(move('a', 'next'))).toMatchObject(conflict);
    await world.run('scope.move', move('a1', 'next').input);
    await inParallel([...Array(25).keys()], 6, (i) => place('device', `late ${i}`, { parent: at.c1 }));
    await interruptAfter(world, move('house', 'new'), 2);
    expect(await world.provision(move('b1', 'next'))).toMatchObject({ ok: true });
    const message = `${at.house} above it is being moved: finish that first`;
    expect(await world.refused('scope.move', move('c1', 'next').input)).toMatchObject({ message });
    await world.run('scope.move', move('house', 'new').input);
    await expectWhole();
  });

  test('what has become too deep meanwhile stays closed until it fits, or goes back', async () => {
    await placeLevels();
    await inParallel([...Array(25).keys()], 6, (i) => place('device', `more ${i}`, { parent: at.a1 }));
    await interruptAfter(world, move('a', 'level 11'), 1);
    await place('zone', 'too', { parent: at.a1 });
    await place('device', 'deep', { parent: at.too });
    const event = move('a', 'level 11');
    expect(await world.outcome('scope.move', event.input)).toBe('limit_exceeded parent');
    expect(await entrants(['deep'])).toEqual({ deep: CLOSED });
    await expectWhole();
    await world.run('device.delete', { id: idOf('deep') });
    expect(await world.provision(event)).toMatchObject({ ok: true });
    expect((await nodeOf('too')).ancestors).toHaveLength(16);
    await expectWhole();
  });

  test.each(steps)('before step %i: it is deleted with all below it', async (step) => {
    const answer = await provisionWith(world, move('house', 'new'), step, async () => {
      await interruptAfter(world, { command: 'scope.delete-tree', input: { scope: at.house } }, 2);
    });
    expect(answer).toMatchObject({ ok: false });
    await expectWhole();
    // Whatever came of the move: what is being deleted is closed.
    expect(await entrants(['house', 'b2'])).toEqual({ house: CLOSED, b2: CLOSED });
    expect(await world.provision(move('house', 'new'))).toMatchObject({ error: { code: 'conflict' } });
    await world.run('scope.move', move('next', 'old').input);
    await world.run('scope.delete-tree', { scope: at.house });
    await expectWhole();
    expect(await namesIn('building.list', 'new')).toEqual([]);
  });

  describe('interrupted', () => {
    // The devices of a floor are owned by its building as well: they come to the new one before the floor does.
    beforeEach(async () => {
      await inParallel([...Array(25).keys()], 6, (i) => place('device', `more ${i}`, { parent: at.a }));
      await place('zone', 'corner', { parent: at.next });
    });
    const isThere = async (name: string) =>
      (await world.everything()).some(({ SK, id }) => SK === 'META' && id === idOf(name));
    const deletion = (name: string): Event => ({ command: 'scope.delete-tree', input: { scope: at[name] } });

    test.each(steps)(
      'after step %i: it is deleted with its old place, whatever its new one does',
      async (step) => {
        await interruptAfter(world, move('a', 'next'), step);
        const isMoved = (await nodeOf('a')).parent === at.next;
        // Closed, at the least, so that nothing can come there any more.
        await interruptAfter(world, deletion('next'), 1);
        await expectWhole();
        expect(await world.provision(deletion('house'))).toMatchObject({ ok: true });
        expect(await isThere('house')).toBe(false);
        expect(await isThere('a')).toBe(isMoved);
        expect(await isThere('more 0')).toBe(isMoved);
        await expectWhole();
        expect(await world.provision(deletion('next'))).toMatchObject({ ok: true });
        expect(await isThere('a')).toBe(false);
        await expectWhole();
      },
    );

    test.each(steps)('after step %i: where its new place is deleted, it goes back first', async (step) => {
      await interruptAfter(world, move('a', 'next'), step);
      const { parent, movingTo } = await nodeOf('a');
      const answer = await world.provision(deletion('next'));
      await expectWhole();
      expect(await isThere('a')).toBe(parent === at.house);
      if (!answer.ok) {
        expect(movingTo).toBe(at.next);
        const message = `${at.a} in it is being moved: finish that first, or move it back`;
        expect(answer.error).toEqual({ code: 'conflict', field: 'scope', retryable: false, message });
        await world.run('scope.move', move('a', 'house').input);
        await world.run('scope.delete-tree', deletion('next').input);
      }
      expect(await isThere('next')).toBe(false);
      expect(await isThere('more 0')).toBe(parent === at.house);
      await expectWhole();
    });
  });

  test('what comes to where a move is under way waits for it: that is stale, and can be sent again', async () => {
    await place('zone', 'guest', { parent: at.next });
    await place('device', 'lamp', { parent: at.next });
    await interruptAfter(world, move('house', 'new'), 2);
    const waits = { code: 'stale', field: 'parent', retryable: true, message: `${at.house} is being moved` };
    // One below, and with more than one transaction takes.
    expect(await world.refused('scope.move', move('guest', 'house').input)).toEqual(waits);
    expect(await world.refused('zone.create', { name: 'x', parent: at.house })).toEqual(waits);
    await inParallel([...Array(40).keys()], 6, (i) => place('device', `more ${i}`, { parent: at.guest }));
    expect(await world.refused('scope.move', move('guest', 'house').input)).toEqual(waits);
    await world.run('scope.move', move('house', 'new').input);
    expect(await world.provision(move('guest', 'house'))).toMatchObject({ ok: true });
    await expectWhole();
  });

  test('nothing is moved to where a deletion is under way', async () => {
    await interruptAfter(world, { command: 'scope.delete-tree', input: { scope: at.house } }, 1);
    for (const [command, input] of [
      ['zone.create', { name: 'x', parent: at.house }],
      ['scope.move', move('a1', 'house').input],
    ] as const)
      expect(await world.outcome(command, input)).toBe('conflict parent');
  });
});
