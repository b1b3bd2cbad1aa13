import { expect } from 'vitest';
import { createLists } from '../../engine/index.ts';
import { type Doors, evaluation, open, READ, sent } from './doors.ts';
import type { Kind } from './fault.ts';

const PEOPLE = Array.from({ length: 25 }, (_, n) => `user-${n}`);

/** Every third is in both groups, and refused; every fifth is disabled: candidates of every kind. */
const CROWD = {
  scopes: {
    t: { type: 'tenant', combination: 'deny-overrides' },
    ...Object.fromEntries(PEOPLE.map((_, n) => [`l-${n}`, { type: 'location', parent: 't', id: `l-${n}` }])),
    closed: { type: 'location', parent: 't', id: 'closed', status: 'suspended' },
  },
  roles: { reader: { owner: 't', allow: [READ] }, refused: { owner: 't', deny: [READ] } },
  groups: { readers: { scope: 't', roles: ['reader'] }, 'not here': { scope: 'l-0', roles: ['refused'] } },
  users: Object.fromEntries(
    PEOPLE.map((id, n) => [
      id,
      {
        id,
        groups: n % 3 ? ['readers'] : ['readers', 'not here'],
        ...(n % 5 === 0 && { status: 'disabled' }),
      },
    ]),
  ),
};

interface Page {
  readonly items: readonly string[];
  readonly next?: string | undefined;
}
interface Searches {
  readonly subjects: (where: string, limit: number, from?: string) => Promise<Page>;
  readonly resources: (who: string, limit: number, from?: string) => Promise<Page>;
}

const SEARCHES: Readonly<Record<'engine' | 'AuthZEN', (doors: Doors) => Searches>> = {
  engine: ({ kit }) => {
    const lists = createLists({ reader: kit.reader, engine: kit.engine, clock: kit.clock });
    const page = ({ items, cursor }: { items: readonly string[]; cursor?: string }) => ({
      items: items.map((ref) => ref.slice(ref.indexOf(':') + 1)),
      next: cursor,
    });
    return {
      subjects: async (where, limit, cursor) =>
        page(await lists.listSubjects(READ, `location:${where}`, { limit, cursor })),
      resources: async (who, limit, cursor) =>
        page(await lists.listScopes(`user:${who}`, READ, { type: 'location', limit, cursor })),
    };
  },
  AuthZEN: ({ handle }) => {
    const find = async (
      kind: string,
      asked: object,
      limit: number,
      token: string | undefined,
    ): Promise<Page> => {
      const page = { limit, ...(token === undefined ? {} : { token }) };
      const { status, json, body } = await sent(handle, `/access/v1/search/${kind}`, { ...asked, page });
      if (status !== 200) throw Object.assign(new Error(body), { code: status });
      return {
        items: json.results.map(({ id }: { id: string }) => id),
        next: json.page.next_token || undefined,
      };
    };
    return {
      subjects: (where, limit, from) =>
        find('subject', { ...evaluation({ who: '', where }), subject: { type: 'user' } }, limit, from),
      resources: (who, limit, from) =>
        find('resource', { ...evaluation({ who, where: '' }), resource: { type: 'location' } }, limit, from),
    };
  },
};

type SearchDoor = keyof typeof SEARCHES;

const whereverSearched = (
  test: (searches: Searches, doors: Doors, door: SearchDoor) => Promise<void>,
): Record<SearchDoor, () => Promise<void>> => {
  const at = (door: SearchDoor) => async () => {
    const doors = await open(CROWD);
    await test(SEARCHES[door](doors), doors, door);
  };
  return { engine: at('engine'), AuthZEN: at('AuthZEN') };
};

/** All pages, of which none may repeat a cursor. */
async function all(page: (from?: string) => Promise<Page>): Promise<readonly string[]> {
  const found: string[] = [];
  const seen = new Set<string>();
  for (let { items, next } = await page(); ; { items, next } = await page(next)) {
    found.push(...items);
    if (next === undefined) return found.toSorted();
    expect(seen).not.toContain(next);
    seen.add(next);
  }
}

/** Texts that are no page token of the list: invented, cut, bent, of another list. */
const forgedFrom = (token: string, other: string): readonly string[] => [
  ...['x', '0', '{}', 'e30', '../../etc/passwd', "' OR 1=1 --", token.slice(0, -3), `${token}AAAA`],
  ...[[...token].reverse().join(''), other],
];

