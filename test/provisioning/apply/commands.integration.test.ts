import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { createProvisioning, type Progress } from '../../../provisioning/index.ts';
import { GatehouseError } from '../../../table/errors.ts';
import type { Item } from '../../../table/item.ts';
import type { Action } from '../../../table/write/action.ts';
import { afterWrites, watchWrites } from '../../support/watched-writer.ts';
import { commandsOf, copyOf } from '../../support/world.ts';
import { findingsOn } from '../findings.ts';
import { isRecord } from '../support.ts';
import { applyOn, createMemoryWorld, exportOn, type MemoryWorld, worldOf } from './support.ts';

/** `tenant.plan` and `tenant.apply`, as the function offers them. */
const BEFORE = `
pages: [grades, plans]
scopes:
  school: { type: tenant }
  north: { type: location, parent: school }
roles:
  teacher: { owner: school, allow: [grades], deny: [plans] }
  gone: { owner: school, allow: [plans] }
groups: { staff: { scope: north, roles: [teacher] } }
users:
  ann: { email: ann@x.example, groups: [staff] }
  ben: { email: ben@x.example, grants: { school: [gone] } }
`;
const PEOPLE = Array.from({ length: 16 }, (_, n) => `  user-${n}: { groups: [staff] }`).join('\n');
const AFTER = `
pages: [grades, plans, maps]
scopes:
  school: { type: tenant }
  north: { type: location, parent: school }
  south: { type: location, parent: school }
roles:
  teacher: { owner: school, allow: [grades, maps] }
  boss: { owner: school, allow: ["*:*:*"] }
groups: { staff: { scope: north, roles: [teacher] } }
users:
  ann: { email: ann@x.example, groups: [staff], grants: { school: [boss] } }
${PEOPLE}
`;

type Given = Readonly<Record<string, unknown>>;
const input = (text: string, more: Given = {}): Given => ({
  manifest: parseYaml(text) as Given,
  prune: true,
  pruneShared: true,
  ...more,
});
const planned = (world: MemoryWorld, text: string, more?: Given) =>
  world.run('tenant.plan', input(text, more)) as unknown as Promise<{
    readonly changes: readonly { readonly verb: string; readonly id?: string; readonly danger?: string }[];
    readonly problems: readonly unknown[];
    readonly remove: number;
    readonly dangerous: number;
  }>;

/** What a table holds, but for records of what happened and times. */
const contentOf = ({ items }: MemoryWorld): readonly string[] =>
  items()
    .filter((item) => !isRecord(item) && item.Type !== 'Applied')
    .map(({ rev: _, writtenAt: __, writeId: ___, createdAt: ____, updatedAt: _____, ...rest }: Item) => {
      const shown = Object.entries(rest).filter(([name]) => !/^GSI|grantedAt|joinedAt|At$/.test(name));
      return JSON.stringify(shown.sort(), (_key, value) =>
        value instanceof Set ? [...value].sort() : value,
      );
    })
    .sort();

/** A world with the first manifest, of which each test has a copy. */
/** The state that an undisturbed apply comes to. */
const made = await worldOf(BEFORE);
const world = copyOf(made);
await applyOn(world, AFTER);
const undisturbed = contentOf(world);

/** A world with the first manifest, and what `send` makes of the transactions that follow. */
async function begun(
  send: (actions: readonly Action[], number: number) => Promise<unknown> = async () => {},
) {
  const world = copyOf(made);
  let sent = 0;
  const writer = watchWrites(world.writer, (number, actions) => {
    sent = number;
    return send(actions, number);
  });
  const provisioningWith = (budgetMs: number, clock = world.clock) =>
    createProvisioning({ ...world, writer, clock, budgetMs, newId: () => ulid() });
  /** Applies the second manifest, or this one, however long it takes. */
  const apply = (more?: Given, text = AFTER) =>
    provisioningWith(Number.POSITIVE_INFINITY)({ command: 'tenant.apply', input: input(text, more) });
  return { world, provisioningWith, apply, count: () => sent };
}

