import { randomBytes } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { parse } from 'yaml';
import { type CheckOptions, createEngine } from '../../engine/index.ts';
import type { Item } from '../../table/item.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import type { Reader } from '../../table/reader.ts';
import { inParallel as sideBySide } from '../provisioning/stepwise.ts';
import { openStore, type Store } from '../support/store.ts';
import { commandsOf, createClock } from '../support/world.ts';

/** Something that is allowed until it is revoked. */
interface Case {
  readonly name: string;
  readonly question: readonly [subject: string, permission: string, scope: string, options?: CheckOptions];
  readonly revoke: () => Promise<unknown>;
}

const PAGE = 'dashboard';
const TENANT = 'tenant:acme';

/** What all cases share. */
const BASE = `
pages: { ${PAGE}: }
scopes: { acme: { id: acme, type: tenant } }
roles:
  reader: { id: reader, allow: [${PAGE}] }
  spare: { id: spare }
  everywhere: { id: everywhere, global: true, allow: [${PAGE}] }
`;

// A case is what a manifest says, with its number for %.
const GRANTED = '{ users: { u%: { id: u%, grants: { acme: [reader] } } } }';
const MEMBER =
  '{ groups: { g%: { id: g%, scope: acme, roles: [reader] } }, users: { u%: { id: u%, groups: [g%] } } }';
const ASSIGNED =
  '{ scopes: { l%: { id: l%, type: location, parent: acme } }, users: { u%: { id: u%, assignments: [{ role: reader, scope: l% }] } } }';
const OWN_ROLE =
  '{ roles: { r%: { id: r%, allow: [dashboard] } }, users: { u%: { id: u%, grants: { acme: [r%] } } } }';
const OWN_TENANT = `
scopes: { t%: { id: t%, type: tenant }, l%: { id: l%, type: location, parent: t% } }
users: { u%: { id: u%, grants: { t%: [reader] } } }
`;
const OWN_LOCATION = `
scopes: { l%: { id: l%, type: location, parent: acme } }
users: { u%: { id: u%, grants: { acme: [reader] } } }
`;
const BESIDE = `
scopes: { l%: { id: l%, type: location, combination: deny-overrides } }
roles: { r%: { id: r% } }
users: { u%: { id: u%, grants: { l%: [reader, r%] } } }
`;
const OWN_PAGE = `
pages: { page%: }
roles: { r%: { id: r%, allow: [page%] } }
users: { u%: { id: u%, grants: { acme: [r%] } } }
`;

type Input = Readonly<Record<string, unknown>>;
/** A second after the revocation. */
const SOON = '@soon';
const GRANT = { user: 'u%', scope: TENANT };
const ASSIGNMENT = { user: 'u%', scope: 'location:l%', role: 'reader' };
const EFFECT = { role: 'r%', permission: PAGE };

/** Every kind of revocation: what is there, the command that revokes it, and what is asked, if not the page at the tenant. */
const KINDS: readonly (readonly [
  name: string,
  manifest: string,
  command: string,
  input: Input,
  asked?: {
    readonly scope?: string;
    readonly permission?: string;
    readonly credential?: 'session' | 'token';
  },
])[] = [
  ['disabled user', GRANTED, 'user.update', { id: 'u%', status: 'disabled' }],
  ['deleted user', GRANTED, 'user.delete', { id: 'u%' }],
  ['ended user', GRANTED, 'user.update', { id: 'u%', endsAt: SOON }],
  ['deleted grant', GRANTED, 'grant.delete', GRANT],
  ['role taken from a grant', GRANTED, 'grant.update', { ...GRANT, roles: ['spare'] }],
  ['revoked session', GRANTED, 'session.update', { id: 's%', status: 'revoked' }, { credential: 'session' }],
  ['deleted session', GRANTED, 'session.delete', { id: 's%' }, { credential: 'session' }],
  ['revoked token', GRANTED, 'token.revoke', { id: 's%' }, { credential: 'token' }],
  ['deleted token', GRANTED, 'token.delete', { id: 's%' }, { credential: 'token' }],
  ['deleted membership', MEMBER, 'membership.delete', { user: 'u%', group: 'g%' }],
  ['role taken from a group', MEMBER, 'group-role.delete', { group: 'g%', role: 'reader' }],
  ['deleted group', MEMBER, 'group.delete', { id: 'g%' }],
  ['deleted assignment', ASSIGNED, 'assignment.delete', ASSIGNMENT, { scope: 'location:l%' }],
  [
    'ended assignment',
    ASSIGNED,
    'assignment.update',
    { ...ASSIGNMENT, endsAt: SOON },
    { scope: 'location:l%' },
  ],
  [
    'removed global role',
    '{ users: { u%: { id: u%, globalRoles: [everywhere] } } }',
    'global-role.delete',
    { user: 'u%', role: 'everywhere' },
  ],
  ['removed administrator', '{ users: { u%: { id: u%, admin: true } } }', 'admin.delete', { user: 'u%' }],
  ['deleted effect', OWN_ROLE, 'role-permission.delete', EFFECT],
  ['effect that became DENY', OWN_ROLE, 'role-permission.update', { ...EFFECT, effect: 'DENY' }],
  ['new DENY', BESIDE, 'role-permission.create', { ...EFFECT, effect: 'DENY' }, { scope: 'location:l%' }],
  ['deleted role', OWN_ROLE, 'role.delete', { id: 'r%' }],
  [
    'suspended tenant',
    OWN_TENANT,
    'tenant.update',
    { id: 't%', status: 'suspended' },
    { scope: 'tenant:t%' },
  ],
  ['deleted location', OWN_LOCATION, 'location.delete', { id: 'l%' }, { scope: 'location:l%' }],
  [
    'deleted tree of scopes',
    OWN_TENANT,
    'scope.delete-tree',
    { scope: 'tenant:t%' },
    { scope: 'location:l%' },
  ],
  ['page that was removed', OWN_PAGE, 'page.delete', { name: 'page%' }, { permission: 'page%' }],
];