export const LIST_FAULTS: Kind = {
  title: 'Lists and pages',
  faults: [
    {
      ids: [
        'OpenFGA CVE-2022-39340',
        'OpenFGA CVE-2023-40579',
        'SpiceDB CVE-2023-35930',
        'SpiceDB CVE-2024-32001',
        'SpiceDB CVE-2025-65111',
      ],
      shape: 'A list holds what a check denies, or stops short in silence.',
      answer: 'Each result of a search is decided as by check; a page that may not be the last has a cursor.',
      at: whereverSearched(async ({ subjects, resources }, { ask }) => {
        for (const where of ['l-0', 'l-1', 'closed'])
          for (const limit of [1, 7, 1_000]) {
            const may = await Promise.all(PEOPLE.map((who) => ask.engine({ who, where })));
            const expected = PEOPLE.filter((_, n) => may[n] === 'allow').toSorted();
            expect(await all((from) => subjects(where, limit, from)), `${where} by ${limit}`).toEqual(
              expected,
            );
          }
        for (const who of ['user-1', 'user-3', 'user-5']) {
          const places = Object.keys(CROWD.scopes).filter((place) => place !== 't');
          const may = await Promise.all(places.map((where) => ask.engine({ who, where })));
          const expected = places.filter((_, n) => may[n] === 'allow').toSorted();
          expect(await all((from) => resources(who, 4, from)), who).toEqual(expected);
        }
      }),
    },
    {
      ids: ['SpiceDB CVE-2024-27101'],
      shape: 'A count above 65,535 overflows.',
      answer:
        'Pages have at most 1,000 results; a larger or a senseless limit is refused, never cut to fewer bits.',
      at: whereverSearched(async ({ subjects }, _, door) => {
        for (const limit of [65_536, 65_537, 2 ** 32, 2 ** 32 + 1, -1, 0.5]) {
          const asked = subjects('l-1', limit);
          // OpenID AuthZEN lets a service answer with fewer than the limit.
          if (door === 'AuthZEN' && limit > 0 && Number.isInteger(limit))
            expect((await asked).items.length, String(limit)).toBe(
              (await all((from) => subjects('l-1', 7, from))).length,
            );
          else await expect(asked, String(limit)).rejects.toThrow();
        }
      }),
    },
    {
      ids: ['SpiceDB GHSA-vhvq-fv9f-wh4q', 'Keto CVE-2026-33505', 'OpenFGA 3152'],
      shape: 'A page token that is forged or empty crashes, begins anew, or is read as a query.',
      answer:
        'A page token belongs to one list; any other text is refused as invalid. AuthZEN reads an empty one as none.',
      at: {
        ...whereverSearched(async ({ subjects, resources }, _, door) => {
          const { next = '' } = await subjects('l-1', 2);
          const { next: other = '' } = await resources('user-1', 2);
          for (const token of forgedFrom(next, other))
            await expect(subjects('l-1', 2, token), token).rejects.toMatchObject({
              code: door === 'AuthZEN' ? 400 : 'invalid',
            });
        }),
        provisioning: async () => {
          const { kit } = await open(CROWD);
          const list = (cursor?: string) =>
            kit.command('membership.list', {
              group: kit.id('readers', 'group'),
              limit: 2,
              ...(cursor !== undefined && { cursor }),
            });
          const { cursor } = await list();
          await expect(list(String(cursor))).resolves.toBeDefined();
          for (const token of ['', ...forgedFrom(String(cursor), 'e30')])
            await expect(list(token), token).rejects.toMatchObject({ code: 'invalid' });
        },
      },
    },
    {
      ids: ['SpiceDB CVE-2025-64529'],
      shape: 'A write that is too large is answered as success.',
      answer:
        'What does not fit into one transaction is refused with its limit, and nothing of it is written.',
      at: {
        provisioning: async () => {
          const { kit } = await open(CROWD);
          const commands = Array.from({ length: 101 }, (_, n) => ({
            command: 'page.create',
            input: { name: `page-${n}` },
          }));
          await expect(kit.command('transaction.write', { commands })).rejects.toThrow();
          await expect(kit.command('page.read', { name: 'page-0' })).rejects.toMatchObject({
            code: 'not_found',
          });
        },
      },
    },
  ],
};
