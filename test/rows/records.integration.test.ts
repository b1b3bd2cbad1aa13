import { expect } from 'vitest';
import { hashOfToken } from '../../table/api-token.ts';
import { decisionKey, logPartitions, nodeKey, operationKey, partitionOf } from '../../table/keys.ts';
import type { World } from '../support/world.ts';
import { row } from './row.ts';
import {
  create,
  DAY,
  HOUR,
  instantOf,
  NOBODY,
  newClient,
  newUser,
  refOf,
  sorted,
  valuesOf,
} from './setup.ts';

/** Seeds 000 and 002: the audit log, tokens and login sessions, which are kept for a time. */
const DAY_SECONDS = 86_400;

const seconds = (world: World): number => Math.floor(world.clock.now() / 1000);

/** Runs a command as somebody. */
async function actAs(
  world: World,
  actor: string,
  command: string,
  input: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const answer = await world.provision({ command, input, actor, ...more });
  if (!answer.ok) throw new Error(`${command}: ${answer.error.code} ${answer.error.message}`);
  return answer.result;
}

/** What the table itself holds in these partitions: keys, secrets and time-to-live too. */
const itemsIn = (world: World, ...partitions: readonly string[]) =>
  world.reader.listAll({ ranges: partitions.map((partition) => ({ partition })) });

row('AM-21', async ({ world, reads, pages, record }) => {
  const acme = await newClient(world, 'AM21');
  const [ann, bob] = [await newUser(world), await newUser(world)];
  const issue = (user: string, more: Record<string, unknown> = {}) =>
    world.run('token.create', { user, tenant: acme, tokenType: 'api', ...more });
  const input = {
    user: ann,
    tenant: acme,
    tokenType: 'api',
    deviceId: 'laptop',
    payload: { for: 'reports' },
  };
  const made = await actAs(world, bob, 'token.create', input, { operationId: 'am21' });
  const [id, text] = [String(made.id), String(made.token)];
  expect(text).toMatch(/^gh1_u_/);
  expect(text).toContain(id);
  // Once: who sends the same again is told what was made, and not the text.
  const again = await actAs(world, bob, 'token.create', input, { operationId: 'am21' });
  expect(again).toMatchObject({ id });
  expect(again).not.toHaveProperty('token');

  const expiresAt = instantOf(world, 30 * DAY);
  const shown = { id, user: ann, tenant: acme, tokenType: 'api', revoked: false, expiresAt };
  const found = await reads('token.read', { id });
  expect(found).toMatchObject({ ...shown, issuedAt: instantOf(world), payload: { for: 'reports' } });
  expect(found).not.toHaveProperty('hash');
  // The table holds a hash, and the text nowhere: not at the user, not in the log, not in the operation.
  const own = { type: 'token', id };
  const granted = await itemsIn(
    world,
    ...[partitionOf(own), partitionOf({ type: 'user', id: ann }), operationKey('am21').PK],
    ...logPartitions(refOf(acme)),
  );
  expect(granted.map(({ Type }) => Type)).toEqual(
    expect.arrayContaining(['AuthToken', 'Ownership', 'AuditLog']),
  );
  const secret = text.slice(-43);
  expect(JSON.stringify(granted)).not.toContain(secret);
  expect(JSON.stringify(granted.filter(({ PK }) => PK === partitionOf(own)))).toContain(
    await hashOfToken(text),
  );
  const ttl = seconds(world) + 30 * DAY_SECONDS;
  for (const key of [nodeKey(own), decisionKey(own)]) {
    expect(await world.reader.get(key)).toMatchObject({ ttl });
  }
  expect(granted.find(({ owned }) => owned === `token:${id}`)).toMatchObject({ ttl });

  const begun = world.clock.now();
  /** Reading what was written just now may have taken a moment. */
  const advanceTo = (instant: number) => world.clock.advance(instant - world.clock.now());
  const short = await issue(ann, { expiresAt: instantOf(world, DAY) });
  const refresh = await issue(ann, { tokenType: 'refresh' });
  expect(refresh).not.toHaveProperty('token');
  const foreign = await issue(bob);
  /** Whether who comes with its text is who it says. Whose text is refused: authorizer/api-token.test.ts. */
  const isGood = ({ id, token }: Readonly<Record<string, unknown>>) =>
    record(async () => {
      const credential = { ref: `token:${id}`, hash: await hashOfToken(String(token)) };
      const question = { subject: `user:${ann}`, credential, permission: undefined, scope: undefined };
      const { decision } = await world.newEngine().checkAsked(() => question);
      return decision === undefined;
    });
  const inForce = async (user: string, limit = 2) =>
    valuesOf(await pages('token.list', { user, at: instantOf(world) }, limit), 'id');
  expect(await isGood(made)).toBe(true);
  expect(await isGood(foreign)).toBe(false);
  expect(await inForce(ann)).toEqual(sorted(id, short.id, refresh.id));
  expect(await inForce(ann, 1)).toEqual(sorted(id, short.id, refresh.id));

  // At its end, to the millisecond.
  advanceTo(begun + DAY - 1);
  expect(await isGood(short)).toBe(true);
  world.clock.advance(1);
  expect(await isGood(short)).toBe(false);
  expect(await inForce(ann)).toEqual(sorted(id, refresh.id));
  const third = await issue(ann);
  await world.run('token.revoke', { id: third.id, revokedBy: bob });
  expect(await reads('token.read', { id: third.id })).toMatchObject({
    revoked: true,
    revokedAt: instantOf(world),
    revokedBy: bob,
  });
  expect(await isGood(third)).toBe(false);
  expect(await inForce(ann)).toEqual(sorted(id, refresh.id));
  expect(await isGood(made)).toBe(true);
  expect(await world.refused('token.revoke', { id: third.id })).toMatchObject({ code: 'conflict' });
  advanceTo(begun + 30 * DAY - 1);
  expect(await isGood(made)).toBe(true);
  expect(await inForce(ann)).toEqual(sorted(id, refresh.id));
  world.clock.advance(1);
  expect(await isGood(made)).toBe(false);
  expect(await inForce(ann)).toEqual([]);

  const long = { user: ann, tokenType: 'api', expiresAt: instantOf(world, 30 * DAY + 1) };
  expect(await world.refused('token.create', long)).toMatchObject({ code: 'invalid', field: 'expiresAt' });
  expect(await world.refused('token.create', { user: NOBODY, tokenType: 'api' })).toMatchObject({
    code: 'not_found',
    field: 'user',
  });
  await world.run('token.delete', { id });
  expect(await reads('token.read', { id })).toBeUndefined();
});