describe('tenant.plan', () => {
  test('answers the changes in their order, what is to be agreed to, and writes nothing', async () => {
    const { world } = await begun();
    const before = contentOf(world);
    const plan = await planned(world, AFTER);
    expect(plan.problems).toEqual([]);
    // Every removal is dangerous.
    expect(plan).toMatchObject({ remove: 3, dangerous: 4 });
    const toAgree = plan.changes.filter(({ id }) => id !== undefined);
    expect(toAgree).toHaveLength(4);
    expect(toAgree.every(({ verb, danger }) => verb === 'remove' || danger !== undefined)).toBe(true);
    expect(contentOf(world)).toEqual(before);
  });

  test.each([
    ['a reference', 'groups: { staff: { scope: nowhere } }', ['groups', 'staff', 'scope']],
    ['a key', 'scops: {}', ['scops']],
    ['a value', 'users: { ann: { status: asleep } }', ['users', 'ann', 'status']],
  ])('%s that is wrong is a problem with its path', async (_, text, path) => {
    const { problems, changes } = await planned(createMemoryWorld(), text);
    expect(problems).toMatchObject([{ path, message: expect.any(String) }]);
    expect(changes).toEqual([]);
  });

  test('bounds what it takes', async () => {
    const { provision } = createMemoryWorld();
    let deep: unknown = 'end';
    for (let level = 0; level < 50_000; level++) deep = [deep];
    const of = async (manifest: unknown) => {
      const [planned, answer] = await Promise.all(
        ['tenant.plan', 'tenant.apply'].map((command) => provision({ command, input: { manifest } })),
      );
      expect(planned).toEqual(answer);
      if (!answer) return undefined;
      return answer.ok ? answer.result.problems : answer.error.message;
    };
    expect(await of({ settings: deep })).toBe('manifest.settings.0.0: is nested more than 20 levels deep');
    expect(await of({ table: 'x'.repeat(1_000_001) })).toBe(
      'manifest: is longer than 1000000 bytes: divide it',
    );
    expect(await of('pages: []')).toMatch(/^manifest: /);
  });
});

