import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import {
  createKeys,
  createUnsteadyDynamodb,
  createUnsteadyIssuer,
  dynamodbError,
} from '../faults/dependencies.ts';
import { size } from '../support/tier.ts';
import { createLightWorld, createWorld, type World } from '../support/world.ts';
import { commandsOf, openTerminal, type Terminal } from './terminal.ts';

/**
 * The runbooks, typed as they are printed: on a table with a tenant Acme, whose users may read reports, and another
 * one. The soak tier revokes 500 users.
 */
const TENANT = '01M8000000000000000000ACME';
const ANN = '01M8000000000000000000000A';
const MANIFEST = `
pages: [reports]
scopes: { Acme: { id: ${TENANT}, type: tenant }, Borea: { id: borea, type: tenant } }
roles:
  reader: { owner: Acme, allow: [reports] }
  reader there: { name: reader, owner: Borea, allow: [reports] }
groups: { readers: { scope: Acme, roles: [reader] } }
users:
  ann@example.com: { id: ${ANN}, tenant: Acme, groups: [readers] }
  cleo: { id: cleo, assignments: [{ role: reader there, scope: Borea }] }
`;
const USERS = size(25, 500);
const TOKENS = size(4, 50);

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

let world: World;
let terminal: Terminal;
/** Who is at home in Acme, Ann first. */
let users: readonly string[];

function newTerminal(env: Readonly<Record<string, string>> = {}): Terminal {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-runbook-'));
  folders.push(folder);
  return openTerminal(folder, { TABLE_NAME: world.table, ...env });
}

async function furnish(made: World): Promise<void> {
  world = made;
  terminal = newTerminal();
  // The command line has the real clock, so what it reads is written just before.
  world.clock.advance(Date.now() - world.clock.now() - 120_000);
  await world.apply(MANIFEST);
  users = [ANN];
}
beforeEach(async () => furnish(await createLightWorld()));

/** More users of Acme, each with an API token. */
async function populate(count: number): Promise<void> {
  const { run } = world;
  const [{ id: group }] = (await run('group.list', { scope: `tenant:${TENANT}` })).items as [{ id: string }];
  const add = async (): Promise<string> => {
    const { id: user } = await run('user.create', { tenant: `tenant:${TENANT}` });
    await run('membership.create', { user, group });
    return user;
  };
  const made: string[] = [];
  while (made.length < count - 1) made.push(...(await Promise.all([add(), add(), add(), add()])));
  users = [ANN, ...made];
  for (const user of users.slice(0, TOKENS))
    await run('token.create', { user, tenant: `tenant:${TENANT}`, tokenType: 'api' });
}

/** Whether the table, as it is now, lets somebody read the reports. */
const mayRead = async (user: string, scope = `tenant:${TENANT}`): Promise<boolean> =>
  (await world.newEngine().check(`user:${user}`, 'reports', scope, { consistency: 'strong' })).allowed;

async function allowedOf(all: readonly string[]): Promise<readonly string[]> {
  const answers = await Promise.all(all.map(async (user) => ((await mayRead(user)) ? [user] : [])));
  return answers.flat();
}

/** Types commands; each must end with the code that belongs to it, 0 unless given. */
async function typeAll(commands: readonly string[], codes: Readonly<Record<number, number>> = {}) {
  const outputs: string[] = [];
  for (const [position, command] of commands.entries()) {
    const { code, output } = await terminal.type(command);
    expect(code, `${command}\n${output}`).toBe(codes[position] ?? 0);
    outputs.push(output);
  }
  return outputs;
}

test('a bad manifest: the plan back, the apply of what was exported, and an empty plan', async () => {
  const [log, exported, planBad, applyBad, planBack, applyBack, ...over] = commandsOf(
    'bad-manifest.md',
  ) as string[];
  await typeAll([log, exported] as string[]);
  const manifest = terminal.read('before.yaml');
  terminal.write(
    'bad.yaml',
    manifest.replaceAll(/- reports/g, '- []').replaceAll(/allow:\n\s+- \[\]/g, 'allow: []'),
  );
  await typeAll([planBad, applyBad] as string[], { 0: 1 });
  expect(await mayRead(ANN)).toBe(false);
  await typeAll([planBack, applyBack] as string[], { 0: 1 });
  expect(await mayRead(ANN)).toBe(true);
  await typeAll(over);
});

