import * as z from 'zod';
import type { CheckRequest } from '../../engine/index.ts';
import { type Answer, COMMANDS } from '../../provisioning/index.ts';
import { subjectNode } from '../../table/identifiers.ts';
import { guardKey, nodeKey } from '../../table/keys.ts';
import type { Writer } from '../../table/writer.ts';
import { createRandom, type Random } from '../proof/oracle/random.ts';
import { createOperatorsWorld } from '../provisioning/operators.ts';
import { again } from '../support/seed.ts';
import { commandsOf, createLightWorld } from '../support/world.ts';
import { furnish, furnishShared, PERMISSIONS, type Side } from './side.ts';

/**
 * Operators of two twins send random commands, of every kind and by every door, in turns. After a turn of one, no decision
 * in the other twin or in the operations scope and no look-up of a log-in is another. Somebody new is there like everybody
 * else of that type (ADR 0032).
 */
const OPERATIONS = 'tenant:operations';
const WATCHED = [...PERMISSIONS.slice(0, 3), 'provisioning:create:user'];
/** What a log-in or a condition may name before anybody has it. */
const IDS = ['boss', 'arn', 'idp-1'];
const EMAILS = ['boss@example.com', 'new@example.com'];
const PHONES = ['+4930123456', '+4930123457'];
const USERNAMES = ['boss', 'newcomer'];
const ISSUERS = ['iam', 'https://login.example.com'];
const SUBS = ['arn:aws:sts::123456789012:assumed-role/Admin', 'boss'];
const LOOK_UPS = [
  ...IDS.flatMap((id) =>
    ['user', 'technical-user', 'robot'].map((type) => nodeKey(subjectNode({ type, id }) ?? { type, id })),
  ),
  ...EMAILS.map((email) => guardKey('EMAIL', email)),
  ...PHONES.map((phone) => guardKey('PHONE', phone)),
  ...USERNAMES.map((username) => guardKey('USERNAME', username)),
  ...ISSUERS.flatMap((issuer) => SUBS.map((sub) => guardKey('IDENTITY', sub, issuer))),
];

/** The group of everyone in each twin looks at what a subject is and has. */
const WATCHFUL = [
  ['doors:open:door', 'subject.properties.role == "admin"'],
  ['doors:close:door', 'subject.id == "boss"'],
] as const;

const BYSTANDERS: Readonly<Record<string, string>> = {
  user: 'user:bystander',
  'technical-user': 'technical-user:bystander',
  robot: 'robot:bystander',
};

/** The node of a subject that is being written. */
const SUBJECT_LABELS: ReadonlySet<unknown> = new Set(['User', 'TechnicalUser', 'Subject']);

async function stage() {
  const plain = await createLightWorld();
  /** References of subjects that were made since it was emptied. */
  const made: string[] = [];
  const writer: Writer = {
    send: async (actions, notes) => {
      await plain.writer.send(actions, notes);
      for (const action of actions) {
        if (action.kind !== 'put' || action.item.SK !== 'META' || !SUBJECT_LABELS.has(action.item.Type))
          continue;
        const { PK, id, type } = action.item;
        made.push(PK.startsWith('USER#') ? `user:${id}` : `${type ?? 'technical-user'}:${id}`);
      }
    },
  };
  const world = { ...plain, writer, ...commandsOf({ ...plain, writer }) };
  await furnishShared(world);
  const operators = await createOperatorsWorld(world);
  const { run, register } = operators;
  await register(...[...COMMANDS.keys()].filter((name) => name !== 'transaction.write'));
  await run('subject-type.create', { name: 'robot' });
  for (const type of Object.keys(BYSTANDERS))
    await run('property.create', { of: `subject:${type}`, name: 'role', type: 'string', source: 'stored' });
  await run('account.create', { id: 'aside', name: 'Aside' });
  await run('user.create', { id: 'bystander' });
  await run('technical-user.create', { id: 'bystander', name: 'bystander', account: 'account:aside' });
  await run('subject.create', { id: 'bystander', type: 'robot' });
  await run('role.create', { id: 'watchful', name: 'watchful', scope: 'tenant' });
  for (const [permission, when] of WATCHFUL)
    await run('role-permission.create', { role: 'watchful', permission, effect: 'ALLOW', when });
  await run('role-permission.create', { role: 'watchful', permission: 'home', effect: 'ALLOW' });

  const twin = async (name: string, operator: string) => {
    const side = await furnish(world, name);
    const roots = ['tenant', 'enterprise'].flatMap((field) => side.named[field] ?? []);
    for (const scope of roots) {
      await run('grant.create', { user: operator, scope, roles: ['operator'] });
      const group = await run('group.create', { scope, name: 'all', everyone: true });
      await run('group-role.create', { group: group.id, role: 'watchful' });
    }
    return { ...side, operator };
  };
  // Comparing is for the operations scope; each change of a manifest takes its own right.
  await run('role.create', { id: 'applier', name: 'applier', scope: 'tenant' });
  await run('role-permission.create', {
    role: 'applier',
    permission: 'provisioning:apply:tenant',
    effect: 'ALLOW',
  });
  for (const user of ['ann', 'gus'])
    await run('grant.create', { user, scope: OPERATIONS, roles: ['applier'] });
  return { ...world, ...operators, made, sides: [await twin('A', 'ann'), await twin('B', 'gus')] as const };
}
type Stage = Awaited<ReturnType<typeof stage>>;
type Twin = Stage['sides'][number];