describe('tenant.apply', () => {
  test('takes as many transactions as it needs, each with one audit record per change', async () => {
    const sizes: number[] = [];
    const { world, apply, count } = await begun(async (actions) => void sizes.push(actions.length));
    const { changes } = await planned(world, AFTER);
    const audits = () => world.items().filter(({ Type }) => Type === 'AuditLog').length;
    const before = audits();
    expect(await apply()).toMatchObject({ ok: true, result: { create: expect.any(Number), remove: 3 } });
    expect(count()).toBeGreaterThan(3);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(audits() - before).toBe(changes.length);
    expect(contentOf(world)).toEqual(undisturbed);
    expect((await planned(world, AFTER)).changes).toEqual([]);
    expect(await findingsOn(world)).toEqual([]);
  });

  test('goes on after `unfinished` with what is left, and says how much that is', async () => {
    const { world, provisioningWith } = await begun();
    const all = (await planned(world, AFTER)).changes.length;
    // Every look at the clock is a second: the time is up after each step.
    const now = () => {
      world.clock.advance(1_000);
      return world.clock.now();
    };
    const clock = { ...world.clock, now };
    const provision = provisioningWith(0, clock);
    const event = { command: 'tenant.apply', input: input(AFTER, { atOnce: 8 }), operationId: 'mine' };
    const seen: Progress[] = [];
    for (;;) {
      const answer = await provision(event);
      if (answer.ok) break;
      expect(answer.error).toMatchObject({ code: 'unfinished', retryable: true });
      seen.push(answer.error.progress as Progress);
    }
    expect(seen.length).toBeGreaterThan(3);
    const done = seen.reduce((sum, progress) => sum + progress.done, 0);
    expect(seen.map(({ left }) => left)).toEqual([...seen.map(({ left }) => left)].sort((a, b) => b - a));
    expect(done).toBe(all - (seen.at(-1)?.left ?? 0));
    expect(contentOf(world)).toEqual(undisturbed);
  });

  test.each([1, 2, 4])('an answer that is lost after transaction %i loses nothing', async (lost) => {
    const world = copyOf(made);
    const lose = (number: number) => {
      if (number === lost) throw new GatehouseError('transient', 'no answer in time');
    };
    const { provision } = commandsOf({ ...world, writer: afterWrites(world.writer, lose) });
    const event = { command: 'tenant.apply', input: input(AFTER), operationId: 'mine' };
    expect(await provision(event)).toMatchObject({ ok: false, error: { code: 'transient' } });
    expect(await provision(event)).toMatchObject({ ok: true });
    expect(contentOf(world)).toEqual(undisturbed);
    expect(await findingsOn(world)).toEqual([]);
  });

  test('what others change between its reading and its writing is compared anew', async () => {
    const acts: Readonly<Record<number, (world: MemoryWorld) => Promise<unknown>>> = {
      // A removal that somebody else makes, a page that somebody else makes, and one that somebody changes.
      1: async (world) => {
        const { id } = await world.run('user.read', { email: 'ben@x.example' });
        await world.run('user.delete', { id });
      },
      2: (world) => world.provision({ command: 'page.create', input: { name: 'maps' } }),
      5: (world) =>
        world.provision({ command: 'page.update', input: { name: 'plans', description: 'Plans' } }),
    };
    const { world, apply } = await begun(async (_, number) => {
      await acts[number]?.(world);
    });
    const answer = await apply({ atOnce: 2 });
    expect(answer.ok ? 'done' : answer.error).toBe('done');
    expect((await planned(world, AFTER)).changes).toEqual([]);
    expect(await findingsOn(world)).toEqual([]);
  });

  test('a value that somebody else has is refused with its place, after what could be done', async () => {
    let other = '';
    const { world, apply } = await begun(async (_, number) => {
      if (number === 1) other = (await world.run('user.create', { username: 'zoe' })).id;
    });
    const answer = await apply({}, `${AFTER}  zoe: { id: zoe, username: zoe }\n`);
    expect(other).not.toBe('');
    expect(answer).toMatchObject({ ok: false, error: { retryable: false } });
    const field = answer.ok ? '' : String(answer.error.field);
    expect(field).toMatch(/^manifest\/users\/zoe/);
    expect(await findingsOn(world)).toEqual([]);
  });

  test('stops between two transactions when its caller wants it, and goes on later', async () => {
    const { world, provisioningWith } = await begun();
    const stop = new AbortController();
    const provision = provisioningWith(Number.POSITIVE_INFINITY);
    const event = { command: 'tenant.apply', input: input(AFTER) };
    const seen: Progress[] = [];
    const onStep = (progress: Progress) => {
      seen.push(progress);
      stop.abort();
    };
    const answer = await provision(event, { onStep, signal: stop.signal });
    expect(seen).toHaveLength(1);
    expect(answer).toMatchObject({ ok: false, error: { code: 'unfinished', progress: seen[0] } });
    expect(await provision(event)).toMatchObject({ ok: true });
    expect(contentOf(world)).toEqual(undisturbed);
  });

  test('does no removal and nothing dangerous that was not agreed to', async () => {
    const { world, apply } = await begun();
    const { changes } = await planned(world, AFTER);
    const agreed = changes.flatMap(({ id }) => id ?? []);
    const before = contentOf(world);
    const error = { code: 'conflict', field: 'agreed' };
    expect(await apply({ agreed: agreed.slice(1) })).toMatchObject({ ok: false, error });
    expect(contentOf(world)).toEqual(before);
    expect(await apply({ agreed })).toMatchObject({ ok: true });
  });

  test.each([
    ['groups: { a: { scope: x }, b: { scope: y } }', 'groups/a/scope', /no scope x.*there is no scope y/],
    [
      'scopes: { a: { type: client }, b: { type: project, parent: a, combination: deny-overrides } }',
      'scopes/b/combination',
      /is chosen by the root/,
    ],
    [
      'users: { ann: { id: 01J8Z0E2Z8D2A3J7A7Y2H9GQ01, existing: true } }',
      'users/ann/id',
      /there is no user/,
    ],
  ])('a manifest with problems is refused with all of them: %s', async (manifest, place, message) => {
    const { provision, items } = createMemoryWorld();
    const answer = await provision({ command: 'tenant.apply', input: input(manifest) });
    const error = { code: 'invalid', field: `manifest/${place}`, retryable: false };
    expect(answer).toMatchObject({ ok: false, error });
    expect(answer.ok ? '' : answer.error.message).toMatch(message);
    expect(items()).toEqual([]);
  });

  test('a role from a template has its permissions, and is compared with them', async () => {
    const world = createMemoryWorld();
    for (const name of ['grades', 'plans']) await world.run('page.create', { name });
    const permissions = [{ permission: 'grades', effect: 'ALLOW' }];
    const { id } = await world.run('role-template.create', { name: 'teacher', permissions });
    const text = (allow: string) =>
      `scopes: { school: { type: tenant } }\nroles: { teacher: { owner: school, template: ${id}, allow: [${allow}] } }`;
    await applyOn(world, text('plans'));
    expect((await planned(world, text('plans'))).changes).toEqual([]);
    expect((await planned(world, text(''))).changes).toMatchObject([
      { verb: 'remove', label: 'teacher > plans' },
    ]);
    const { roles } = (await exportOn(world as never)) as { roles: Record<string, { allow: string[] }> };
    expect(roles.teacher?.allow.sort()).toEqual(['grades', 'plans']);
  });
});
