import { describe, expect, test } from 'vitest';
import { MOST_GIVEN, readGiven } from '../../explorer/page/parts/asked.ts';
import {
  dateText,
  formatInstant,
  instantText,
  periodText,
  readInstant,
} from '../../explorer/page/parts/instant.ts';
import { layOut } from '../../explorer/page/views/why/layout.ts';
import { FEW, type PathGraph, pathGraph } from '../../explorer/page/views/why/path-graph.ts';
import { axisOf, MOST_PARTS, marksOf, partsOf, rangeOf } from '../../explorer/page/views/why/periods.ts';
import { assigning, remediesOf } from '../../explorer/page/views/why/remedies.ts';
import { createRuleWorld, type RuleWorld } from '../engine/rule/world.ts';

/** What the view Why makes of an explanation: a picture, marks in time, and changes that would have helped. */
const world: RuleWorld = await createRuleWorld();

const OPEN = 'doors:open:door';
const DAY = 86_400_000;
const explained = (subject: string, scope: string, permission = OPEN) =>
  world.explain({ subject, permission, scope });

/** Each chain as text: its nodes between subject and permission, with the labels of edges that do not simply count. */
const chainsOf = ({ chains }: PathGraph): readonly string[] =>
  chains.map(({ nodes, edges }) => {
    const labels = edges.map(({ state, label = state }) => (state === 'counts' ? '' : `[${label}] `));
    const between = nodes.slice(1, -1).map(({ title, name }, at) => `${labels[at]}${title} ${name}`);
    return [...between, labels.at(-1) ?? ''].join(' > ').replace(/ > $/, '').trim();
  });