/** One manifest of several, by their sections. */
function joined(manifests: readonly string[]): Input {
  const all: Record<string, object> = {};
  for (const manifest of manifests)
    for (const [section, entries] of Object.entries(parse(manifest) as Readonly<Record<string, object>>))
      all[section] = { ...all[section], ...entries };
  return all;
}

/** A new table with these items: what a restore from a backup makes. */
export async function restored(items: readonly Item[]): Promise<Store> {
  const store = await openStore();
  const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, n) =>
    items.slice(n * 25, n * 25 + 25),
  );
  await inParallel(batches, async (batch) => {
    const requests = batch.map((Item) => ({ PutRequest: { Item } }));
    await store.client.send(new BatchWriteCommand({ RequestItems: { [store.table]: requests } }));
  });
  return store;
}

/** The lines that the pipe has stored of the audit log of a table: its records, and its counts as they stand. */
const linesOf = (items: readonly Item[]): readonly string[] =>
  items
    .filter(({ PK }) => PK.startsWith('AUDIT'))
    .map((item) =>
      JSON.stringify({
        eventName: item.PK.startsWith('AUDIT#') ? 'INSERT' : 'MODIFY',
        dynamodb: { Keys: marshall({ PK: item.PK, SK: item.SK }), NewImage: marshall(item) },
        eventSource: 'aws:dynamodb',
      }),
    );

const inParallel = <T>(values: readonly T[], act: (value: T) => Promise<unknown>) =>
  sideBySide(values, 16, act);

/**
 * A table with users who are allowed, some of whom lose that after the restore point, in every way there is; and
 * what the table was at the restore point, in a new table.
 */
export async function createDrill<Copy extends { readonly reader: Reader }>(
  size: { readonly users: number; readonly revocations: number },
  restore: (items: readonly Item[]) => Promise<Copy>,
) {
  // The table that is lost needs no engine: what is restored is on one.
  const memory = createMemoryTable();
  const clock = createClock();
  const newSecret = () => randomBytes(32).toString('base64url');
  const world = { ...memory, clock, ...commandsOf({ ...memory, clock, newSecret }) };
  const { run } = world;
  const numbers = Array.from({ length: size.revocations }, (_, n) => n);
  const kindOf = (n: number) => KINDS[n % KINDS.length] as (typeof KINDS)[number];
  const numbered = <T>(value: T, n: number): T => JSON.parse(JSON.stringify(value).replaceAll('%', `${n}`));
  const manifest = joined([BASE, ...numbers.map((n) => kindOf(n)[1].replaceAll('%', `${n}`))]);
  await run('tenant.apply', { manifest });
  const cases: Case[] = [];
  await inParallel(numbers, async (n) => {
    const [kind, , command, input, asked = {}] = kindOf(n);
    const { scope = TENANT, permission = PAGE, credential } = numbered(asked, n);
    const [user, id] = [`u${n}`, `s${n}`];
    if (credential === 'session') await run('session.create', { id, user });
    if (credential === 'token') await run('token.create', { id, user, tokenType: 'JWT' });
    cases.push({
      name: `${kind} ${n}`,
      question: [
        `user:${user}`,
        permission,
        scope,
        credential ? { credential: { ref: `${credential}:${id}` } } : {},
      ],
      revoke: () => {
        const soon = new Date(clock.now() + 1_000).toISOString();
        return run(command, JSON.parse(JSON.stringify(numbered(input, n)).replaceAll(SOON, soon)));
      },
    });
  });
  const others: string[] = [];
  await inParallel(
    Array.from({ length: size.users - size.revocations }, (_, n) => n),
    async (n) => {
      const user = (await run('user.create', { username: `other-${n}` })).id;
      await run('grant.create', { user, scope: TENANT, roles: ['reader'] });
      others.push(user);
    },
  );
  clock.advance(2 * 3_600_000);
  const since = clock.now();
  const backup = memory.items();
  clock.advance(5_000);
  await inParallel(cases, ({ revoke }) => revoke());
  // What opens is not replayed.
  const [first = '', second = ''] = others;
  const late = (await run('user.create', { username: 'late' })).id;
  await run('grant.create', { user: late, scope: TENANT, roles: ['reader'] });
  await run('grant.update', { user: first, scope: TENANT, roles: ['reader', 'spare'] });
  await run('user.update', { id: second, status: 'disabled' });
  clock.advance(10_000);
  await run('user.update', { id: second, status: 'active' });
  clock.advance(60_000);
  const outside = linesOf(memory.items());
  const copy = await restore(backup);
  clock.advance(60_000);

  /** Who is allowed in the restored table. */
  async function allowed() {
    const engine = createEngine({ reader: copy.reader, clock, random: () => 0, wait: clock.wait });
    const open: string[] = [];
    await inParallel(cases, async ({ name, question: [subject, permission, scope, options] }) => {
      const { allowed } = await engine.check(subject, permission, scope, options);
      if (allowed) open.push(name);
    });
    const left: string[] = [];
    await inParallel(others, async (user) => {
      const { allowed } = await engine.check(`user:${user}`, PAGE, TENANT);
      if (allowed) left.push(user);
    });
    return { revoked: open.sort(), others: left.length };
  }

  return {
    world,
    copy,
    since: new Date(since).toISOString(),
    outside,
    cases,
    others,
    allowed,
    tenant: TENANT,
  };
}