row('AM-22', async ({ world, reads, pages }) => {
  const acme = await newClient(world, 'AM22');
  const [ann, bob] = [await newUser(world), await newUser(world)];
  const begin = (user: string, more: Record<string, unknown> = {}) =>
    create(world, 'session', { user, tenant: acme, ...more });
  const open = await begin(ann, {
    ssoProvider: 'google',
    ipAddress: '192.0.2.7',
    userAgent: 'Browser/1.0',
    deviceInfo: { os: 'none' },
    mfaVerified: true,
    location: 'Berlin',
  });
  const limited = await begin(ann, { sessionEnd: instantOf(world, HOUR) });
  const revoked = await begin(ann, { sessionEnd: instantOf(world, HOUR) });
  const expired = await begin(ann, { status: 'expired' });
  const foreign = await begin(bob);
  await world.run('session.update', { id: revoked, status: 'revoked' });

  /** The sessions of a user: all, or those that are good now. */
  const list = async (isNow = false, user = ann, limit = 1) =>
    (await pages('session.list', { user, ...(isNow ? { at: instantOf(world) } : {}) }, limit)).flat();
  const good = async (user = ann, limit = 1) => valuesOf([await list(true, user, limit)], 'id');
  const ofStatus = async (status: string) =>
    valuesOf([(await list()).filter((each) => each.status === status)], 'id');
  expect(valuesOf([await list()], 'id')).toEqual(sorted(open, limited, revoked, expired));
  expect(await good()).toEqual(sorted(open, limited));
  expect(await ofStatus('expired')).toEqual([expired]);
  expect(await ofStatus('revoked')).toEqual([revoked]);
  expect(await good(bob)).toEqual([foreign]);
  const found = await reads('session.read', { id: open });
  expect(found).toMatchObject({
    user: ann,
    tenant: acme,
    status: 'active',
    sessionStart: instantOf(world),
    ssoProvider: 'google',
    ipAddress: '192.0.2.7',
    deviceInfo: { os: 'none' },
    mfaVerified: true,
    location: 'Berlin',
  });
  expect(await list(true, ann, 5)).toContainEqual(found);

  // Past its end a session has expired, though nobody has written so; a revoked one stays revoked.
  world.clock.advance(HOUR - 1);
  expect(await good()).toEqual(sorted(open, limited));
  world.clock.advance(1);
  expect(await good(ann, 2)).toEqual([open]);
  expect(await reads('session.read', { id: revoked })).toMatchObject({ status: 'revoked' });
  await world.run('session.update', { id: limited, sessionEnd: instantOf(world, HOUR) });
  expect(await good()).toEqual(sorted(open, limited));
  const backwards = { user: ann, sessionStart: instantOf(world), sessionEnd: instantOf(world, -1) };
  const refusal = { code: 'invalid', field: 'sessionEnd' };
  expect(await world.refused('session.create', backwards)).toMatchObject(refusal);
  const early = { id: limited, sessionEnd: instantOf(world, -2 * HOUR) };
  expect(await world.refused('session.update', early)).toMatchObject(refusal);

  // Kept for 90 days from their start, whether or not DynamoDB has cleared them away by then.
  const ttl = seconds(world) - 3_600 + 90 * DAY_SECONDS;
  expect(await world.reader.get(nodeKey({ type: 'session', id: open }))).toMatchObject({ ttl });
  const edges = await itemsIn(world, partitionOf({ type: 'user', id: ann }));
  expect(edges.find(({ owned }) => owned === `session:${open}`)).toMatchObject({ ttl });
  world.clock.advance(90 * DAY - HOUR - 1);
  expect(await good()).toEqual([open]);
  world.clock.advance(1);
  expect(await good()).toEqual([]);
});

