import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createProvisioning, type Hooks } from '../../../provisioning/index.ts';
import type { Writer } from '../../../table/writer.ts';
import { watchWrites } from '../../support/watched-writer.ts';
import { findingsOn } from '../findings.ts';
import { createMemoryWorld, type MemoryWorld, planOn } from './support.ts';

/** Applies of one tenant at once: one is carried out, the other one is refused or comes after it. */
const people = (name: string, groups: string): string => `
scopes: { school: { type: tenant } }
groups: { left: { scope: school }, right: { scope: school } }
users:
${Array.from({ length: 12 }, (_, n) => `  ${name}-${n}: { email: "${name}-${n}@school.example", groups: [${groups}] }`).join('\n')}
`;
const [ONE, OTHER] = [people('ann', 'left'), people('ben', 'right')];

interface Sent {
  readonly prune?: boolean;
  readonly operationId?: string;
  readonly hooks?: Hooks;
  readonly writer?: Writer;
  readonly budgetMs?: number;
  readonly dryRun?: boolean;
}

function apply(world: MemoryWorld, text: string, { hooks = {}, prune = true, ...more }: Sent = {}) {
  const { writer = world.writer, budgetMs = Number.POSITIVE_INFINITY, ...event } = more;
  const provision = createProvisioning({ ...world, writer, budgetMs, newId: () => ulid() });
  const input = { manifest: parse(text), prune, atOnce: 5 };
  return provision({ command: 'tenant.apply', input, ...event }, hooks);
}

const RUNNING = { ok: false, error: { code: 'apply_running', field: 'manifest', retryable: false } };
const isApplied = async (world: MemoryWorld, text: string): Promise<boolean> =>
  (await planOn(world, text, true, false)).steps.length === 0;

/** Does a piece of work once, after the first transaction of an apply. */
function afterFirst(work: () => Promise<void>): Hooks {
  let isFirst = true;
  return {
    onStep: async () => {
      if (!isFirst) return;
      isFirst = false;
      await work();
    },
  };
}

test('the second one is refused, says since when and until when, and the first one has its way', async () => {
  const world = createMemoryWorld();
  const began = new Date(world.clock.now()).toISOString();
  const answer = await apply(world, ONE, {
    hooks: afterFirst(async () => {
      const refused = await apply(world, OTHER);
      expect(refused).toMatchObject(RUNNING);
      const until = new Date(world.clock.now() + 60_000).toISOString();
      expect(JSON.stringify(refused)).toMatch(
        new RegExp(`another apply of tenant:[0-9a-f-]+ is under way since ${began}.*${until}`),
      );
      expect(await findingsOn(world)).toEqual([]);
    }),
  });
  expect(answer).toMatchObject({ ok: true });
  expect(await isApplied(world, ONE)).toBe(true);
  expect(await apply(world, OTHER)).toMatchObject({ ok: true });
  expect(await isApplied(world, OTHER)).toBe(true);
  expect(await findingsOn(world)).toEqual([]);
});

test('one that has compared before the other one began compares anew', async () => {
  const world = createMemoryWorld();
  await apply(world, ONE);
  const late = watchWrites(world.writer, async (number) => {
    if (number > 1) return;
    expect(await apply(world, ONE.replaceAll('ann-', 'eva-'))).toMatchObject({ ok: true });
  });
  expect(await apply(world, OTHER, { writer: late })).toMatchObject({ ok: true });
  expect(await isApplied(world, OTHER)).toBe(true);
});

test('one that stands still for longer than a minute is taken over, and writes nothing more meanwhile', async () => {
  const world = createMemoryWorld();
  const answer = await apply(world, ONE, {
    hooks: afterFirst(async () => {
      world.clock.advance(59_000);
      expect(await apply(world, OTHER)).toMatchObject(RUNNING);
      world.clock.advance(2_000);
      const other = await apply(world, OTHER, { budgetMs: -1, operationId: 'other' });
      expect(other).toMatchObject({ error: { code: 'unfinished' } });
    }),
  });
  expect(answer).toMatchObject({ ...RUNNING, error: { code: 'apply_running', progress: { done: 5 } } });
  expect(await apply(world, OTHER, { operationId: 'other' })).toMatchObject({ ok: true });
  expect(await isApplied(world, OTHER)).toBe(true);
});

