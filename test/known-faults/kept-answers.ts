import { expect } from 'vitest';
import { type Consistency, createEngine, type Given } from '../../engine/index.ts';
import { formatFreshnessToken } from '../../table/freshness-token.ts';
import {
  answerOf,
  base64url,
  doorsOf,
  evaluation,
  eventOf,
  modelOf,
  open,
  READ,
  sent,
  tokenOf,
} from './doors.ts';
import { type Kind, together, whereverAsked } from './fault.ts';

/** Ann may read where she asks from the office. */
const OFFICE = modelOf(`
roles: { reader: { owner: t, allow: [{ permission: "${READ}", when: context.ip == '192.0.2.1' }] } }
users: { ann: { id: ann, assignments: [{ role: reader, scope: t }] } }
`);
const office = { who: 'ann', where: 'north', ip: '192.0.2.1' };
const elsewhere = { ...office, ip: '198.51.100.7' };

/** Two users and two places whose ids, put together, are the same texts. */
const DELIMITED = modelOf(`
scopes: { t: { type: tenant }, b|c: { type: location, parent: t, id: b|c }, c: { type: location, parent: t, id: c } }
roles: { reader: { owner: t, allow: ["${READ}"] } }
users: { a: { id: a, assignments: [{ role: reader, scope: b|c }] }, a|b: { id: a|b } }
`);

/** Ann may do what concerns her own object, or is on its list. */
const LISTED = modelOf(`
properties:
  - { of: "resource:location", name: readers, type: list<string>, source: passed }
  - { of: "resource:location", name: more, type: map, source: passed }
roles:
  reader:
    owner: t
    allow:
      - permission: "${READ}"
        when: "'ann' in resource.properties.readers || resource.properties.more.a.b == 1"
users: { ann: { id: ann, assignments: [{ role: reader, scope: t }] } }
`);

/** Properties that look alike when they are joined, printed or hashed without care; the first alone is allowed. */
const ALIKE: readonly (readonly [properties: Record<string, unknown>, allowed: boolean])[] = [
  [{ readers: ['ben', 'ann'] }, true],
  [{ readers: ['ben,ann'] }, false],
  [{ readers: ['ben', 'an', 'n'] }, false],
  [{ readers: ['["ben","ann"]'] }, false],
  [{ readers: 'ann' }, false],
  [{ readers: [['ben', 'ann']] }, false],
  [{ more: { a: { b: 1 } } }, true],
  [{ more: { a: { b: '1' } } }, false],
  [{ more: { 'a.b': 1 } }, false],
  [{ more: { a: [{ b: 1 }] } }, false],
];

