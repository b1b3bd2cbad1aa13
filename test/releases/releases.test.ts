import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createEngine } from '../../engine/index.ts';
import { EDGES } from '../../provisioning/documents/edges.ts';
import { itemTypeOf } from '../../provisioning/kinds/node-kind.ts';
import type { Entity } from '../../table/entities/entity.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import type { GatehouseError } from '../../table/errors.ts';
import { FORMS, formOf, SPLIT_FORM } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import { parseKey } from '../../table/keys.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import { createClock } from '../support/world.ts';
import {
  createSampleWorld,
  createSplitWorld,
  fromJson,
  goldenItems,
  NOW,
  PERMISSIONS,
  SCOPES,
  SUBJECTS,
  splitItems,
} from './world.ts';

/**
 * Two releases on one table: the reader of the previous release with the items that today's code writes, and today's
 * reader with the items of the previous one. README.md says how the files were made.
 */
interface Release {
  readonly createEngine: typeof createEngine;
  readonly createMemoryTable: typeof createMemoryTable;
}

const TODAY: Release = { createEngine, createMemoryTable };
const goldenOf = (release: string, name = 'items'): readonly Item[] =>
  fromJson(readFileSync(new URL(`${release}/${name}.json`, import.meta.url), 'utf8'));

const before = goldenOf('3d7252a');
const previous: Release = await import(new URL('3d7252a/reader.mjs', import.meta.url).href);
const today: readonly Item[] = (await createSampleWorld()).items();
const split: readonly Item[] = (await createSplitWorld()).items();

const QUESTIONS = SUBJECTS.flatMap((subject) =>
  PERMISSIONS.flatMap((permission) => SCOPES.map((scope) => ({ subject, permission, scope }))),
);

/** What a release decides over these items: `allowed` or the code, with the reason, for each question. */
async function decisionsOf({ createEngine, createMemoryTable }: Release, items: readonly Item[]) {
  const { reader } = createMemoryTable({ items });
  const clock = createClock(NOW);
  const engine = createEngine({ reader, clock, random: () => 0, wait: clock.wait });
  const decisions: Record<string, string> = {};
  for (const { subject, permission, scope } of QUESTIONS)
    decisions[`${subject} ${permission} ${scope}`] = await engine.check(subject, permission, scope).then(
      ({ allowed, reason }) => `${allowed ? 'allowed' : 'refused'}: ${JSON.stringify(reason)}`,
      (error: GatehouseError) => `fault: ${error.code}`,
    );
  return decisions;
}

const isDecision = (item: Item) => ['decision', 'tenant-effects'].includes(String(parseKey(item)?.form));

describe('the previous release and this one decide the same over the sample world', () => {
  test('whoever reads, and whoever wrote: no wrong Allow, no needless refusal', async () => {
    const expected = await decisionsOf(previous, before);
    expect(await decisionsOf(previous, today), 'old reader, new items').toEqual(expected);
    expect(await decisionsOf(TODAY, before), 'new reader, old items').toEqual(expected);
    expect(await decisionsOf(TODAY, today), 'new reader, new items').toEqual(expected);
    const all = Object.values(expected);
    const count = (beginning: string) => all.filter((each) => each.startsWith(beginning)).length;
    expect(count('fault')).toBe(0);
    expect(count('allowed')).toBeGreaterThan(80);
    expect(new Set(all).size).toBeGreaterThan(8);
  });

  test('and both refuse what is of a newer form, where it decides: ours says so', async () => {
    const newer = today.map((item) => (isDecision(item) ? { ...item, v: FORMS.reads + 1 } : item));
    const answers = async (release: Release) => [
      ...new Set(Object.values(await decisionsOf(release, newer))),
    ];
    expect(await answers(TODAY)).toEqual(['fault: newer_form']);
    expect(await answers(previous)).toEqual(['fault: damaged_item']);
  });

  test('one item of a newer form refuses what rests on it, and nothing else', async () => {
    const expected = await decisionsOf(TODAY, today);
    const kinds = ['USER#ann', 'TENANT#strict', 'PERMISSION#doors:open:front', 'GLOBAL#GATEHOUSE'];
    for (const kind of kinds) {
      const newer = today.map((item) =>
        isDecision(item) && item.PK === kind ? { ...item, v: FORMS.reads + 1 } : item,
      );
      const found = await decisionsOf(TODAY, newer);
      const different = Object.keys(expected).filter((question) => found[question] !== expected[question]);
      expect(different.length, kind).toBeGreaterThan(0);
      expect([...new Set(different.map((question) => found[question]))], kind).toEqual(['fault: newer_form']);
    }
  });
});

