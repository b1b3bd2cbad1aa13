import { describe, expect, it } from 'vitest';
import { createSubjectOf, type SubjectOptions, type VerifiedClaims } from '../../authorizer/index.ts';
import { isId } from '../../table/identifiers.ts';
import { ALICE, createClock, createDeferred } from './support.ts';

const claims = (values: Record<string, unknown>) => values as unknown as VerifiedClaims;

const setUp = (changes: Partial<SubjectOptions> = {}) => {
  const clock = createClock();
  const lookups: string[] = [];
  const subjectOf = createSubjectOf({
    from: { kind: 'claim', name: 'sub' },
    isId,
    ttlMs: 60_000,
    outageTtlMs: 0,
    clock,
    ...changes,
    findUserByEmail: async (email) => {
      lookups.push(email);
      return changes.findUserByEmail ? changes.findUserByEmail(email) : `user:${ALICE}`;
    },
  });
  return { clock, lookups, subjectOf };
};

describe('a subject from a claim', () => {
  it('is the user with that id, a ULID or a UUID', () => {
    const { subjectOf } = setUp();
    const uuid = '0b6c1f9e-3f0a-4a53-9a3e-0c8b6f6f2f11';
    expect(subjectOf(claims({ sub: ALICE }))).toBe(`user:${ALICE}`);
    expect(subjectOf(claims({ sub: uuid }))).toBe(`user:${uuid}`);
  });

  it.each([
    undefined,
    null,
    '',
    42,
    [ALICE],
    'alice',
    `${ALICE}x`,
    `user:${ALICE}`,
    ALICE.toLowerCase(),
    `${ALICE}\n`,
  ])('is nobody when the claim is %j', (sub) => {
    expect(setUp().subjectOf(claims({ sub }))).toBeUndefined();
  });

  it('may be any claim that is named, and no other', () => {
    const { subjectOf } = setUp({ from: { kind: 'claim', name: 'https://example.com/id' } });
    expect(subjectOf(claims({ 'https://example.com/id': ALICE }))).toBe(`user:${ALICE}`);
    expect(subjectOf(claims({ sub: ALICE }))).toBeUndefined();
    expect(setUp().subjectOf(claims(Object.create({ sub: ALICE })))).toBeUndefined();
  });
});

describe('a subject from an email', () => {
  const from = { kind: 'email' } as const;
  const mail = claims({ email: 'alice@example.com', email_verified: true });

  it('is who owns the email', async () => {
    expect(await setUp({ from }).subjectOf(mail)).toBe(`user:${ALICE}`);
  });

  it.each([
    { email: 'alice@example.com' },
    { email: 'alice@example.com', email_verified: false },
    { email: 'alice@example.com', email_verified: 'true' },
    { email: 'alice@example.com', email_verified: 1 },
    { email: ['alice@example.com'], email_verified: true },
    { email: `${'a'.repeat(320)}@example.com`, email_verified: true },
    { email_verified: true, sub: ALICE },
  ])('is nobody, and nothing is read, for %j', (values) => {
    const { lookups, subjectOf } = setUp({ from });
    expect(subjectOf(claims(values))).toBeUndefined();
    expect(lookups).toEqual([]);
  });

  it('is remembered for the ttl and then read again, a miss like a hit', async () => {
    for (const owner of [`user:${ALICE}`, undefined]) {
      const { clock, lookups, subjectOf } = setUp({ from, findUserByEmail: async () => owner });
      expect(await subjectOf(mail)).toBe(owner);
      clock.advance(59_999);
      expect(await subjectOf(mail)).toBe(owner);
      expect(lookups).toHaveLength(1);
      clock.advance(1);
      expect(await subjectOf(mail)).toBe(owner);
      expect(lookups).toHaveLength(2);
    }
  });

  it('is as old as the beginning of the read, not its end', async () => {
    const read = createDeferred<string | undefined>();
    const { clock, lookups, subjectOf } = setUp({ from, findUserByEmail: () => read.promise });
    const answer = subjectOf(mail);
    clock.advance(40_000);
    read.resolve(`user:${ALICE}`);
    await answer;
    clock.advance(20_000);
    await subjectOf(mail);
    expect(lookups).toHaveLength(2);
  });

  it('is read once for many requests at once', async () => {
    const { lookups, subjectOf } = setUp({ from });
    const answers = await Promise.all(Array.from({ length: 10 }, () => subjectOf(mail)));
    expect(new Set(answers)).toEqual(new Set([`user:${ALICE}`]));
    expect(lookups).toHaveLength(1);
  });

  it('is not remembered when the read failed', async () => {
    let isDown = true;
    const findUserByEmail = async () => {
      if (isDown) throw new Error('throttled');
      return `user:${ALICE}`;
    };
    const { subjectOf } = setUp({ from, findUserByEmail });
    await expect(subjectOf(mail)).rejects.toThrow('throttled');
    isDown = false;
    expect(await subjectOf(mail)).toBe(`user:${ALICE}`);
  });

  it('is read every time when the ttl is 0', async () => {
    const { lookups, subjectOf } = setUp({ from, ttlMs: 0 });
    await subjectOf(mail);
    await subjectOf(mail);
    expect(lookups).toHaveLength(2);
  });
});