export const KEPT_ANSWERS: Kind = {
  title: 'Keys and kept answers',
  faults: [
    {
      ids: ['OpenFGA CVE-2024-56323', 'OpenFGA CVE-2026-33729', 'OpenFGA CVE-2026-41131'],
      shape: 'The context of a condition is not in the key of a kept answer.',
      answer: 'What a caller passes is in no kept answer: a condition is evaluated for each question.',
      at: whereverAsked(OFFICE, async (ask) => {
        const answers = [];
        for (const question of [office, elsewhere, office, elsewhere]) answers.push(await ask(question));
        expect(answers).toEqual(['allow', 'no_grant', 'allow', 'no_grant']);
      }),
    },
    {
      ids: ['OpenFGA CVE-2026-48096'],
      shape: 'A delimiter inside an id makes two keys one.',
      answer: 'No id can hold the delimiter of a key; what ids can hold delimits nothing.',
      at: {
        ...whereverAsked(DELIMITED, async (ask) => {
          expect(await ask({ who: 'a', where: 'b|c' })).toBe('allow');
          expect(await ask({ who: 'a|b', where: 'c' })).toBe('no_grant');
          expect(await ask({ who: 'a', where: 'b|c' })).toBe('allow');
        }),
        provisioning: async () => {
          const { kit } = await open(DELIMITED);
          for (const id of ['a#b', 'a/b', 'a:b', 'a b', '', 'a\0b'])
            await expect(kit.command('user.create', { id }), id).rejects.toMatchObject({ code: 'invalid' });
        },
      },
    },
    {
      ids: ['OpenFGA CVE-2026-34972', 'SpiceDB CVE-2026-46668'],
      shape: 'A batch merges questions that only look equal: lists collide, nested lists hash alike.',
      answer: 'Equal questions are one only if all that they pass is equal, value by value and type by type.',
      at: {
        engine: async () => {
          const { kit } = await open(LISTED);
          const asked = ALIKE.flatMap(([properties]) => Array(2).fill(properties));
          const { decisions } = await kit.engine.checkMany(
            asked.map((properties) => ({
              subject: 'user:ann',
              permission: READ,
              scope: 'location:north',
              given: { resource: { properties } } as Given,
            })),
          );
          expect(decisions.map(({ allowed }) => allowed)).toEqual(
            ALIKE.flatMap(([, allowed]) => [allowed, allowed]),
          );
        },
        AuthZEN: async () => {
          const { handle } = await open(LISTED);
          const one = evaluation({ who: 'ann', where: 'north' });
          const { json } = await sent(handle, '/access/v1/evaluations', {
            evaluations: ALIKE.map(([properties]) => ({ ...one, resource: { ...one.resource, properties } })),
          });
          expect(json.evaluations.map(({ decision }: { decision: boolean }) => decision)).toEqual(
            ALIKE.map(([, allowed]) => allowed),
          );
        },
      },
    },
    {
      ids: ['SpiceDB CVE-2026-55866'],
      shape: 'A look-up with context spoils the answer to one without, if they run at once.',
      answer: 'Reads are shared between questions; what a caller passes is not.',
      at: whereverAsked(OFFICE, async (ask) => {
        const questions = Array.from({ length: 40 }, (_, n) => (n % 2 ? office : elsewhere));
        expect(await together(ask, questions)).toEqual(
          questions.map(({ ip }) => (ip === office.ip ? 'allow' : 'no_grant')),
        );
      }),
    },
    {
      ids: ['OpenFGA CVE-2025-46331', 'OpenFGA 1.16.0'],
      shape: 'What was found while a cycle was walked, or by a check that was cancelled, is kept.',
      answer:
        'Items are kept, and only whole ones; a read that fails leaves nothing, and no cycle can be stored.',
      at: {
        engine: async () => {
          const { kit } = await open(OFFICE);
          let fails = true;
          const flaky: typeof kit.reader = {
            ...kit.reader,
            getMany: (...given) =>
              fails ? Promise.reject(new Error('cut off')) : kit.reader.getMany(...given),
          };
          const { ask } = doorsOf(kit, flaky);
          expect(await ask.authorizer(office)).toBe('Internal error');
          expect(await ask.AuthZEN(office)).toBe('503');
          fails = false;
          expect(await ask.authorizer(office)).toBe('allow');
          expect(await ask.AuthZEN(office)).toBe('allow');
        },
        provisioning: async () => {
          const { kit } = await open({
            ...OFFICE,
            roles: { ...OFFICE.roles, head: { owner: 't', parent: 'reader' } },
          });
          const change = { id: kit.id('reader', 'role'), parent: kit.id('head', 'role') };
          await expect(kit.command('role.update', change)).rejects.toMatchObject({ code: 'conflict' });
        },
      },
    },
    {
      ids: ['OpenFGA 1.17.1'],
      shape: 'An entry that is dropped while it is being written outlives its invalidation.',
      answer: 'Nothing is told to forget: an answer as fresh as a write reads again what was read before it.',
      at: {
        engine: async () => {
          const { kit } = await open(OFFICE);
          let hold: Promise<void> | undefined;
          const slow: typeof kit.reader = {
            ...kit.reader,
            getMany: async (...given) => {
              const found = await kit.reader.getMany(...given);
              await hold;
              return found;
            },
          };
          let time = kit.clock.now();
          const engine = createEngine({ reader: slow, clock: { now: () => time++ } });
          const ask = (consistency: Consistency) =>
            engine.check('user:ann', READ, 'location:north', { context: { ip: office.ip }, consistency });
          let release = () => {};
          hold = new Promise((resolve) => {
            release = resolve;
          });
          const early = ask('cached');
          await kit.command('assignment.delete', {
            user: 'ann',
            role: kit.id('reader', 'role'),
            scope: kit.ref('t'),
          });
          time += 1_000;
          const atLeast = formatFreshnessToken(time);
          time += 1_000;
          const late = ask({ atLeast });
          release();
          expect(await early).toMatchObject({ allowed: true });
          expect(await late).toMatchObject({ allowed: false });
        },
      },
    },
    {
      ids: ['Oathkeeper CVE-2026-33496', 'fast-jwt CVE-2026-35039'],
      shape: 'A kept token answer is bound neither to who verified it nor to its claims.',
      answer: 'A verified token is kept by its whole text, in the issuer that verified it.',
      at: whereverAsked(
        OFFICE,
        async (ask, { authorizer, guarded, handle }, door) => {
          expect(await ask(office)).toBe('allow');
          const good = await tokenOf('ann');
          const [header, , signature] = good.split('.');
          const claims = JSON.parse(Buffer.from(good.split('.')[1] ?? '', 'base64url').toString());
          for (const changes of [{ sub: 'pep' }, { exp: claims.exp + 1 }, { iss: 'https://other.example' }]) {
            const other = `${header}.${base64url({ ...claims, ...changes })}.${signature}`;
            const event = eventOf(office, other);
            if (door === 'authorizer') expect(await answerOf(authorizer, event)).toBe('Unauthorized');
            if (door === 'middleware') expect(await guarded(event, {})).toMatchObject({ statusCode: 401 });
            if (door === 'AuthZEN')
              expect(
                await sent(handle, '/access/v1/evaluation', evaluation(office), { token: other }),
              ).toMatchObject({
                status: 401,
              });
          }
        },
        ['authorizer', 'middleware', 'AuthZEN'],
      ),
    },
  ],
};
