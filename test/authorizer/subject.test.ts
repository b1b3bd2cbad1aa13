import { describe, expect, it } from 'vitest';
import { createSubjectOf, type SubjectSource, type VerifiedClaims } from '../../authorizer/index.ts';
import { createSubjectOfIssuers } from '../../authorizer/subject.ts';
import { createLoad, type LoadOptions, type Look, type Plan } from '../../engine/load.ts';
import type { Item } from '../../table/item.ts';
import { guardKey } from '../../table/keys.ts';
import { SAMPLE_ROWS } from '../support/ids.ts';
import { createLogged } from '../support/log.ts';
import { createClock } from '../support/world.ts';
import { ALICE, createReadTable, NOW } from './support.ts';

const claims = (values: Record<string, unknown>) => values as unknown as VerifiedClaims;

const SUB: SubjectSource = { kind: 'claim', name: 'sub' };
const EMAIL: SubjectSource = { kind: 'email' };

const guard = (owner: unknown, values: Partial<Item> = {}): Item => ({
  ...guardKey('EMAIL', 'alice@example.com'),
  Type: 'Guard',
  owner,
  writtenAt: NOW - 3_600_000,
  writeId: 'write-1',
  ...values,
});

/** Asks as the engine does: the function is called again once what it looked for is there. */
function setUp(from: SubjectSource, items: readonly Item[] = [], options: Partial<LoadOptions> = {}) {
  const clock = createClock();
  const table = createReadTable(items);
  const { load } = createLoad({
    reader: table.reader,
    clock,
    wait: clock.wait,
    random: () => 0,
    ...options,
  });
  const ofClaims = createSubjectOf(from);
  const subjectOf = async (given: VerifiedClaims) => {
    const plan: Plan<string | null> = (look) => ofClaims(given, look);
    const [subject] = await load([plan], 'cached', (loaded) => loaded.map(({ value }) => value));
    return subject;
  };
  return { ...table, clock, subjectOf };
}

describe('email_verified as a text, as some issuers send it,', () => {
  const text = claims({ email: 'alice@example.com', email_verified: 'true', iss: 'https://issuer.example' });
  const none: Look = { item: () => null, prefetch: () => {}, recall: () => undefined };
  const found: Look = { ...none, item: (() => `user:${ALICE}`) as Look['item'] };
  const issuer = { issuer: 'https://issuer.example', subjectFrom: { kind: 'email' } as const };

  it('does not count, and the log says so once of each issuer', () => {
    const { log, lines } = createLogged('authorizer');
    const subjectOf = createSubjectOfIssuers([issuer], log);
    for (let time = 0; time < 3; time++) expect(subjectOf(text, found)).toBeNull();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'WARN', message: 'email_verified is a text and does not count', issuer: issuer.issuer },
    ]);
  });

  it('counts where the issuer is configured so, and then no other text does', () => {
    const { log, lines } = createLogged('authorizer');
    const subjectOf = createSubjectOfIssuers([{ ...issuer, emailVerified: 'text' }], log);
    expect(subjectOf(text, found)).toBe(`user:${ALICE}`);
    for (const email_verified of ['false', 'True', 'TRUE', '1', ' true', 1, false, undefined])
      expect(
        subjectOf({ ...text, email_verified } as VerifiedClaims, found),
        String(email_verified),
      ).toBeNull();
    expect(lines).toEqual([]);
  });
});

describe('a subject from a claim', () => {
  it.each([['a ULID', ALICE], ...SAMPLE_ROWS])(
    'is the user with that id, %s, and nothing is read',
    async (_what, id) => {
      const { reads, subjectOf } = setUp(SUB);
      expect(await subjectOf(claims({ sub: id }))).toBe(`user:${id}`);
      expect(reads).toEqual([]);
    },
  );

  it.each([
    undefined,
    null,
    '',
    42,
    [ALICE],
    'repo:org/name:ref:refs/heads/main',
    'https://example.com/users/7',
    `user:${ALICE}`,
    `${ALICE}\n`,
    'a'.repeat(129),
  ])('is nobody when the claim is %j', async (sub) => {
    expect(await setUp(SUB).subjectOf(claims({ sub }))).toBeNull();
  });

  it('may be any claim that is named, and no other', async () => {
    const { subjectOf } = setUp({ kind: 'claim', name: 'https://example.com/id' });
    expect(await subjectOf(claims({ 'https://example.com/id': ALICE }))).toBe(`user:${ALICE}`);
    expect(await subjectOf(claims({ sub: ALICE }))).toBeNull();
    expect(await setUp(SUB).subjectOf(claims(Object.create({ sub: ALICE })))).toBeNull();
  });
});