describe('split items: folded roles, and groups that stand apart', () => {
  /** Today's reader as a release that knows no split items. */
  async function asOlder<T>(use: () => Promise<T>): Promise<T> {
    const forms = FORMS as { reads: number };
    const { reads } = forms;
    forms.reads = SPLIT_FORM - 1;
    try {
      return await use();
    } finally {
      forms.reads = reads;
    }
  }

  test('decide as the items that they were split from', async () => {
    expect(await decisionsOf(TODAY, split)).toEqual(await decisionsOf(TODAY, today));
  });

  test('a release that does not read their form says so, and one from before forms refuses: no Allow rests on them', async () => {
    const expected = await decisionsOf(TODAY, today);
    const different = (found: Readonly<Record<string, string>>) => [
      ...new Set(
        Object.keys(expected).flatMap((question) =>
          found[question] === expected[question] ? [] : [found[question]],
        ),
      ),
    ];
    expect(different(await asOlder(() => decisionsOf(TODAY, split)))).toEqual(['fault: newer_form']);
    expect(different(await decisionsOf(previous, split))).toEqual(['fault: damaged_item']);
  });

  test('one of them refuses what rests on it in a release that does not read its form, and nothing else', async () => {
    const expected = await decisionsOf(TODAY, today);
    for (const kind of ['USER#ann', 'TENANT#strict']) {
      const isOf = ({ PK }: Item) => PK === kind;
      const one = [...today.filter((item) => !isOf(item)), ...split.filter(isOf)];
      const found = await asOlder(() => decisionsOf(TODAY, one));
      const different = Object.keys(expected).filter((question) => found[question] !== expected[question]);
      const of = kind === 'USER#ann' ? 'user:ann ' : ' tenant:strict';
      expect(different.length, kind).toBeGreaterThan(0);
      expect(
        different.filter((question) => !question.includes(of)),
        kind,
      ).toEqual([]);
      expect([...new Set(different.map((question) => found[question]))], kind).toEqual(['fault: newer_form']);
    }
  });
});

/** What kind of item it is, and of what types its attributes are. */
function shapesOf(items: readonly Item[]): Readonly<Record<string, readonly string[]>> {
  const shapes = new Map<string, Set<string>>();
  for (const item of items) {
    const parsed = parseKey(item);
    const kind = `${parsed?.form} ${item.Type} ${parsed && 'type' in parsed ? parsed.type : ''}`;
    const shape = shapes.get(kind) ?? new Set<string>();
    shapes.set(kind, shape);
    for (const [name, value] of Object.entries(item))
      shape.add(
        `${name.split('|')[0]}: ${value instanceof Set ? 'set' : Array.isArray(value) ? 'list' : typeof value}`,
      );
  }
  return Object.fromEntries([...shapes].sort().map(([kind, shape]) => [kind, [...shape].sort()]));
}

describe('the golden items of this release', () => {
  test('are as today’s code makes them: what changes a form makes them anew, as README.md says', () => {
    expect(shapesOf(goldenItems(today))).toEqual(shapesOf(goldenOf('current')));
    expect(shapesOf(splitItems(split))).toEqual(shapesOf(goldenOf('current', 'split')));
  });

  test('are of both kinds of split items, and of the parts of the one that has parts', () => {
    const golden = goldenOf('current', 'split');
    expect(golden.filter(({ roleTable }) => roleTable === 'folded').length).toBeGreaterThan(1);
    expect(golden.filter(({ groupsIn }) => groupsIn === 'scope').length).toBeGreaterThan(1);
    expect(golden.filter((item) => parseKey(item)?.form === 'memberships').length).toBeGreaterThan(1);
    expect([...new Set(golden.map(formOf))]).toEqual([SPLIT_FORM]);
  });

  test('say the usual form, each of them', () => {
    const without = today.filter(({ v }) => v !== FORMS.usual);
    expect(without).toEqual([]);
  });

  test('are of every kind', () => {
    const types = new Set(today.map(({ Type }) => Type));
    const nodes = Object.values(ENTITIES as Readonly<Record<string, Entity>>).map(itemTypeOf);
    const others = ['Decision', 'Ownership', 'Guard', 'NodeName', 'Secret', 'RouteRule', 'GrantRole'];
    const missing = [
      ...nodes,
      ...EDGES.map(({ edge }) => edge.label),
      ...others,
      'AuditLog',
      'Operation',
    ].filter((type) => !types.has(type));
    expect(missing).toEqual([]);
  });
});
