import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { CheckOptions } from '../../../engine/index.ts';
import { type Against, type AgainstSide, againstLog } from '../../../provisioning/evidence/against.ts';
import { createLoggedQuestions } from '../../../provisioning/evidence/logged-questions.ts';
import { COMMANDS } from '../../../provisioning/index.ts';
import { createRandom, type Random } from '../../proof/oracle/random.ts';
import { again, SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { anyManifest, NAMES, PAGES } from '../apply/any-manifest.ts';
import { applyOn, createMemoryWorld, exportOn, type MemoryWorld, planOn } from '../apply/support.ts';

/**
 * Any log against the change from any small tenant to any other. The oracle applies the change to another table, and asks
 * both tables line by line, whatever a request may have passed and a token may have named.
 */
const ISSUER = 'https://login.example';
const EMAIL = 'user0@x.example';

/** The same with a group that tokens name, a condition on what a request passes, and a user whose id is an email. */
function withMore(random: Random, text: string, isConditional: boolean): string {
  const { roles, groups, users, externalGroups, ...rest } = JSON.parse(text);
  const pages = rest.pages as readonly string[];
  const passed = {
    owner: 'school',
    allow: pages.slice(0, 1).map((permission) => ({ permission, when: IP })),
  };
  const some = (list: readonly string[]) => list.filter(() => random.oneIn(2));
  if (users.user0) users.user0.id = EMAIL;
  for (const user of Object.values(users) as { grants?: { school: string[] } }[])
    if (isConditional && random.oneIn(2))
      user.grants = { school: [...(user.grants?.school ?? []), 'passed'] };
  return JSON.stringify({
    ...rest,
    users,
    roles: {
      ...roles,
      ...(isConditional ? { passed } : {}),
      named: { owner: 'school', allowOnly: true, allow: some(pages) },
    },
    groups: { ...groups, named: { scope: 'school', allowOnly: true, roles: ['named'] } },
    externalGroups: random.oneIn(2)
      ? []
      : [{ scope: 'school', issuer: ISSUER, externalId: 'staff', group: 'named' }],
  });
}

const IP = 'context.ip == "10.0.0.1"';
const TOKEN = { issuer: ISSUER, ids: ['staff'], until: Number.MAX_SAFE_INTEGER };
/** What a request may have passed, and its token named. */
const PASSED: readonly CheckOptions[] = [
  {},
  { context: { ip: '10.0.0.1' } },
  { context: { ip: '10.0.0.2' } },
  { resource: { type: 'document', id: 'd1' } },
].flatMap((given) => [given, { ...given, groups: TOKEN }]);

interface Line {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  readonly allowed: boolean;
  readonly rate: number;
}

/** An id with an `@` as a log has it. */
const logged = (ref: string): string => {
  const [type, id = ''] = ref.split(':');
  if (!id.includes('@')) return ref;
  return `${type}:sha256:${createHash('sha256').update(id).digest('base64url').slice(0, 22)}`;
};

async function tableOf(...manifests: readonly string[]): Promise<MemoryWorld> {
  const world = createMemoryWorld();
  for (const text of manifests) await applyOn(world, text);
  world.settle();
  return world;
}

/** Who and what two tables know, and some more. */
async function namesIn(worlds: readonly MemoryWorld[]) {
  const subjects = new Set(['user:nobody', 'user:nobody@x.example']);
  const scopes = new Set(['location:elsewhere', 'no scope']);
  for (const world of worlds) {
    const of = (await exportOn(world)) as Record<string, Record<string, { id: string; type: string }>>;
    for (const { id } of Object.values(of.users ?? {})) subjects.add(`user:${id}`);
    for (const { id, type } of Object.values(of.scopes ?? {})) scopes.add(`${type}:${id}`);
  }
  return { subjects: [...subjects], scopes: [...scopes] };
}

/** A report as `WHAT subject permission scope: lines`, each once. */
const shown = (side: AgainstSide, what: string): readonly string[] => {
  expect(side.decisions.lines).toBe(side.rows.reduce((sum, { decisions }) => sum + decisions.lines, 0));
  expect(side.people).toBe(new Set(side.rows.map(({ subject }) => subject)).size);
  return side.rows.map(
    ({ subject, permission, scope, decisions }) =>
      `${what} ${subject} ${permission} ${scope}: ${decisions.lines} for ${decisions.estimated}`,
  );
};
const all = ({ refused, allowed, now }: Against): readonly string[] =>
  [
    ...shown(refused, 'refused'),
    ...shown(allowed, 'allowed'),
    ...shown(now.refused, 'now refused'),
    ...shown(now.allowed, 'now allowed'),
  ].sort();

test.each([
  ['effects', false],
  ['effects with conditions', true],
])(
  'each recorded question is decided as on the table itself: %s',
  async (_, isConditional) => {
    const random = createRandom(SEED);
    const seen = { refused: 0, allowed: 0, now: 0, tokens: 0, properties: 0, opened: 0, elsewhere: 0 };
    for (let run = 0; run < size(6, 150); run++) {
      const [from, to] = [0, 1].map(() =>
        withMore(random, anyManifest(random, isConditional), isConditional),
      ) as [string, string];
      const table = await tableOf(from);
      const changed = await tableOf(from, to);
      const { subjects, scopes } = await namesIn([table, changed]);
      const lines = Array.from({ length: 150 }, (): Line => {
        const rate = random.pick([1, 1, 0.05]);
        const [subject, permission] = [random.pick(subjects), random.pick([...PAGES, ...NAMES, 'ghost'])];
        const question = { subject, permission, scope: random.pick(scopes) };
        return { ...question, allowed: rate < 1 || random.oneIn(2), rate };
      });
      const collected = createLoggedQuestions();
      for (const line of lines)
        collected.add({ ...line, subject: logged(line.subject), reason: 'of the log', askedFor: undefined });
      const at = table.clock.now();
      const { steps } = await planOn(table, to);
      const report = await againstLog(steps, collected.all(), {
        reader: table.reader,
        commands: COMMANDS,
        at,
      });

      const [before, after] = [table.newEngine(), changed.newEngine()];
      const expected = new Map<string, [lines: number, estimated: number]>();
      let [unknown, elsewhere, pseudonyms, surely] = [0, 0, 0, 0];
      const label = `${again()}, run ${run}\n${from}\n${to}`;
      const found = all(report);
      for (const { subject, permission, scope, allowed, rate } of lines) {
        const decide = async (engine: typeof before) => {
          const asked = PASSED.map((given) => engine.check(subject, permission, scope, { ...given, at }));
          return new Set((await Promise.all(asked)).map((decision) => decision.allowed));
        };
        const [is, willBe] = [await decide(before), await decide(after)];
        const isKnown = is.size === 1 && willBe.size === 1;
        const place = `${subject} ${permission} ${scope}`;
        if (subject.includes('nobody@')) {
          pseudonyms += 1;
          continue;
        }
        if (!scope.includes(':') || scope.endsWith('elsewhere')) {
          elsewhere += 1;
          continue;
        }
        if (subject.includes('@')) seen.opened += 1;
        if (!isKnown) {
          unknown += 1;
          // Nothing is said of what the table does not say.
          expect(
            found.filter((row) => row.includes(`${place}:`)),
            label,
          ).toEqual([]);
          if (allowed && willBe.size === 1 && willBe.has(false)) surely += 1;
          continue;
        }
        const what = [
          ...(is.has(true) && willBe.has(false) ? ['refused'] : []),
          ...(is.has(false) && willBe.has(true) ? ['allowed'] : []),
          ...(is.has(true) && !allowed ? ['now allowed'] : []),
          ...(is.has(false) && allowed ? ['now refused'] : []),
        ];
        for (const each of what) {
          const sum = expected.get(`${each} ${place}`) ?? [0, 0];
          expected.set(`${each} ${place}`, [sum[0] + 1, sum[1] + 1 / rate]);
        }
      }
      const wanted = [...expected].map(([name, [count, estimated]]) => `${name}: ${count} for ${estimated}`);
      expect(report.decisions.lines).toBe(lines.length);
      expect(report.elsewhere.lines, label).toBe(elsewhere);
      expect(report.unknown.pseudonyms.lines, label).toBe(pseudonyms);
      const { tokens, properties, decisions, refused } = report.unknown;
      expect(decisions.lines).toBe(tokens.lines + properties.lines + pseudonyms);
      if (isConditional) {
        // More may count as unknown than is, never less; what is said is so.
        expect(tokens.lines + properties.lines, label).toBeGreaterThanOrEqual(unknown);
        expect(refused.lines, label).toBeGreaterThanOrEqual(surely);
        expect(wanted, label).toEqual(expect.arrayContaining([...found]));
      } else {
        expect(tokens.lines, label).toBe(unknown);
        expect(properties.lines, label).toBe(0);
        expect(refused.lines, label).toBe(surely);
        expect(found, label).toEqual(wanted.sort());
      }
      seen.refused += report.refused.rows.length;
      seen.allowed += report.allowed.rows.length;
      seen.now += report.now.refused.rows.length + report.now.allowed.rows.length;
      seen.tokens += tokens.lines;
      seen.properties += properties.lines;
      seen.elsewhere += elsewhere;
    }
    const { properties, ...rest } = seen;
    expect(Math.min(...Object.values(rest)), JSON.stringify(seen)).toBeGreaterThan(0);
    expect(properties > 0, JSON.stringify(seen)).toBe(isConditional);
  },
  600_000,
);