describe('the picture of a decision', () => {
  const HEADS = '[missing] group heads > [does_not_count] role head caretaker > [does_not_count]';
  const OPENS = `role caretaker > ALLOW ${OPEN}`;
  test.each<[string, [string, string, string?], readonly string[]]>([
    [
      'by a group above and an inherited role',
      ['hans', 'Lighthouse'],
      [`group heads > role head caretaker > inherited ${OPENS}`],
    ],
    [
      'by an assignment and a pattern',
      ['paul', 'Lighthouse'],
      ['assignment at Harbour > role doorman > ALLOW by pattern doors:*:*'],
    ],
    ['by a grant', ['tess', 'Lighthouse'], [`tenant grant in Northwind > ${OPENS}`]],
    [
      'by a global role',
      ['glen', 'Lighthouse', 'unused'],
      ['global role in every tenant > role everything > ALLOW by pattern *:*:*'],
    ],
    [
      'as an administrator, who would be allowed without being one',
      ['ada', 'Lighthouse'],
      ['administrator everything, everywhere', `group porters > ${OPENS}`],
    ],
    [
      'an ALLOW, with a DENY that it overrides',
      ['mix', 'Lighthouse'],
      [`group porters > ${OPENS}`, `group barred ones > role barred > DENY ${OPEN} > [overridden]`],
    ],
    [
      'a DENY that refuses, with the ALLOW that it overrides',
      ['sid', 'Strict'],
      [`group strict > role barred > DENY ${OPEN}`, `group strict > ${OPENS} > [overridden]`],
    ],
    [
      'nothing granted: a group to join',
      ['nobody', 'Lighthouse'],
      [HEADS, '[missing] role own porter > [does_not_count]'],
    ],
    ['granted elsewhere', ['boris', 'Lighthouse'], ['group boatmen > role caretaker > [not here]', HEADS]],
    [
      'granted here, at another time',
      ['carl', 'Lighthouse'],
      ['[has ended] assignment at Lighthouse > [does_not_count] role caretaker > [does_not_count]', HEADS],
    ],
    [
      'a suspended scope above',
      ['gina', 'Mill'],
      ['scope Closed is on-hold, and closes all below it > [refused here]'],
    ],
    [
      'no licence',
      ['petra', 'Timetables', 'reports'],
      ['entitlement no licence for Borealis holds here or above > [refused here]'],
    ],
    [
      'a permission that is not registered',
      ['gina', 'Harbour', 'nothing'],
      ['permission it is not registered > [refused here]'],
    ],
    ['an unknown subject', ['user:NOBODY', 'Harbour'], ['subject there is no such subject > [refused here]']],
  ])('%s', async (_, [subject, scope, permission], expected) => {
    const graph = pathGraph(await explained(subject, scope, permission));
    expect(chainsOf(graph)).toEqual(expected);
    for (const { nodes } of graph.chains)
      expect([nodes[0], nodes.at(-1)]).toMatchObject([
        { title: 'user', name: subject },
        { title: 'permission', name: permission ?? OPEN },
      ]);
  });

  test('one chain decides; where grants are missing none does', async () => {
    const deciding = async (subject: string, scope: string) =>
      pathGraph(await explained(subject, scope)).chains.map(({ isDeciding }) => isDeciding);
    expect(await deciding('mix', 'Lighthouse')).toEqual([true, false]);
    expect(await deciding('sid', 'Strict')).toEqual([true, false]);
    expect(await deciding('nobody', 'Lighthouse')).toEqual([false, false]);
  });

  test('what chains share is drawn once, and counts if it counts in one of them', async () => {
    const { nodes, edges } = pathGraph(await explained('sid', 'Strict'));
    expect(nodes.filter(({ kind }) => kind === 'group')).toMatchObject([{ counts: true, isDeciding: true }]);
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
    expect(new Set(edges.map(({ from, to }) => `${from} ${to}`)).size).toBe(edges.length);
  });

  test('a few of many derivations are shown, the deciding one first; the others are counted', async () => {
    const explanation = await explained('hans', 'Lighthouse');
    const [one] = explanation.allowedBy.items;
    if (!one) throw new Error('there is no derivation');
    const items = Array.from({ length: 20 }, (_, position) => ({
      ...one,
      from: {
        kind: 'group' as const,
        group: { ref: `group:${position}`, name: 'many' },
        scope: one.roles[0] as never,
      },
    }));
    const many = { ...explanation, allowedBy: { items, more: 3 } };
    const graph = pathGraph(many);
    expect(graph).toMatchObject({ chains: { length: FEW }, hidden: 20 - FEW, more: 3 });
    expect(graph.chains.map(({ isDeciding }) => isDeciding)).toEqual([true, false, false, false]);
    expect(pathGraph(many, Number.POSITIVE_INFINITY)).toMatchObject({ chains: { length: 20 }, hidden: 0 });
  });

  test('a group leads to what would be if the subject left it', async () => {
    const { nodes } = pathGraph(await explained('gina', 'Lighthouse'));
    const { change } = nodes.find(({ kind }) => kind === 'group')?.link ?? {};
    const input = { user: world.id('gina'), group: world.id('porters') };
    expect(JSON.parse(change ?? '')).toEqual([{ command: 'membership.delete', input }]);
  });

  test('of a condition that does not hold, no second grant of its role is suggested', async () => {
    const explanation = await explained('nobody', 'Lighthouse');
    const role = explanation.suggestions?.roles.items[0]?.role;
    if (!role) throw new Error('there is no role');
    const condition = {
      when: 'false',
      outcome: 'does_not_hold',
      message: null,
      fails: [],
      values: [],
    } as const;
    const derivation = {
      effect: 'ALLOW',
      from: { kind: 'global_role' },
      roles: [role],
      by: null,
      condition,
    } as const;
    const graph = pathGraph({ ...explanation, notCounting: { items: [derivation], more: 0 } });
    expect(chainsOf(graph).filter((chain) => chain.includes(`[missing] role ${role.name}`))).toEqual([]);
  });

  test.each([1_200, 700, 340])('in %d pixels no node covers another', async (room) => {
    for (const [subject, scope] of [
      ['mix', 'Lighthouse'],
      ['carl', 'Lighthouse'],
      ['ada', 'Lighthouse'],
    ] as const) {
      const { nodes, style, box } = await layOut(pathGraph(await explained(subject, scope)), room);
      for (const [position, one] of nodes.entries()) {
        expect(one.x).toBeGreaterThanOrEqual(box.x);
        expect(one.x + style.width).toBeLessThanOrEqual(box.x + box.width);
        for (const other of nodes.slice(position + 1)) {
          const isApart =
            Math.abs(one.x - other.x) >= style.width || Math.abs(one.y - other.y) >= style.height;
          expect(isApart, `${one.name} and ${other.name}`).toBe(true);
        }
      }
      if (room === 1_200) expect(style.direction).toBe('LR');
      if (room === 340) expect(style.direction).toBe('TB');
    }
  });
});

