import { expect } from 'vitest';
import {
  ASKING,
  answerOf,
  doorsOf,
  evaluation,
  eventOf,
  modelOf,
  open,
  READ,
  SHOWING,
  sent,
  tokenOf,
} from './doors.ts';
import { type Kind, type KnownFault, PLACE, whereverAsked } from './fault.ts';

const TENANTS = modelOf(`
scopes:
  t: { type: tenant, id: t }
  north: { type: location, parent: t, id: north }
  u: { type: tenant, id: u, name: Other }
  far: { type: location, parent: u, id: far }
roles:
  reader: { owner: t, id: reader, allow: ["${READ}"] }
  theirs: { owner: u, id: theirs, allow: ["${READ}"] }
groups: { staff: { scope: t, id: staff, roles: [reader] } }
users: { ann: { id: ann, email: ann@school.example, groups: [staff] }, ben: { id: ben } }
`);

type Run = (command: string, input: Record<string, unknown>) => Promise<Readonly<Record<string, unknown>>>;

/** What is deleted and made again under its old id: whatever hung on the old one is gone. */
const REMADE: Readonly<Record<string, (run: Run) => Promise<unknown>>> = {
  'a user': async (run) => {
    await run('user.delete', { id: 'ann' });
    await run('user.create', { id: 'ann', email: 'ann@school.example' });
  },
  'a user, by the platform of another tenant': async (run) => {
    await run('user.delete', { id: 'ann' });
    await run('user.create', { id: 'ann', tenant: 'tenant:u' });
  },
  'a group': async (run) => {
    await run('group.delete', { id: 'staff' });
    await run('group.create', { id: 'staff', name: 'staff', scope: 'tenant:t' });
    await run('membership.create', { user: 'ann', group: 'staff' });
  },
  'a role': async (run) => {
    await run('role.delete', { id: 'reader' });
    await run('role.create', { id: 'reader', name: 'reader', scope: 'tenant:t' });
  },
  'a permission': async (run) => {
    await run('role-permission.delete', { role: 'reader', permission: READ });
    await run('permission.delete', { name: READ });
    await run('permission.create', { name: READ });
  },
  'a place, in another tenant': async (run) => {
    await run('location.delete', { id: 'north' });
    await run('location.create', { id: 'north', name: 'North', parent: 'tenant:u' });
  },
};

/** Something is deleted and made again: a door that has asked nothing since says no. */
export const remadeAt = async (door: (typeof ASKING)[number], all = Object.keys(REMADE)): Promise<void> => {
  for (const what of all) {
    const remake = REMADE[what] as (run: Run) => Promise<unknown>;
    const { kit, ask } = await open(TENANTS);
    const question = { who: 'ann', where: 'north' };
    expect(await ask[door](question), what).toBe('allow');
    await remake(kit.command);
    expect(await doorsOf(kit, kit.reader).ask[door](question), what).not.toBe('allow');
  }
};