describe('a subject from an email', () => {
  const mail = claims({ email: 'alice@example.com', email_verified: true });

  it('is the owner of the email, in any case, found by one read', async () => {
    const { reads, subjectOf } = setUp(EMAIL, [guard(`user:${ALICE}`)]);
    expect(await subjectOf(mail)).toBe(`user:${ALICE}`);
    expect(await subjectOf(claims({ ...mail, email: 'Alice@Example.com' }))).toBe(`user:${ALICE}`);
    expect(new Set(reads)).toEqual(new Set(['getMany EMAIL#alice@example.com']));
  });

  it.each([
    { email: 'alice@example.com' },
    { email: 'alice@example.com', email_verified: false },
    { email: 'alice@example.com', email_verified: 'true' },
    { email: 'alice@example.com', email_verified: 1 },
    { email: ['alice@example.com'], email_verified: true },
    { email: `${'a'.repeat(320)}@example.com`, email_verified: true },
    { email: 'not an email', email_verified: true },
    { email_verified: true, sub: ALICE },
  ])('is nobody, and nothing is read, for %j', async (values) => {
    const { reads, subjectOf } = setUp(EMAIL, [guard(`user:${ALICE}`)]);
    expect(await subjectOf(claims(values))).toBeNull();
    expect(reads).toEqual([]);
  });

  it('is nobody if nobody owns the email', async () => expect(await setUp(EMAIL).subjectOf(mail)).toBeNull());

  it('is a fault where a later release made the guard, and the message names no email', async () => {
    const { subjectOf } = setUp(EMAIL, [{ ...guard(`user:${ALICE}`), v: 3 }]);
    await expect(subjectOf(mail)).rejects.toMatchObject({
      code: 'newer_form',
      message: expect.stringMatching(/^a guard of EMAIL is of form 3, newer than form 2/),
    });
  });

  it('may be found by a guard without a stamp', async () => {
    const { Type, owner, ...key } = guard(`user:${ALICE}`);
    const unstamped = { PK: key.PK, SK: key.SK, Type, owner };
    expect(await setUp(EMAIL, [unstamped]).subjectOf(mail)).toBe(`user:${ALICE}`);
  });
});

describe('a subject from an identity', () => {
  const ISSUER = 'https://login.example.com/realms/a';
  const PIPELINE = 'repo:org/name:ref:refs/heads/main';
  const IDENTITY: SubjectSource = { kind: 'identity', name: 'sub' };
  const identity = (owner: unknown, sub = PIPELINE, issuer = ISSUER): Item => ({
    ...guard(owner),
    ...guardKey('IDENTITY', sub, issuer),
  });

  it('is the owner of issuer and sub, found by one read', async () => {
    const { reads, subjectOf } = setUp(IDENTITY, [identity(`user:${ALICE}`)]);
    expect(await subjectOf(claims({ iss: ISSUER, sub: PIPELINE }))).toBe(`user:${ALICE}`);
    expect(reads).toEqual([`getMany IDENTITY#${ISSUER}#${PIPELINE}`]);
  });

  it('has another claim in place of sub, and nothing but that', async () => {
    const { subjectOf } = setUp({ kind: 'identity', name: 'oid' }, [identity(`user:${ALICE}`)]);
    expect(await subjectOf(claims({ iss: ISSUER, sub: 'x', oid: PIPELINE }))).toBe(`user:${ALICE}`);
    expect(await subjectOf(claims({ iss: ISSUER, sub: PIPELINE }))).toBeNull();
  });

  it.each([
    ['of another issuer', { iss: `${ISSUER}/`, sub: PIPELINE }],
    ['in another case', { iss: ISSUER, sub: PIPELINE.toUpperCase() }],
    ['that begins with part of an issuer', { iss: ISSUER, sub: `a#${PIPELINE}` }],
    ['that nobody has', { iss: ISSUER, sub: 'x' }],
  ])('is nobody for a sub %s', async (_what, values) => {
    const { subjectOf } = setUp(IDENTITY, [identity(`user:${ALICE}`)]);
    expect(await subjectOf(claims(values))).toBeNull();
  });

  it.each<[string, Record<string, unknown>]>([
    ['without a sub', { iss: ISSUER }],
    ['without an issuer', { sub: PIPELINE }],
    ['with an empty sub', { iss: ISSUER, sub: '' }],
    ['with a sub that is no text', { iss: ISSUER, sub: 7 }],
    ['with an issuer that holds a #', { iss: `${ISSUER}#x`, sub: PIPELINE }],
    ['with a control character', { iss: ISSUER, sub: 'a\u0000' }],
    ['with a sub that no key holds', { iss: ISSUER, sub: 'a'.repeat(513) }],
    ['with a sub of 8 KB', { iss: ISSUER, sub: 'a'.repeat(8_192) }],
  ])('is nobody, and nothing is read, for claims %s', async (_what, values) => {
    const { reads, subjectOf } = setUp(IDENTITY, [identity(`user:${ALICE}`)]);
    expect(await subjectOf(claims(values))).toBeNull();
    expect(reads).toEqual([]);
  });
});

describe.each([
  [
    'EMAIL',
    EMAIL,
    guardKey('EMAIL', 'alice@example.com'),
    { email: 'alice@example.com', email_verified: true },
  ],
  [
    'IDENTITY',
    { kind: 'identity', name: 'sub' } as const,
    guardKey('IDENTITY', 'alice', 'https://login.example.com'),
    { iss: 'https://login.example.com', sub: 'alice' },
  ],
])('a guard of %s', (_, from, key, values) => {
  it.each([undefined, 7, 'location:L1', 'user:-alice', `user:${ALICE}:x`, 'technical-user:robot'])(
    'that names %j is a fault',
    async (owner) => {
      const { subjectOf } = setUp(from, [{ ...guard(owner), ...key }]);
      await expect(subjectOf(claims(values))).rejects.toMatchObject({ code: 'damaged_item' });
    },
  );
});