describe('over time', () => {
  const now = Date.parse('2026-03-10T08:30:00Z');
  const period = (start?: string, end?: string) => ({
    kind: 'subject' as const,
    ...(start && { start }),
    ...(end && { end }),
  });
  const marks = (...items: ReturnType<typeof period>[]) => marksOf({ validities: { items, more: 0 } });

  test('the marks of an explanation are the starts and ends of its periods, by time', async () => {
    const found = marksOf(await explained('carl', 'Lighthouse'));
    expect(found.map(({ at, isStart, of }) => [new Date(at).toISOString(), isStart, of.kind])).toEqual([
      ['2025-06-30T00:00:00.000Z', false, 'assignment'],
      ['2027-01-01T00:00:00.000Z', true, 'assignment'],
    ]);
  });

  test('without marks the range is half a year before and after now, in whole days', () => {
    const { start, end } = rangeOf([], now);
    expect([start % DAY, end % DAY]).toEqual([0, 0]);
    expect((end - start) / DAY).toBe(367);
  });

  test('marks widen it, but not those of another age, and neither do more than can be asked about', () => {
    const close = marks(period('2025-01-01T00:00:00Z', '2027-01-01T00:00:00Z'));
    expect(rangeOf(close, now)).toEqual({
      start: Date.parse('2024-12-02T00:00:00Z'),
      end: Date.parse('2027-01-31T00:00:00Z'),
    });
    expect(rangeOf(marks(period('1990-01-01T00:00:00Z', '2099-01-01T00:00:00Z')), now)).toEqual(
      rangeOf([], now),
    );
    const many = marks(
      ...Array.from({ length: 40 }, (_, each) => period(new Date(now + each * 40 * DAY).toISOString())),
    );
    expect(rangeOf(many, now).end).toBeLessThan(now + 24 * 40 * DAY);
  });

  test('an instant that is asked about is in the range', () => {
    const far = Date.parse('2030-01-01T00:00:00Z');
    expect(rangeOf([], now, [far]).end).toBeGreaterThan(far);
  });

  test('the parts between marks cover the range, each once, and are bounded', () => {
    const found = marks(
      period('2026-01-01T00:00:00Z', '2026-05-01T00:00:00Z'),
      period(undefined, '2026-05-01T00:00:00Z'),
    );
    const range = rangeOf(found, now);
    expect(partsOf(range, found)).toEqual([
      { start: range.start, end: Date.parse('2026-01-01T00:00:00Z') },
      { start: Date.parse('2026-01-01T00:00:00Z'), end: Date.parse('2026-05-01T00:00:00Z') },
      { start: Date.parse('2026-05-01T00:00:00Z'), end: range.end },
    ]);
    const many = marks(
      ...Array.from({ length: 40 }, (_, each) => period(new Date(now + each * DAY).toISOString())),
    );
    expect(partsOf(rangeOf(many, now), many)).toHaveLength(MOST_PARTS);
  });

  test('the axis has first days of months, at most as many as asked', () => {
    const range = rangeOf([], now);
    expect(axisOf(range, 5).map((at) => new Date(at).toISOString().slice(0, 10))).toEqual([
      ...['2025-10-01', '2026-01-01', '2026-04-01', '2026-07-01'],
    ]);
    expect(axisOf(range, 20)).toHaveLength(12);
    expect(
      axisOf({ start: 0, end: Date.UTC(2026, 0, 1) }, 6).map((at) => new Date(at).getUTCFullYear()),
    ).toEqual([...[1970, 1980, 1990, 2000, 2010, 2020]]);
    expect(axisOf({ start: 0, end: Date.UTC(9999, 0, 1) }, 6)).toEqual([]);
  });
});