row('AM-26', async ({ world, reads }) => {
  const [acme, twin] = [await newClient(world, 'AM26'), await newClient(world, 'AM26 twin')];
  const actor = await newUser(world);
  const tenant = refOf(acme);
  let since = 0;
  /** The records that the log of Acme, or of what concerns no tenant, has gained. */
  const gained = async (of?: string) => {
    const { items } = await reads('audit.list', { tenant: of, from: new Date(since).toISOString() });
    return items;
  };
  const next = () => {
    world.clock.advance(HOUR);
    since = world.clock.now();
  };
  const origin = { ipAddress: '192.0.2.7', userAgent: 'Browser/1.0' };

  next();
  const project = await actAs(
    world,
    actor,
    'project.create',
    { parent: acme, name: 'One' },
    { operationId: 'am26', origin },
  );
  const created = await gained(acme);
  expect(created).toMatchObject([
    {
      action: 'project.create',
      entityType: 'project',
      entityId: project.id,
      timestamp: instantOf(world),
      operationId: 'am26',
      status: 'success',
      severity: 'info',
      actor,
      userId: actor,
      tenant: acme,
      after: { name: 'One', parent: acme },
      ...origin,
    },
  ]);
  expect(created[0]).not.toHaveProperty('before');
  expect(await gained(twin)).toEqual([]);
  expect(await gained()).toEqual([]);
  const isHere = ({ timestamp }: Readonly<Record<string, unknown>>) => timestamp === instantOf(world);
  const kept = (await itemsIn(world, ...logPartitions(tenant))).filter(isHere);
  expect(kept.map(({ ttl }) => ttl)).toEqual([seconds(world) + 31_536_000]);

  // Changes and deletions say what was before; edges leave their records as nodes do.
  const steps: [command: string, input: Record<string, unknown>, record: Record<string, unknown>][] = [
    ['project.update', { id: project.id, name: 'Two' }, { before: { name: 'One' }, after: { name: 'Two' } }],
    ['grant.create', { user: actor, scope: acme }, { entityType: 'grant', after: { scope: acme } }],
    ['setting.create', { scope: acme, key: 'a', value: 'b' }, { after: { key: 'a', value: 'b' } }],
    ['setting.delete', { scope: acme, key: 'a' }, { before: { value: 'b' }, severity: 'warning' }],
    ['project.delete', { id: project.id }, { before: { name: 'Two' }, severity: 'warning' }],
  ];
  for (const [command, input, expected] of steps) {
    next();
    await world.run(command, input);
    const found = await gained(acme);
    expect(found, command).toMatchObject([{ action: command, tenant: acme, ...expected }]);
    expect(found[0]).not.toHaveProperty('actor');
  }
  // What concerns no tenant is logged too, and never what is secret.
  next();
  const passwordHash = 'never to be logged';
  const { id } = await world.run('user.create', { passwordHash });
  await world.run('admin.create', { user: id });
  const global = await gained();
  expect(global.map(({ action, severity }) => `${action} ${severity}`).toSorted()).toEqual([
    'admin.create critical',
    'user.create info',
  ]);
  expect(JSON.stringify(global)).not.toContain(passwordHash);

  // What writes nothing leaves nothing: failures, readings, rehearsals, and the same operation again.
  next();
  const again = {
    command: 'project.create',
    input: { parent: acme, name: 'One' },
    operationId: 'am26',
    actor,
  };
  await world.provision(again);
  expect(await world.refused('grant.create', { user: actor, scope: acme })).toMatchObject({
    code: 'conflict',
  });
  expect(await world.refused('project.create', { parent: acme })).toMatchObject({ code: 'invalid' });
  expect(await world.refused('project.update', { id: NOBODY, name: 'Three' })).toMatchObject({
    code: 'not_found',
  });
  expect(await world.refused('client.create', { name: 'AM26' })).toMatchObject({ code: 'conflict' });
  await world.run('client.read', { name: 'AM26' });
  await actAs(world, actor, 'project.create', { parent: acme, name: 'Four' }, { dryRun: true });
  for (const of of [acme, twin, undefined]) expect(await gained(of)).toEqual([]);
});
