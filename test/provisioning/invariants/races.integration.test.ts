import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { createProvisioning } from '../../../provisioning/index.ts';
import { size } from '../../support/tier.ts';
import { createWorld } from '../../support/world.ts';

/** Two commands that are each fine and would break an invariant together, at once, on the real engine: never both. */
const RACES = size(24, 1_000);
/** They are one after the other, with a second or two for each on two cores that others share. */
const TIMEOUT_MS = size(300_000, 3_600_000);
/** A transient answer is sent again as a client would, and that often at most. */
const ATTEMPTS = 20;

const [CREATE, APPROVE] = ['payments:create:payment', 'payments:approve:payment'];
const MANIFEST = `
permissions: ["${CREATE}", "${APPROVE}"]
scopes:
  acme: { id: acme, type: tenant }
  north: { id: north, type: location, parent: acme, code: N }
roles:
  maker: { id: maker, owner: acme, allow: ["${CREATE}"] }
  checker: { id: checker, allow: ["${APPROVE}"] }
  everywhere: { id: everywhere, global: true, allow: ["${APPROVE}"] }
invariants: [{ name: four eyes, separate: ["${CREATE}", "${APPROVE}"] }]
`;

type Sent = readonly [command: string, input: Record<string, unknown>];

/** What both do, for a user, a role and two groups of the race; the role and the groups give nothing before. */
const PAIRS: readonly ((of: Record<'user' | 'role' | 'a' | 'b', string>) => readonly [Sent, Sent])[] = [
  ({ user }) => [
    ['assignment.create', { user, role: 'maker', scope: 'location:north' }],
    ['assignment.create', { user, role: 'checker', scope: 'tenant:acme' }],
  ],
  ({ user }) => [
    ['grant.create', { user, scope: 'tenant:acme', roles: ['maker'] }],
    ['global-role.create', { user, role: 'everywhere' }],
  ],
  ({ user, a }) => [
    ['membership.create', { user, group: a }],
    ['group-role.create', { group: a, role: 'maker' }],
  ],
  ({ user, a, role }) => [
    ['membership.create', { user, group: a }],
    ['role-permission.create', { role, permission: CREATE, effect: 'ALLOW' }],
  ],
  ({ user, a, b }) => [
    ['transaction.write', { commands: [{ command: 'membership.create', input: { user, group: a } }] }],
    ['membership.create', { user, group: b }],
  ],
  ({ role }) => [
    ['role-permission.create', { role, permission: CREATE, effect: 'ALLOW' }],
    ['role-permission.create', { role, permission: APPROVE, effect: 'ALLOW' }],
  ],
];

test('of two commands that would break an invariant together one is refused, each time', {
  timeout: TIMEOUT_MS,
}, async () => {
  const world = await createWorld(MANIFEST);
  const { reader, writer, clock, newSecret, run } = world;
  const another = () => createProvisioning({ reader, writer, clock, newSecret, newId: () => ulid() });
  const processes = [another(), another()] as const;

  async function carryOut(at: 0 | 1, [command, input]: Sent): Promise<string> {
    const event = { command, input, operationId: ulid() };
    let answer = await processes[at](event);
    for (let n = 1; n < ATTEMPTS && !answer.ok && answer.error.retryable; n++)
      answer = await processes[at](event);
    return answer.ok ? 'done' : answer.error.code;
  }

  async function race(n: number): Promise<string> {
    const of = { user: `user-${n}`, role: `role-${n}`, a: `a-${n}`, b: `b-${n}` };
    const kind = n % PAIRS.length;
    const scope = 'tenant:acme';
    const first: Sent[] = [
      ['user.create', { id: of.user }],
      ['role.create', { id: of.role, name: of.role, scope }],
      ...[of.a, of.b].map((id): Sent => ['group.create', { id, name: id, scope }]),
      // One half of what is separate, and what the race leads to.
      ...((kind === 2 || kind === 3
        ? [['assignment.create', { user: of.user, role: 'checker', scope }]]
        : []) as Sent[]),
      ...((kind === 3 ? [['group-role.create', { group: of.a, role: of.role }]] : []) as Sent[]),
      ...((kind === 4
        ? [
            ['group-role.create', { group: of.a, role: 'maker' }],
            ['group-role.create', { group: of.b, role: 'checker' }],
          ]
        : []) as Sent[]),
      ...((kind === 5 ? [['assignment.create', { user: of.user, role: of.role, scope }]] : []) as Sent[]),
    ];
    await run('transaction.write', { commands: first.map(([command, input]) => ({ command, input })) });
    const pair = PAIRS[kind] as (typeof PAIRS)[number];
    const [one, other] = pair(of);
    const answers = await Promise.all([carryOut(0, one), carryOut(1, other)]);
    return answers.sort().join(' and ');
  }

  const outcomes = new Map<string, number>();
  for (let n = 0; n < RACES; n++) {
    const outcome = await race(n);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  expect(Object.fromEntries(outcomes)).toEqual({ 'done and invariant_violated': RACES });

  world.settle();
  const engine = world.newEngine();
  const both: string[] = [];
  for (let n = 0; n < RACES; n++) {
    const { decisions } = await engine.checkMany(
      [CREATE, APPROVE].map((permission) => ({
        subject: `user:user-${n}`,
        permission,
        scope: 'location:north',
      })),
    );
    if (decisions.every(({ allowed }) => allowed)) both.push(`user-${n}`);
  }
  expect(both).toEqual([]);
});