describe('what would lift a refusal', () => {
  test('a scope that is not active, by the command of its type', async () => {
    const [remedy] = remediesOf(await explained('gina', 'Mill'));
    const id = world.id('Closed');
    expect(remedy).toMatchObject({
      of: { name: 'Closed' },
      change: { command: 'project.update', input: { id } },
    });
  });

  test('not one that is active, or whose status no command has set', async () => {
    const explanation = await explained('gina', 'Mill');
    const of = (type: string, status: string) =>
      remediesOf({ ...explanation, path: [{ ref: `${type}:x`, name: 'x', status }] }).length;
    const statuses = ['active', 'unknown', 'not looked at', 'being deleted', 'being moved'];
    expect(statuses.map((status) => of('project', status))).toEqual([0, 0, 0, 0, 0]);
    expect([of('project', 'completed'), of('tenant', 'suspended'), of('ward', 'suspended')]).toEqual([
      1, 1, 1,
    ]);
  });

  test('a subject that is not active', async () => {
    expect(remediesOf(await explained('dora', 'Harbour'))).toMatchObject([
      { change: { command: 'user.update', input: { id: world.id('dora'), status: 'active' } } },
    ]);
  });

  test('the subject of an added type, by the command of all of them', async () => {
    const explanation = { ...(await explained('dora', 'Harbour')), subject: { ref: 'robot:r2', name: 'r2' } };
    const input = { user: 'robot:r2', status: 'active' };
    expect(remediesOf(explanation)).toMatchObject([{ change: { command: 'subject.update', input } }]);
  });

  test('a role, assigned here', async () => {
    const explanation = await explained('nobody', 'Lighthouse');
    const role = { ref: String(world.ref.caretaker), name: 'caretaker' };
    const input = { user: world.id('nobody'), scope: world.ref.Lighthouse, role: world.id('caretaker') };
    expect(assigning(explanation, role)).toEqual({ command: 'assignment.create', input });
    await world.run('assignment.create', input);
    expect(await explained('nobody', 'Lighthouse')).toMatchObject({ allowed: true });
    await world.run('assignment.delete', input);
  });

  test('a role that is assigned here at another time: without its bounds', async () => {
    const explanation = await explained('carl', 'Lighthouse');
    const change = assigning(explanation, { ref: String(world.ref.caretaker), name: 'caretaker' });
    expect(change).toMatchObject({ command: 'assignment.update', input: { startsAt: null, endsAt: null } });
    await world.run(change.command, change.input);
    expect(await explained('carl', 'Lighthouse')).toMatchObject({ allowed: true });
    await world.run('assignment.update', { ...change.input, endsAt: '2025-06-30T00:00:00.000Z' });
  });

  test('nothing where a grant is missing, or nothing is', async () => {
    expect(remediesOf(await explained('nobody', 'Harbour'))).toEqual([]);
    expect(remediesOf(await explained('gina', 'Harbour'))).toEqual([]);
  });
});

describe('an instant', () => {
  test.each([
    ['2026-03-01', '2026-03-01T00:00Z'],
    ['2026-03-01T12:00', '2026-03-01T12:00Z'],
    ['2026-03-01T12:00Z', '2026-03-01T12:00Z'],
    ['2026-03-01T12:00:30Z', '2026-03-01T12:00:30Z'],
    ['2026-03-01T12:00:30.250Z', '2026-03-01T12:00:30.250Z'],
  ])('%s is read in UTC', (text, expected) => {
    expect(formatInstant(readInstant(text) ?? Number.NaN)).toBe(expected);
  });

  test.each([
    ...['', 'now', '2026', '2026-13-01', '2026-02-30', '2026-03-01T25:00Z', '2026-03-01T12:00+01:00'],
    ...['1e99'],
  ])('%s is none', (text) => expect(readInstant(text)).toBeUndefined());

  test('is written for people, a day without its time', () => {
    const at = Date.parse('2026-03-01T12:00:00Z');
    expect([dateText(at), instantText(at), instantText(at + 5_000)]).toEqual([
      ...['1 Mar 2026', '1 Mar 2026, 12:00 UTC', '1 Mar 2026, 12:00:05 UTC'],
    ]);
    const [start, end] = ['2026-03-01T00:00:00.000Z', '2026-04-01T12:30:00.000Z'];
    expect([periodText({ start, end }), periodText({ start }), periodText({ end }), periodText({})]).toEqual([
      ...[
        '1 Mar 2026 – 1 Apr 2026, 12:30 UTC',
        'from 1 Mar 2026',
        'until 1 Apr 2026, 12:30 UTC',
        'at any time',
      ],
    ]);
  });
});

describe('what is given with a question', () => {
  test('is read from JSON', () => {
    expect(readGiven('{ "context": { "ip": "192.0.2.7" } }')).toEqual({
      given: { context: { ip: '192.0.2.7' } },
    });
    expect(readGiven(undefined)).toEqual({});
    expect(readGiven('  ')).toEqual({});
  });

  test.each([
    ['{', /not JSON/],
    ['[]', /must be an object/],
    ['null', /must be an object/],
    ['{ "weather": {} }', /weather is none of/],
    ['{ "context": 1 }', /context must be an object/],
    [`{ "context": { "text": "${'x'.repeat(MOST_GIVEN)}" } }`, /more than/],
  ])('%.30s has a problem', (text, expected) => {
    expect(readGiven(text)).toEqual({ problem: expect.stringMatching(expected) });
  });
});