test('mass revocation: nobody of the list is allowed afterwards, by no credential, and nobody else is touched', async () => {
  await populate(USERS);
  expect(await allowedOf(users)).toHaveLength(users.length);
  const commands = commandsOf('mass-revocation.md');
  const opening = commands.findIndex((command) => command.includes('status=active'));
  const begun = performance.now();
  await typeAll(commands.slice(0, opening));
  const seconds = (performance.now() - begun) / 1_000;
  // The tenant is still closed here: open it, so that the users themselves are what refuses.
  const [opened, who] = await typeAll(commands.slice(opening));
  expect(opened).toContain('active');
  expect(await allowedOf(users)).toEqual([]);
  expect(who).not.toContain(ANN);
  expect(await mayRead('cleo', 'tenant:borea')).toBe(true);
  const tokens = (await world.run('token.list', { tenant: `tenant:${TENANT}` })).items as {
    revoked: boolean;
  }[];
  expect(tokens.length).toBeGreaterThan(0);
  expect(tokens.filter(({ revoked }) => !revoked)).toEqual([]);
  // Two orders of magnitude above what it takes: only one transaction for each user would come near.
  expect(seconds).toBeLessThan(120);
});

test('a hot tenant: its program is stopped, the tenant closed and opened again, and the other one is not touched', async () => {
  const { run } = world;
  const account = await run('account.create', { name: 'Acme' });
  const { id: program } = await run('technical-user.create', {
    account: `account:${account.id}`,
    name: 'importer',
  });
  const role = ((await run('role.list', { scope: `tenant:${TENANT}` })).items as { id: string }[])[0]?.id;
  await run('assignment.create', { user: `technical-user:${program}`, scope: `tenant:${TENANT}`, role });
  const [revoke, suspend, ...over] = commandsOf('hot-tenant.md');
  await typeAll([String(revoke)]);
  expect(await mayRead(ANN)).toBe(true);
  await typeAll([String(suspend)]);
  expect(await mayRead(ANN)).toBe(false);
  expect(await mayRead('cleo', 'tenant:borea')).toBe(true);
  const outputs = await typeAll(over, { 2: 1 });
  expect(outputs[2]).toContain('subject_inactive');
});

test('the lost administrator: who may write to the table makes a new one, and the log says so', async () => {
  const { id: old } = await world.run('user.create', { email: 'old@example.com' });
  await world.run('admin.create', { user: old });
  const commands = commandsOf('lost-administrator.md');
  const outputs = await typeAll(commands, { [commands.length - 2]: 1 });
  expect(outputs.at(-3)).toContain('admin');
  expect(outputs.at(-1)).toContain('admin.create');
  expect((await world.run('admin.list', {})).items).toHaveLength(1);
});

test.each([
  ['dynamodb-down.md', dynamodbError('InternalServerError', 500)],
  ['throttling.md', dynamodbError('ProvisionedThroughputExceededException')],
])(
  '%s: the command says so until it is over, and is done at its first attempt then',
  async (runbook, fault) => {
    await furnish(await createWorld());
    const dynamodb = await createUnsteadyDynamodb(world.endpoint, 'Table');
    terminal = newTerminal({ DYNAMODB_ENDPOINT: dynamodb.url });
    const commands = commandsOf(runbook);
    await dynamodb.behave(fault);
    await typeAll(commands.slice(0, 1), { 0: 2 });
    await dynamodb.behave('well');
    await typeAll(commands);
    await dynamodb.stop();
  },
);

test('the issuer: its keys are asked for, and a changed one is seen', async () => {
  const issuer = await createUnsteadyIssuer(await createKeys());
  const [ask] = commandsOf('issuer.md');
  const asked = String(ask).replace('https://issuer.example', issuer.url);
  expect((await terminal.type(asked)).output).toContain('"kid":"current"');
  issuer.publish('next');
  expect((await terminal.type(asked)).output).toContain('"kid":"next"');
  await issuer.behave('down');
  expect((await terminal.type(asked)).code).not.toBe(0);
});

test('a broken deployment: verify finds nothing', async () => typeAll(commandsOf('broken-deploy.md')));