test('it is held by an operation that goes on, and by no other one that has ended', async () => {
  const world = createMemoryWorld();
  // Out of time: the same operation goes on, and nobody else.
  const unfinished = await apply(world, ONE, { budgetMs: -1, operationId: 'mine' });
  expect(unfinished).toMatchObject({ error: { code: 'unfinished' } });
  expect(await apply(world, OTHER)).toMatchObject(RUNNING);
  expect(await apply(world, ONE, { operationId: 'mine' })).toMatchObject({ ok: true });
  // Nobody can go on with an operation without a name.
  expect(await apply(world, OTHER, { budgetMs: -1 })).toMatchObject({ error: { code: 'unfinished' } });
  // Interrupted.
  const interruption = new AbortController();
  const stopped = await apply(world, OTHER, {
    operationId: 'stopped',
    hooks: { ...afterFirst(async () => interruption.abort()), signal: interruption.signal },
  });
  expect(stopped).toMatchObject({ error: { code: 'unfinished' } });
  // Failed.
  const failing = watchWrites(world.writer, (number) => {
    if (number === 3) throw new Error('broken');
  });
  expect(await apply(world, OTHER, { writer: failing, operationId: 'failed' })).toMatchObject({
    error: { code: 'internal' },
  });
  expect(await apply(world, ONE)).toMatchObject({ ok: true });
  expect(await isApplied(world, ONE)).toBe(true);
});

test('a plan and a dry run take nothing, and are not kept waiting', async () => {
  const world = createMemoryWorld();
  expect(await apply(world, ONE, { dryRun: true })).toMatchObject({ ok: true });
  expect(world.items().some(({ PK }) => PK.startsWith('OPERATION#APPLY'))).toBe(false);
  await apply(world, ONE, {
    hooks: afterFirst(async () => {
      expect(await apply(world, OTHER, { dryRun: true })).toMatchObject({ ok: true });
      expect((await planOn(world, OTHER)).steps.length).toBeGreaterThan(0);
    }),
  });
  const applied = world.items().length;
  expect(await apply(world, ONE)).toMatchObject({ ok: true });
  // The record of the operation alone: there was nothing to do.
  expect(world.items().length).toBe(applied + 1);
});

const tenants = (...names: readonly string[]): string =>
  `scopes: { ${names.map((name) => `${name}: { type: tenant }`).join(', ')} }
groups: { ${names
    .slice(0, 2)
    .flatMap((name) => [1, 2, 3].map((n) => `${name}-${n}: { scope: ${name} }`))
    .join(', ')} }`;

test.each([
  ['another tenant', tenants('b'), tenants('c'), false],
  ['one of its tenants', tenants('a', 'b'), tenants('b', 'c'), true],
  ['one of many tenants', tenants(...Array.from({ length: 100 }, (_, n) => `t${n}`)), tenants('t99'), true],
  ['what belongs to no tenant', 'pages: [a, b, c, d, e, f]', 'pages: [g]', true],
  ['a tenant beside what belongs to none', 'pages: [a, b, c, d, e, f]', tenants('a'), false],
])('an apply beside one of %s', async (_, first, second, isRefused) => {
  const world = createMemoryWorld();
  const answer = await apply(world, first, {
    prune: false,
    hooks: afterFirst(async () => {
      const other = await apply(world, second, { prune: false });
      expect(other).toMatchObject(isRefused ? RUNNING : { ok: true });
    }),
  });
  expect(answer).toMatchObject({ ok: true });
});
