import { expect, test } from 'vitest';
import { createRandom } from '../proof/oracle/random.ts';
import { again, SEED } from '../support/seed.ts';
import { createFixture, groupOf, IDENTITY, patchOf, userOf } from './support.ts';

/** Ids and names that nobody has. */
const NOTHING = '01J8X2W3Y4Z5A6B7C8D9E0F1G2';

test('a connection cannot tell what is of another one from what is not there: 10,000 requests', async () => {
  const { a, b, writes } = await createFixture();
  const [own, ownGroup] = [await userOf(a, 'own'), await groupOf(a, 'Own')];
  const emails = [{ value: 'foreign@example.org' }];
  const foreign = await userOf(b, 'foreign', { externalId: 'x-foreign', emails, [IDENTITY]: { sub: 'sub' } });
  const foreignGroup = await groupOf(b, 'Foreign', foreign);
  const before = writes();
  const { pick } = createRandom(SEED);

  /** A request that names something of the other connection, and the same with a name that nobody has. */
  const request = (): readonly [string, (id: string) => string, (id: string) => unknown, string, number] => {
    const isUser = pick([true, false]);
    const [kind, id] = isUser ? ['Users', foreign] : ['Groups', foreignGroup];
    const name = isUser ? 'userName' : 'displayName';
    const operation = pick([
      { op: 'replace', path: name, value: 'new' },
      { op: 'replace', value: { [name]: 'new' } },
      { op: 'remove', path: 'externalId' },
      {
        op: pick(['add', 'remove', 'replace']),
        path: isUser ? 'active' : 'members',
        value: isUser ? 'False' : [{ value: own }],
      },
    ]);
    const query = pick(['', '?attributes=id', '?excludedAttributes=members,emails']);
    const member = (value: string) =>
      patchOf({ op: pick(['add', 'replace']), path: 'members', value: [{ value }] });
    return pick([
      [pick(['GET', 'DELETE']), (of) => `/${kind}/${of}${query}`, () => undefined, id, 404],
      ['PUT', (of) => `/${kind}/${of}${query}`, () => ({ [name]: 'new' }), id, 404],
      ['PATCH', (of) => `/${kind}/${of}${query}`, () => patchOf(operation), id, 404],
      ['GET', (of) => `/${kind}?filter=id eq "${of}"`, () => undefined, id, 200],
      [
        'GET',
        (of) => `/${kind}?filter=${name} eq "${of}"`,
        () => undefined,
        isUser ? 'foreign' : 'Foreign',
        200,
      ],
      ['GET', (of) => `/Users?filter=externalId eq "${of}"`, () => undefined, 'x-foreign', 200],
      ['GET', (of) => `/Users?filter=emails.value eq "${of}"`, () => undefined, 'foreign@example.org', 200],
      ['GET', (of) => `/Groups?filter=members.value eq "${of}"`, () => undefined, foreign, 200],
      ['PATCH', () => `/Groups/${ownGroup}`, member, foreign, 400],
      ['POST', () => '/Groups', (of) => ({ displayName: 'New', members: [{ value: of }] }), foreign, 400],
      [
        'POST',
        () => '/Users',
        (of) => ({ userName: 'new', emails: [{ value: `${of}@example.org` }] }),
        'foreign',
        400,
      ],
      [
        'PATCH',
        () => `/Users/${own}`,
        (of) => patchOf({ op: 'replace', path: 'emails', value: { value: `${of}@example.org` } }),
        'foreign',
        400,
      ],
    ]);
  };

  for (let count = 0; count < 10_000; count++) {
    const [method, pathOf, bodyOf, id, status] = request();
    const answer = await a(method, pathOf(id), bodyOf(id));
    const expected = await a(method, pathOf(NOTHING), bodyOf(NOTHING));
    expect(expected.status, `${again()} ${method} ${pathOf(id)}`).toBe(status);
    expect(answer, `${again()} ${method} ${pathOf(id)}`).toEqual(expected);
  }
  expect(writes()).toBe(before);
});