/** Commands that make subjects and give them something come more often. */
const OFTEN = [
  ...['user.create', 'technical-user.create', 'subject.create', 'user.create', 'subject.create'],
  ...['membership.create', 'group-role.create', 'assignment.create', 'grant.create', 'grant.update'],
  ...[
    'role.create',
    'role-permission.create',
    'group.create',
    'user.update',
    'subject.update',
    'token.create',
  ],
];
const WRITES = [...COMMANDS.values()].filter(
  ({ name, kind }) =>
    kind === 'write' && !/^(?:approval|transaction)\.|^tenant\.(?:apply|onboard)$/.test(name),
);

const shapes = new Map(
  [...COMMANDS.values()].map(({ name, input }) => [
    name,
    (input as z.ZodObject).shape as Readonly<Record<string, z.ZodType>>,
  ]),
);

const SOME_VALUES: readonly unknown[] = [
  ...[
    'x',
    'active',
    'suspended',
    true,
    false,
    1,
    ['x'],
    {},
    'ALLOW',
    'DENY',
    'user',
    'string',
    'Europe/Berlin',
  ],
  ...['2020-01-01T00:00:00.000Z', '2090-01-01T00:00:00.000Z', '2020-01-01', 'https://x.example', 'a:b:c'],
  ...['allow-overrides', 'deny-overrides', 'inactive', 'disabled', 'expired', null],
];

const unwrapped = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;

/** Values that a field may have, whatever it is called; worked out once. */
const known = new Map<z.ZodType, readonly unknown[]>();
const valuesOf = (schema: z.ZodType): readonly unknown[] => {
  const inner = unwrapped(schema);
  const found =
    known.get(schema) ??
    (inner instanceof z.ZodEnum
      ? inner.options
      : SOME_VALUES.filter((value) => schema.safeParse(value).success));
  known.set(schema, found);
  return found;
};

const isOptional = (schema: z.ZodType): boolean => schema.safeParse(undefined).success;

/** What commands name, by the names of their fields. */
function poolsOf(sides: readonly Side[]): Readonly<Record<string, readonly unknown[]>> {
  const named = (field: string) => sides.flatMap((side) => side.named[field] ?? []);
  const roles = [...named('role'), 'operator', 'watchful'];
  return {
    ...Object.fromEntries(Object.keys(sides[0]?.named ?? {}).map((field) => [field, named(field)])),
    parent: [...named('parent'), ...roles],
    user: [...named('user'), 'pam', 'olga', 'ann', 'gus', ...IDS],
    role: roles,
    roles: roles.map((role) => [role]),
    permission: [...WATCHED, '*:*:*', 'doors:*:*'],
    when: WATCHFUL.map(([, when]) => when),
    properties: [{ role: 'admin' }],
    email: EMAILS,
    phone: PHONES,
    username: USERNAMES,
    issuer: ISSUERS,
    sub: SUBS,
    type: ['robot', 'campus'],
    module: ['sold'],
  };
}

