import { ulid } from 'ulid';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createCopy } from '../../../provisioning/access-difference/copy.ts';
import { createProvisioning } from '../../../provisioning/index.ts';
import { brokenBy } from '../../../provisioning/invariants/new-violations.ts';
import { decisionKey, GLOBAL, invariantsKey, isSameKey } from '../../../table/keys.ts';
import { watchReads } from '../../support/watched-reader.ts';
import { copyOf, createMemoryWorld } from '../../support/world.ts';
import { applyOn } from '../apply/support.ts';
import { provisionWith } from '../stepwise.ts';

/** Invariants, kept at every write (ADR 0047). */
const MANIFEST = `
permissions: ["payments:create:payment", "payments:approve:payment", "payments:read:payment"]
scopes:
  acme: { id: acme, type: tenant }
  north: { id: north, type: location, parent: acme, code: N }
  south: { id: south, type: location, parent: acme, code: S }
  other: { id: other, type: tenant }
roles:
  maker: { id: maker, owner: acme, allow: ["payments:create:payment"] }
  checker: { id: checker, owner: acme, allow: ["payments:approve:payment"] }
  reader: { id: reader, owner: acme, allow: ["payments:read:payment"] }
  shared: { id: shared, allow: ["payments:approve:payment"] }
  everywhere: { id: everywhere, global: true, allow: ["payments:approve:payment"] }
  maker everywhere: { id: maker-everywhere, global: true, allow: ["payments:create:payment"] }
groups:
  makers: { id: makers, scope: north, roles: [maker] }
  checkers: { id: checkers, scope: acme, roles: [checker] }
  readers: { id: readers, scope: south, roles: [reader] }
  abroad: { id: abroad, scope: other, roles: [shared] }
users: { ann: { id: ann, groups: [makers] }, bob: { id: bob } }
`;
const VIOLATED = { code: 'invariant_violated' };
const FOUR_EYES = {
  id: 'eyes',
  scope: 'tenant:acme',
  name: 'four eyes',
  separate: ['payments:create:payment', 'payments:approve:payment'],
};

const start = createMemoryWorld();
await applyOn(start, MANIFEST);
start.settle();

/** @param more of the invariant */
async function worldWith(more: Record<string, unknown> = {}) {
  const world = copyOf(start);
  await world.run('invariant.create', { ...FOUR_EYES, ...more });
  return world;
}

type Sent = readonly [command: string, input: Record<string, unknown>];
const ANN = { user: 'ann' };
const BOB = { user: 'bob' };
const [ACME, NORTH, SOUTH] = ['tenant:acme', 'location:north', 'location:south'];

