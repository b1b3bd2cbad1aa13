import { expect, test } from 'vitest';
import type { Consistency, EngineOptions } from '../../engine/index.ts';
import { type ErrorCode, GatehouseError } from '../../table/errors.ts';
import { formatFreshnessToken } from '../../table/freshness-token.ts';
import { formatRef } from '../../table/identifiers.ts';
import { createSchool, ELSEWHERE, GRANTED, PLACE, REVOKED, userRef } from './fake-table.ts';

/**
 * What happens to one engine over the school, step by step:
 *
 *     ttl N, outage N, one clock   options of the engine, before anything is asked
 *     later N, back N              the milliseconds by which the clock goes on, or is set back
 *     grant U, revoke U            writes a user, long ago; `now`: at this instant; `as W`: by the write W
 *     grant U for N                the same of one who ends after so long
 *     ask U… → REASON…             asks about these users; a fault is its code
 *     begin U…, ends → REASON…     the same in two steps, of which others may be between; what was begun first ends first
 *     hold, let go                 from now on reads wait, or they do not
 *     answer K, fail K CODE        ends a read by its number; the last one without it
 *     reads → N…                   the keys of each read so far
 *     stale, fresh                 and `expires → N`, `stale until → N`, `valid → N`: what was said of the last answer, from now
 *
 * Who asks may ask `strong`, `since N` (by a token of so many milliseconds from now), `elsewhere`, `by U` who
 * acts, and `in vain CODE`: the read that it takes fails.
 */
export async function play(text: string): Promise<void> {
  const school = createSchool();
  const { clock, reads, putUser, hold, letGo } = school;
  const options: { -readonly [Name in keyof EngineOptions]?: EngineOptions[Name] } = {};
  let engine: ReturnType<typeof school.newEngine> | undefined;
  type Answer = Awaited<ReturnType<NonNullable<typeof engine>['checkMany']>>;
  let last: Answer | undefined;
  const begun: Promise<Answer | GatehouseError>[] = [];
  let said = '';

  const consistencyOf = (how: string): Consistency => {
    const since = /since (\S+)/.exec(how)?.[1];
    if (since !== undefined) return { atLeast: formatFreshnessToken(clock.now() + Number(since)) };
    return how.includes('strong') ? 'strong' : 'cached';
  };
  function begin(users: string, how: string): void {
    engine ??= school.newEngine(options);
    const scope = formatRef(how.includes('elsewhere') ? ELSEWHERE : PLACE);
    const subjects = users
      .trim()
      .split(' ')
      .map((user) => formatRef(userRef(Number(user))));
    const by = /by (\d+)/.exec(how)?.[1];
    const actor = by === undefined ? undefined : { subject: formatRef(userRef(Number(by))) };
    const requests = subjects.map((subject) => ({ subject, permission: 'dashboard', scope, actor }));
    const next = reads.length;
    const answer = engine.checkMany(requests, { consistency: consistencyOf(how) });
    begun.push(answer.catch((fault: GatehouseError) => fault));
    const code = /in vain ?(\w*)/.exec(how)?.[1];
    if (code !== undefined) fail(String(next), code);
  }
  async function ends(expected: string): Promise<void> {
    const waits = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error(`there is no answer to ${said}`)), 10_000).unref();
    });
    const answer = await Promise.race([begun.shift(), waits]);
    last = answer !== undefined && 'decisions' in answer ? answer : undefined;
    const shown = last?.decisions.map(({ reason }) => reason) ?? [(answer as GatehouseError).code];
    expect(shown.join(' '), said).toBe(expected);
  }
  function write(user: string, attributes: object, how: string): void {
    const [writeId, length] = [/as (\S+)/.exec(how)?.[1], /for (\S+)/.exec(how)?.[1]];
    putUser(Number(user), {
      ...attributes,
      ...(how.includes('now') && { writtenAt: clock.now() }),
      ...(writeId && { writeId }),
      ...(length && { endsAt: new Date(clock.now() + Number(length)).toISOString() }),
    });
  }
  const read = (number: string) => reads.at(number === '' ? -1 : Number(number));
  const fail = (number: string, code: string) =>
    read(number)?.fail(new GatehouseError((code || 'transient') as ErrorCode, 'no'));
  const fromNow = (instant: number | undefined, expected: string) =>
    expect(Number(instant) - clock.now(), said).toBe(Number(expected));

  const STEPS: readonly (readonly [RegExp, (...parts: string[]) => unknown])[] = [
    [/^ttl (\d+)$/, (ms) => Object.assign(options, { ttlMs: Number(ms) })],
    [/^outage (\d+)$/, (ms) => Object.assign(options, { outageTtlMs: Number(ms) })],
    [/^one clock$/, () => Object.assign(options, { clock: { now: clock.now } })],
    [/^later (\d+)$/, (ms) => clock.advance(Number(ms))],
    [/^back (\d+)$/, (ms) => clock.advance(-Number(ms))],
    [/^grant (\d+)(.*)$/, (user = '', how = '') => write(user, GRANTED, how)],
    [/^revoke (\d+)(.*)$/, (user = '', how = '') => write(user, REVOKED, how)],
    [/^begin ([\d ]+)(.*)$/, (users = '', how = '') => begin(users, how)],
    [/^ends → (.+)$/, (expected = '') => ends(expected)],
    [
      /^ask ([\d ]+)(.*) → (.+)$/,
      (users = '', how = '', expected = '') => {
        begin(users, how);
        return ends(expected);
      },
    ],
    [/^hold$/, hold],
    [/^let go$/, letGo],
    [/^answer ?(\d*)$/, (number = '') => read(number)?.answer()],
    [/^fail ?(\d*) (\w+)$/, (number = '', code = '') => fail(number, code)],
    [
      /^reads → (.+)$/,
      (expected) => expect(reads.map(({ keys }) => keys.length).join(' '), said).toBe(expected),
    ],
    [/^(stale|fresh)$/, (how) => expect(last?.isStale, said).toBe(how === 'stale')],
    [/^expires → (.+)$/, (expected = '') => fromNow(last?.expiresAt, expected)],
    [/^stale until → (.+)$/, (expected = '') => fromNow(last?.staleUntil, expected)],
    [/^valid → (.+)$/, (expected = '') => fromNow(last?.validUntil, expected)],
  ];
  for (const step of text.replaceAll(/(?<=\d)_(?=\d)/g, '').split(/[·\n]/)) {
    said = step.trim();
    const [pattern, act] = STEPS.find(([each]) => each.test(said)) ?? [];
    if (!pattern) throw new Error(`there is no step ${said}`);
    const [, ...parts] = pattern.exec(said) ?? [];
    await act?.(...parts);
  }
}

/** Tests by their titles, each with its steps below it, further in. All begin with the same steps, if any are given. */
export function timelines(text: string, before = ''): void {
  for (const [, title = '', steps = ''] of text.matchAll(/^ {2}(\S.*)\n((?: {4,}\S.*\n)+)/gm))
    test(title, () => play(`${before}${steps.trim()}`));
}