interface Sent {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
}

function createCommands({ sides }: Stage, random: Random, names: readonly string[]) {
  const pools = sides.map((side) => poolsOf([side]));
  const [own, both] = [pools, poolsOf(sides)];
  const idsOf = (entity: string, of: readonly Side[]): readonly unknown[] => {
    const ids = of.flatMap(({ named, places, subjects }) => [
      ...(named[entity] ?? []),
      ...[...places, ...subjects]
        .filter((ref) => ref.startsWith(`${entity}:`))
        .map((ref) => ref.slice(entity.length + 1)),
    ]);
    return ids.length > 0 ? ids : of.flatMap(({ ids: all }) => all);
  };

  return (by: number): Sent => {
    const often = OFTEN.filter((name) => names.length === 0 || names.includes(name));
    const command = names.length > 0 || !random.oneIn(4) ? random.pick(often) : random.pick(WRITES).name;
    const [entity = '', verb] = command.split('.');
    const shape = shapes.get(command) ?? {};
    const fields = Object.entries(shape);
    const wanted = new Set([
      ...fields.filter(([, schema]) => !isOptional(schema)).map(([name]) => name),
      ...(verb === 'create' && (entity === 'user' || entity === 'subject') ? ['tenant'] : []),
      ...random.some(
        fields.map(([name]) => name),
        2,
      ),
    ]);
    // One without the other is nobody.
    if (wanted.has('sub') && 'issuer' in shape) wanted.add('issuer');
    const input = fields.flatMap(([name, schema]): readonly (readonly [string, unknown])[] => {
      if (!wanted.has(name)) return [];
      const pool = (random.oneIn(5) ? both : own[by]) ?? both;
      const ids = verb === 'create' ? IDS : idsOf(entity, random.oneIn(5) ? sides : sides.slice(by, by + 1));
      const isRobot = entity === 'subject' && name === 'user';
      const values =
        name === 'id'
          ? ids
          : name === 'name'
            ? [`n${random.below(1e6)}`]
            : isRobot
              ? ids.map((id) => `robot:${id}`)
              : (pool[name] ?? valuesOf(schema));
      return values.length === 0 ? [] : [[name, random.pick(values)]];
    });
    return { command, input: Object.fromEntries(input) };
  };
}

/** A manifest of one twin, half of them with somebody in it. */
const manifestOf = ({ named }: Twin, random: Random): Sent => {
  const [type = '', id = ''] = String(named.tenant?.[0]).split(':');
  const person = random.pick([
    { email: random.pick(EMAILS) },
    { id: random.pick(IDS) },
    { username: random.pick(USERNAMES), properties: { role: 'admin' } },
  ]);
  const manifest = {
    scopes: { Top: { type, id } },
    groups: { [`n${random.below(1e6)}`]: { scope: 'Top' } },
    ...(random.oneIn(2) ? { users: { somebody: { ...person, tenant: 'Top' } } } : {}),
  };
  return { command: 'tenant.apply', input: { manifest } };
};

export interface Counts {
  sent: number;
  accepted: number;
  /** Decisions that were compared. */
  compared: number;
  /** Subjects that were made. */
  made: number;
}

/** How many commands one pair of twins gets. */
const OF_ONE_STAGE = 600;
/** One operator sends as many, then the decisions are compared, and the other has a turn. */
const IN_A_ROW = 10;

/**
 * @param names only these commands, of those that make and give; all, when empty
 * @param onStage hears of the counts after each pair of twins
 * @throws Error with the seed and the accepted commands of the turn after which something else is decided
 */
export async function playOperators(
  seed: number,
  commands: number,
  names: readonly string[] = [],
  onStage?: (counts: Readonly<Counts>) => void,
): Promise<Counts> {
  const counts: Counts = { sent: 0, accepted: 0, compared: 0, made: 0 };
  for (let round = 0; counts.sent < commands; round++) {
    await playStage(seed + round, Math.min(OF_ONE_STAGE, commands - counts.sent), names, counts);
    onStage?.(counts);
  }
  return counts;
}