describe('a command that gives somebody something is refused where this person would then have both', () => {
  test.each([
    ['membership.create', { ...ANN, group: 'checkers' }],
    ['assignment.create', { ...ANN, role: 'checker', scope: SOUTH }],
    ['assignment.create', { ...ANN, role: 'shared', scope: ACME, startsAt: '2030-01-01' }],
    ['grant.create', { ...ANN, scope: ACME, roles: ['checker'] }],
    ['global-role.create', { ...ANN, role: 'everywhere' }],
    ['group-role.create', { group: 'makers', role: 'checker' }],
    ['role-permission.create', { role: 'maker', permission: 'payments:approve:payment', effect: 'ALLOW' }],
    ['role-permission.create', { role: 'maker', permission: 'payments:*:payment', effect: 'ALLOW' }],
    ['role.update', { id: 'maker', parent: 'shared' }],
  ])('%s %j', async (command, input) => {
    const world = await worldWith();
    const before = world.items();
    expect(await world.refused(command, input)).toMatchObject({
      ...VIOLATED,
      retryable: false,
      message: expect.stringMatching(
        /^four eyes: ann would hold payments:create:payment at north \(.*makers/,
      ),
    });
    expect(world.items()).toEqual(before);
  });

  test('several of one transaction, and of one event', async () => {
    const world = await worldWith();
    const into = (group: string) => ({ command: 'membership.create', input: { ...BOB, group } });
    const commands = [into('makers'), into('checkers')];
    expect(await world.refused('transaction.write', { commands })).toMatchObject(VIOLATED);
    const answers = [{ ok: true }, { ok: false, error: VIOLATED }];
    expect(await world.provision({ batch: commands })).toMatchObject({ result: { answers } });
  });

  test('but not where it is not so in this tenant, or not at one scope where that is what it says', async () => {
    const world = await worldWith({ within: 'scope' });
    await world.run('membership.create', { ...ANN, group: 'abroad' });
    await world.run('membership.create', { ...ANN, group: 'readers' });
    await world.run('assignment.create', { ...ANN, role: 'checker', scope: SOUTH });
    const refusal = await world.refused('assignment.create', { ...ANN, role: 'checker', scope: NORTH });
    expect(refusal).toMatchObject(VIOLATED);
  });
});

/** Two commands that are each fine and would break it together, for somebody who has `before`. */
const [CREATE, APPROVE] = FOUR_EYES.separate;
const allow = (permission: string | undefined): Sent => [
  'role-permission.create',
  { role: 'reader', permission, effect: 'ALLOW' },
];
const assign = (role: string, scope = ACME): Sent => ['assignment.create', { ...BOB, role, scope }];
const join = (group: string): Sent => ['membership.create', { ...BOB, group }];
const COMMANDS = [{ command: 'membership.create', input: { ...BOB, group: 'makers' } }];
const [MAKES, CHECKS] = [assign('maker', NORTH), assign('checker')];
const MAKER_READS = { group: 'readers', role: 'maker' };
const PAIRS: readonly { readonly one: Sent; readonly other: Sent; readonly before?: Sent }[] = [
  { one: MAKES, other: CHECKS },
  {
    one: ['grant.create', { ...BOB, scope: ACME, roles: ['maker'] }],
    other: ['global-role.create', { ...BOB, role: 'everywhere' }],
  },
  { one: join('readers'), other: ['group-role.create', MAKER_READS], before: CHECKS },
  { one: join('readers'), other: allow(CREATE), before: CHECKS },
  { one: ['transaction.write', { commands: COMMANDS }], other: join('checkers') },
  { one: allow(CREATE), other: allow(APPROVE), before: assign('reader') },
];

describe.each(PAIRS)('$one.0 and $other.0', ({ one, other, before }) => {
  test.each([
    { first: one, second: other },
    { first: other, second: one },
  ])('one between what the other reads and writes: $second.0 is refused', async ({ first, second }) => {
    const world = await worldWith();
    if (before) await world.run(...before);
    const [command, input] = second;
    const answer = await provisionWith(world, { command, input }, 0, () => world.run(...first));
    expect(answer).toMatchObject({ error: VIOLATED });
  });
});

test.each([
  [MAKES, CHECKS],
  [CHECKS, MAKES],
])(
  'nor does it matter what the other has read by then: %j before any of its reads',
  async (first, second) => {
    const [command, input] = second;
    for (let number = 1, reads = number; reads >= number; number++) {
      const world = await worldWith();
      reads = 0;
      const reader = watchReads(world.reader, async () => {
        reads += 1;
        if (reads === number) await world.run(...first);
      });
      const answer = await createProvisioning({ ...world, reader, newId: () => ulid() })({ command, input });
      if (reads >= number) expect(answer).toMatchObject({ error: VIOLATED });
    }
  },
);

const PATTERNS = { separate: ['payments:create:*', 'payments:approve:*'] };

test('a pattern stands for all that it covers, also for what is registered later', async () => {
  const world = await worldWith(PATTERNS);
  const refused = async (command: string, input: Record<string, unknown>) =>
    expect(await world.refused(command, input)).toMatchObject(VIOLATED);
  await refused('membership.create', { ...ANN, group: 'checkers' });
  await world.run('membership.create', { ...ANN, group: 'readers' });
  await world.run('role.create', { id: 'late', name: 'late', scope: ACME });
  const late = { role: 'late', effect: 'ALLOW' };
  await world.run('role-permission.create', { ...late, permission: 'payments:*:refund' });
  await world.run('assignment.create', { ...ANN, role: 'late', scope: SOUTH });
  await refused('permission.create', { name: 'payments:approve:refund' });
  await world.run('permission.create', { name: 'payments:read:refund' });
});

test.each([
  [['payments:create:payment', 'payments:*:payment'], 'separate'],
  [['*:*:*', 'payments:approve:payment'], 'separate'],
])('patterns of one invariant do not overlap: %j', async (separate, field) => {
  const world = copyOf(start);
  const refusal = await world.refused('invariant.create', { ...FOUR_EYES, separate });
  expect(refusal).toMatchObject({ code: 'invalid', field });
});

describe('where a DENY overrides, its end is refused that gives somebody both', () => {
  test.each([
    ['role-permission.delete', { role: 'barrier', permission: 'payments:approve:payment' }],
    ['role-permission.update', { role: 'barrier', permission: 'payments:approve:payment', when: 'false' }],
    ['group-role.delete', { group: 'barred', role: 'barrier' }],
    ['membership.delete', { ...BOB, group: 'barred' }],
    ['group.delete', { id: 'barred' }],
    ['role.delete', { id: 'barrier' }],
    ['tenant.update', { id: 'acme', combination: 'allow-overrides' }],
  ])('%s %j', async (command, input) => {
    const world = await barredWorld();
    expect(await world.refused(command, input)).toMatchObject(VIOLATED);
    // What only takes away is not.
    await world.run('membership.delete', { ...ANN, group: 'makers' });
    await world.run('assignment.delete', { ...BOB, role: 'both', scope: NORTH });
    await world.run(command, input);
  });

  describe('not where none overrides, as long as that stays so', () => {
    async function openWorld() {
      const world = await barredWorld();
      await world.run('assignment.delete', { ...BOB, role: 'both', scope: NORTH });
      await world.run('assignment.create', { ...BOB, role: 'maker', scope: NORTH });
      await world.run('tenant.update', { id: 'acme', combination: 'allow-overrides' });
      return world;
    }
    const [strict, open] = ['deny-overrides', 'allow-overrides'].map(
      (combination): Sent => ['tenant.update', { id: 'acme', combination }],
    ) as [Sent, Sent];
    const lift: Sent = ['membership.delete', { ...BOB, group: 'barred' }];

    test('it is done, and nobody is looked at', async () => {
      const world = await openWorld();
      world.calls.length = 0;
      await world.run(...lift);
      const [alone, ...rest] = [await openWorld(), ...world.calls];
      alone.calls.length = 0;
      await alone.run('membership.create', { ...BOB, group: 'readers' });
      expect(rest.length).toBeLessThan(alone.calls.length);
    });

    // Each two of them are fine together.
    test.each<[string, readonly Sent[], Sent, readonly Sent[]]>([
      ['the end', [], lift, [strict, join('checkers')]],
      ['the grant', [strict], join('checkers'), [open]],
      ['the grant after both', [strict], join('checkers'), [open, lift]],
      ['the way back', [strict], open, [join('checkers')]],
      ['the end where it overrides', [strict], lift, [join('checkers')]],
    ])(
      'of the mode, a grant and the end of a DENY at once %s is refused',
      async (_, before, last, between) => {
        const world = await openWorld();
        for (const each of before) await world.run(...each);
        const [command, input] = last;
        const answer = await provisionWith(world, { command, input }, 0, async () => {
          for (const each of between) await world.run(...each);
        });
        expect(answer).toMatchObject({ error: VIOLATED });
      },
    );
  });

  test('what would take looking at more people than that is not refused', async () => {
    const world = await barredWorld();
    await crowd(world, 'barred');
    const again = copyOf(world);
    await world.run('group-role.delete', { group: 'barred', role: 'barrier' });
    // Its steps are as large as a transaction, with the revision.
    await again.run('group.delete', { id: 'barred' });
  });
});

/** Bob has a role that allows both, and is in a group that bars him from one. */
async function barredWorld() {
  const world = copyOf(start);
  await world.apply(`
scopes: { acme: { id: acme, type: tenant, combination: deny-overrides }, north: { id: north, type: location, parent: acme } }
roles:
  both: { id: both, owner: acme, allow: ["payments:create:payment", "payments:approve:payment"] }
  barrier: { id: barrier, owner: acme, deny: ["payments:approve:payment"] }
groups: { barred: { id: barred, scope: acme, roles: [barrier] } }
users: { bob: { id: bob, groups: [barred], assignments: [{ role: both, scope: north }] } }
permissions: ["payments:create:payment", "payments:approve:payment"]
`);
  await world.run('invariant.create', FOUR_EYES);
  return world;
}

/** More people than are looked at are in a group that is made for them. */
async function crowd(world: ReturnType<typeof copyOf>, group: string) {
  const users = Array.from({ length: 201 }, (_, n) => `user-${n}: { id: user-${n}, groups: [${group}] }`);
  await world.apply(`
scopes: { acme: { id: acme, type: tenant } }
groups: { ${group}: { id: ${group}, scope: acme } }
users: { ${users.join(', ')} }
`);
}

test('one that does not hold when it is made says who breaks it, and is made', async () => {
  const world = copyOf(start);
  await world.run('membership.create', { ...ANN, group: 'checkers' });
  expect(await world.run('invariant.create', FOUR_EYES)).toMatchObject({
    warning: expect.stringMatching(/^not all holds .*four eyes: ann would hold payments:create/),
  });
  const separate = ['payments:read:payment', 'payments:create:payment'];
  const kept = { ...FOUR_EYES, id: 'other', name: 'other', within: 'scope', separate };
  expect(await world.run('invariant.create', kept)).not.toHaveProperty('warning');
});

test.each([null, '2029-01-01'])('who has ended does not go on with both: %s', async (endsAt) => {
  const world = await worldWith();
  await world.run('user.update', { id: 'bob', endsAt: '2027-01-01' });
  await world.run('assignment.create', { ...BOB, role: 'maker', scope: NORTH });
  await world.run('assignment.create', { ...BOB, role: 'checker', scope: NORTH, startsAt: '2028-01-01' });
  expect(await world.refused('user.update', { id: 'bob', endsAt })).toMatchObject(VIOLATED);
  await world.run('user.update', { id: 'bob', endsAt: '2027-06-01' });
});

test('who breaks one already until some day does not go on for longer', async () => {
  const world = copyOf(start);
  await world.run('assignment.create', { ...BOB, role: 'maker', scope: NORTH, endsAt: '2027-01-01' });
  await world.run('assignment.create', { ...BOB, role: 'checker', scope: SOUTH });
  await world.run('invariant.create', FOUR_EYES);
  const update = { ...BOB, role: 'maker', scope: NORTH };
  expect(await world.refused('assignment.update', { ...update, endsAt: null })).toMatchObject({
    code: 'invariant_violated',
    message: expect.stringMatching(/, from 2027-01-0\dT/),
  });
  await world.run('assignment.update', { ...update, endsAt: '2026-06-01' });
});

describe('a crowd', () => {
  let crowded: ReturnType<typeof copyOf>;
  beforeAll(async () => {
    crowded = await worldWith();
    await crowded.run('role.create', { scope: ACME, id: 'barrier', name: 'barrier' });
    await crowded.run('role-permission.create', { role: 'barrier', permission: APPROVE, effect: 'DENY' });
    await crowd(crowded, 'many');
  });

  test('is not looked at: what concerns it is refused, and may be taken away', async () => {
    const world = copyOf(crowded);
    const give = (role: string) => world.refused('group-role.create', { group: 'many', role });
    expect(await give('maker')).toMatchObject({ code: 'invariant_unproved' });
    await world.run('group.delete', { id: 'many' });
  });

  test.each(['allow-overrides', 'deny-overrides'])(
    'is given nothing by a role that allows none of them: %s',
    async (combination) => {
      const world = copyOf(crowded);
      await world.run('tenant.update', { id: 'acme', combination });
      await world.run('group-role.create', { group: 'many', role: 'barrier' });
      await world.run('group-role.create', { group: 'many', role: 'reader' });
    },
  );

  test('but for what it inherits', async () => {
    const world = copyOf(crowded);
    await world.run('role.update', { id: 'barrier', parent: 'shared' });
    expect(await world.refused('group-role.create', { group: 'many', role: 'barrier' })).toMatchObject({
      code: 'invariant_unproved',
    });
  });

  test('nor what it allows as soon as somebody has it', async () => {
    const world = copyOf(crowded);
    const allow = { role: 'barrier', permission: CREATE, effect: 'ALLOW' };
    const event = { command: 'role-permission.create', input: allow };
    const answer = await provisionWith(world, event, 0, () =>
      world.run('group-role.create', { group: 'many', role: 'barrier' }),
    );
    expect(answer).toMatchObject({ error: { code: 'invariant_unproved' } });
  });
});

test.each([
  ['takes away', { takeOut: { groups: new Set(['makers']) } }, { violations: [] }],
  ['gives', { add: { groups: new Set(['checkers']) } }, { unproved: expect.stringMatching(/1 items/) }],
])('what is too large to be read is not known where it %s', async (_, update, wanted) => {
  const world = await worldWith();
  const most = { people: 200, items: 1, calls: 1_000 };
  const copy = createCopy(world.reader, most);
  await copy.writer.send([{ kind: 'update', key: decisionKey({ type: 'user', id: 'ann' }), ...update }]);
  const of = new Map([[ACME, [FOUR_EYES]]]);
  expect(await brokenBy(copy, of, world.clock.now(), most)).toEqual(wanted);
});

describe('whoever shows a token might have what its groups give', () => {
  const mapped: Sent = [
    'external-group.create',
    { scope: ACME, issuer: 'https://idp.example', externalId: 'them', group: 'named' },
  ];
  const carry: Sent = ['group-role.create', { group: 'named', role: 'named' }];
  /** With a group that tokens may name, whose role lets make payments. */
  async function namedWorld(...more: readonly Sent[]) {
    const world = await worldWith();
    const of = { scope: ACME, name: 'named', allowOnly: true, id: 'named' };
    await world.run('role.create', of);
    await world.run('role-permission.create', { role: 'named', permission: CREATE, effect: 'ALLOW' });
    await world.run('group.create', of);
    for (const each of more) await world.run(...each);
    return world;
  }

  test.each([
    ['a group that tokens name', mapped, [carry, join('checkers')]],
    ['a role of such a group', carry, [mapped, join('checkers')]],
    ['the other right', join('checkers'), [mapped, carry]],
  ] as const)('%s is refused beside the rest', async (_, last, before) => {
    const world = await namedWorld(...before);
    expect(await world.refused(...last)).toMatchObject({
      code: 'invariant_violated',
      message: expect.stringMatching(/bob would perhaps hold .* with a token that names them/),
    });
  });

  test('at once, too', async () => {
    const world = await namedWorld(carry);
    const [command, input] = mapped;
    const answer = await provisionWith(world, { command, input }, 0, () => world.run(...join('checkers')));
    expect(answer).toMatchObject({ error: VIOLATED });
  });

  test('what a token gives already is not given anew, and a mapping may end', async () => {
    const world = await namedWorld(carry);
    const { id } = await world.run(...mapped);
    await world.run(...join('makers'));
    await world.run('external-group.delete', { id });
    await world.run('membership.delete', { ...BOB, group: 'makers' });
    await world.run(...join('checkers'));
  });
});

test('never is for plan and prove: no write is refused by it', async () => {
  const world = copyOf(start);
  const never = { id: 'n', scope: ACME, name: 'n', never: 'payments:approve:payment' };
  await world.run('invariant.create', never);
  await world.run('membership.create', { ...BOB, group: 'checkers' });
});

test('which tenants have invariants is read again where that failed', async () => {
  const world = await worldWith();
  let isDown = true;
  const provisioning = createProvisioning({
    ...world,
    newId: () => ulid(),
    reader: {
      ...world.reader,
      get: async (key) => {
        if (isDown && isSameKey(key, invariantsKey(GLOBAL))) throw new Error('down');
        return world.reader.get(key);
      },
    },
  });
  const event = { command: 'membership.create', input: { ...ANN, group: 'checkers' } };
  const first = await provisioning(event).catch(() => undefined);
  expect(first?.ok ?? false).toBe(false);
  isDown = false;
  expect(await provisioning(event)).toMatchObject({ error: VIOLATED });
});

test.each([
  ['that says which tenants have invariants', GLOBAL, VIOLATED],
  ['of the invariants of a tenant', { type: 'tenant', id: 'acme' }, { code: 'damaged_item' }],
])(
  'nothing is let through where the item %s is lost, whatever is done to invariants',
  async (_, of, refusal) => {
    const world = await worldWith();
    const other = { id: 'other', name: 'other' };
    await world.run('invariant.create', { ...FOUR_EYES, ...other });
    await world.writer.send([{ kind: 'delete', key: invariantsKey(of) }]);
    for (const [verb, input] of [
      ['create', { ...FOUR_EYES, id: 'more', name: 'more' }],
      ['create', { ...FOUR_EYES, id: 'elsewhere', scope: 'tenant:other' }],
      ['update', { ...other, name: 'renamed' }],
      ['delete', { id: 'other' }],
    ] as const) {
      const after = copyOf(world);
      await after.provision({ command: `invariant.${verb}`, input });
      expect(await after.refused('membership.create', { ...ANN, group: 'checkers' })).toMatchObject(refusal);
    }
    const manifest = parse(MANIFEST.replace('ann, groups: [', 'ann, groups: [checkers, '));
    expect(await world.refused('tenant.apply', { manifest, prune: false })).toMatchObject(refusal);
  },
);

test('a tenant that was made anew after one with invariants has none', async () => {
  const world = await worldWith({ scope: 'tenant:other' });
  await world.run('invariant.delete', { id: 'eyes' });
  await world.run('membership.create', { ...BOB, group: 'abroad' });
  await world.run('group.delete', { id: 'abroad' });
  const other = { id: 'other' };
  await world.run('tenant.delete', other);
  const everywhere = (user: string) => world.run('global-role.create', { user, role: 'everywhere' });
  await everywhere('ann');
  await world.run('tenant.create', { ...other, name: 'Other' });
  await everywhere('bob');
});

test('tenants without invariants pay nothing: the same actions and reads, but one read in half a minute, or five where no tenant has any', async () => {
  const sent = async (world: typeof start, input: Record<string, unknown>) => {
    world.calls.length = 0;
    await world.run('membership.create', input);
    return [...world.calls];
  };
  const [without, other] = [copyOf(start), await worldWith()];
  other.clock.advance(60_000);
  const first = await sent(without, { ...BOB, group: 'abroad' });
  const again = await sent(without, { ...BOB, group: 'readers' });
  const beside = await sent(other, { ...BOB, group: 'abroad' });
  expect(first).toHaveLength(again.length + 5);
  expect(beside).toHaveLength(again.length + 1);
});