export const IDENTITY_FAULTS: Kind = {
  title: 'Identity and names',
  faults: [
    {
      ids: ['OpenFGA CVE-2026-55170'],
      shape: 'Ids are compared without regard to case.',
      answer:
        'Case counts in every id; emails and usernames, which it does not tell apart, are folded once, when written and when asked.',
      at: whereverAsked(TENANTS, async (ask) => {
        expect(await ask({ who: 'ann', where: 'north' })).toBe('allow');
        for (const question of [
          { who: 'Ann', where: 'north' },
          { who: 'ANN', where: 'north' },
          { who: 'ann', where: 'North' },
          { who: 'ann', action: 'Read', where: 'north' },
        ])
          expect(await ask(question), JSON.stringify(question)).not.toBe('allow');
      }),
    },
    {
      ids: ['Zitadel CVE-2026-55670'],
      shape: 'An id that was used in one tenant is used again in another, with the old rights.',
      answer: 'A deletion takes all that hung on the id; an id has one owner at a time.',
      at: {
        ...Object.fromEntries(ASKING.map((door) => [door, () => remadeAt(door)])),
        authorizer: async () => {
          await remadeAt('authorizer');
          // Credentials, and the email by which a token finds its subject, are made again with the user.
          const { kit } = await open(TENANTS);
          const { token } = await kit.command('token.create', { user: 'ann', tokenType: 'api' });
          const byEmail = await tokenOf('x', { email: 'ann@school.example', email_verified: true });
          const ask = () => {
            const { authorizer } = doorsOf(kit, kit.reader, { SUBJECT_FROM: 'email' });
            const one = (credential: unknown) =>
              answerOf(authorizer, eventOf({ who: '', where: 'north' }, String(credential)));
            return Promise.all([one(token), one(byEmail)]);
          };
          expect(await ask()).toEqual(['allow', 'allow']);
          await kit.command('user.delete', { id: 'ann' });
          expect(await ask()).toEqual(['Unauthorized', 'subject_unknown']);
          await kit.command('user.create', { id: 'ann', email: 'ann@school.example' });
          expect(await ask()).toEqual(['Unauthorized', 'no_grant']);
        },
        provisioning: async () => {
          const { kit } = await open(TENANTS);
          for (const [command, input] of [
            ['user.create', { id: 'ann', tenant: 'tenant:u' }],
            ['location.create', { id: 'north', name: 'North', parent: 'tenant:u' }],
            ['role.create', { id: 'reader', name: 'reader', scope: 'tenant:u' }],
            ['group.create', { id: 'staff', name: 'staff', scope: 'tenant:u' }],
          ] as const)
            await expect(kit.command(command, input), command).rejects.toMatchObject({ code: 'conflict' });
        },
      } as KnownFault['at'],
    },
    {
      ids: ['oauth2-proxy CVE-2026-40574'],
      shape: 'a@x@y counts as an address of y, or of x.',
      answer: 'An email has one @; any other text is no email, for a command and in a claim.',
      at: {
        provisioning: async () => {
          const { kit } = await open(TENANTS);
          for (const email of [
            'ann@school.example@evil.example',
            'ann@evil.example@school.example',
            '@school.example',
            'ann@',
            'ann',
            'ann@school.example,ben@evil.example',
          ])
            await expect(kit.command('user.create', { email }), email).rejects.toMatchObject({
              code: 'invalid',
              field: 'email',
            });
        },
        authorizer: async () => {
          const { kit } = await open(TENANTS);
          const { authorizer } = doorsOf(kit, kit.reader, { SUBJECT_FROM: 'email' });
          const ask = async (email: unknown) =>
            answerOf(
              authorizer,
              eventOf({ who: '', where: 'north' }, await tokenOf('x', { email, email_verified: true })),
            );
          expect(await ask('ann@school.example')).toBe('allow');
          for (const email of [
            'ann@school.example@evil.example',
            'x@evil.example@ann@school.example',
            ['ann@school.example'],
            'ann@school.example\0',
          ])
            expect(await ask(email), String(email)).not.toBe('allow');
        },
      },
    },
    {
      ids: ['Keycloak CVE-2026-4636'],
      shape: 'The id in the body and the one in the URL differ, and each is used once.',
      answer:
        'It cannot apply: no door of ours takes an id in a URL and another in a body. Commands, the AuthZEN API and the explorer name things in the body alone, guards in the route alone.',
      at: {},
    },
    {
      ids: ['Keycloak CVE-2026-4630'],
      shape: 'The id of something that another server owns is accepted.',
      answer:
        'What a tenant owns counts there only: another tenant cannot name it in a grant, and a check would not count it.',
      at: {
        provisioning: async () => {
          const { kit } = await open(TENANTS);
          for (const [command, input] of [
            ['assignment.create', { user: 'ben', role: 'theirs', scope: 'location:north' }],
            ['grant.create', { user: 'ben', scope: 'tenant:t', roles: ['theirs'] }],
            ['group-role.create', { group: 'staff', role: 'theirs' }],
            ['role.update', { id: 'reader', parent: 'theirs' }],
          ] as const)
            await expect(kit.command(command, input), command).rejects.toMatchObject({
              code: expect.stringMatching(/^(?:invalid|conflict|not_found)$/),
            });
        },
        ...whereverAsked(TENANTS, async (ask) => {
          expect(await ask({ who: 'ann', where: 'far' })).toBe('no_grant');
        }),
      },
    },
    {
      ids: ['Casdoor CVE-2025-4210'],
      shape: 'An endpoint of administration answers without a credential.',
      answer:
        'Every path of every door asks for a credential first, and says nothing before; the Lambda of provisioning is invoked by IAM.',
      at: {
        AuthZEN: async () => {
          const { handle } = await open(PLACE);
          const question = evaluation({ who: 'pep', where: 'north' });
          for (const path of [
            'evaluation',
            'evaluations',
            'search/subject',
            'search/resource',
            'search/action',
          ])
            for (const body of [question, '', '{', {}]) {
              const answer = await sent(handle, `/access/v1/${path}`, body, { token: '' });
              expect(answer.status, path).toBe(401);
            }
        },
        ...Object.fromEntries(
          SHOWING.filter((door) => door !== 'AuthZEN').map((door): [string, () => Promise<void>] => [
            door,
            async () => {
              const { show } = await open(PLACE);
              for (const header of ['', 'Bearer', 'Bearer null', 'Bearer undefined'])
                expect(await show[door](header), header).toBe('refused');
            },
          ]),
        ),
      } as KnownFault['at'],
    },
  ],
};