async function playStage(
  seed: number,
  commands: number,
  names: readonly string[],
  counts: Counts,
): Promise<void> {
  const random = createRandom(seed);
  const world = await stage();
  const { sides, made, provision, tokens, reader } = world;
  const next = createCommands(world, random, names);
  const people = [
    ...sides.flatMap(({ subjects }) => subjects.slice(-2)),
    ...['user:ann', 'user:gus', 'user:pam', 'user:bystander', 'user:boss'],
  ];
  const history: string[] = [];
  const wrong = (what: readonly unknown[]): never => {
    throw new Error(`${again(seed)}: ${JSON.stringify(what.slice(0, 5))}\n${history.join('\n')}`);
  };

  /** What each of these may do in a twin and for the platform, as lines. */
  async function decisionsIn(
    { places, named }: Twin,
    subjects: readonly string[],
  ): Promise<readonly string[]> {
    world.settle();
    const scopes = new Set([...places.filter((_, n) => n % 4 === 0), ...(named.tenant ?? []), OPERATIONS]);
    const questions = subjects.flatMap((subject) =>
      [...scopes].flatMap((scope) =>
        WATCHED.map((permission): CheckRequest => ({ subject, scope, permission })),
      ),
    );
    const { decisions } = await world.newEngine().checkMany(questions);
    counts.compared += decisions.length;
    return decisions.map(({ allowed, reason }, n) => {
      const { subject, scope, permission } = questions[n] as CheckRequest;
      return `${subject} ${permission} ${scope} ${allowed} ${reason}`;
    });
  }
  const lookUps = async () =>
    (await reader.getMany(LOOK_UPS)).map((item) => (item ? String(item.owner ?? 'there') : undefined));
  const before = await lookUps();
  const changed = (from: readonly unknown[], to: readonly unknown[]) =>
    to.filter((each, n) => each !== from[n]);

  for (let sent = 0, by = 0; sent < commands; by = 1 - by) {
    const [me, other] = by === 0 ? sides : [sides[1], sides[0]];
    const token = tokens[me.operator]?.text;
    const theirs = await decisionsIn(other, people);
    made.length = 0;
    history.length = 0;
    for (let turn = 0; turn < IN_A_ROW && sent < commands; turn++, sent++) {
      const parts = [next(by), next(by)] as const;
      const door = random.below(20);
      const [first] = parts;
      const one: Sent =
        door === 0
          ? { command: 'transaction.write', input: { commands: parts } }
          : door === 1
            ? manifestOf(me, random)
            : first;
      const isBatch = door === 2;
      const answer = await provision(isBatch ? { batch: parts, token } : { ...one, token });
      const answers = answer.ok && isBatch ? (answer.result.answers as readonly Answer[]) : [answer];
      const isAccepted = answers.some(({ ok }) => ok);
      counts.sent += 1;
      if (!isAccepted) continue;
      counts.accepted += 1;
      history.push(`${me.operator} ${JSON.stringify(isBatch ? parts : one)}`);
    }
    if (history.length === 0) continue;
    const different = [
      ...changed(theirs, await decisionsIn(other, people)),
      ...changed(before, await lookUps()),
    ];
    if (different.length > 0) wrong(different);
    counts.made += made.length;
    const like = new Map(
      await Promise.all(
        [...new Set(made.map(typeOf))].map(async (type) => {
          const bystander = BYSTANDERS[type] as string;
          return [type, withoutSubject(await decisionsIn(other, [bystander]))] as const;
        }),
      ),
    );
    for (const subject of made) {
      const its = withoutSubject(await decisionsIn(other, [subject]));
      const unlike = changed(like.get(typeOf(subject)) ?? [], its);
      if (unlike.length > 0) wrong([subject, ...unlike]);
    }
  }
}

const typeOf = (ref: string): string => ref.slice(0, ref.indexOf(':'));
const withoutSubject = (lines: readonly string[]) => lines.map((line) => line.slice(line.indexOf(' ')));
