import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { unattested } from '../../cli/doctor/cache.ts';
import { checkRegions } from '../../cli/doctor/regions.ts';
import { checkPolicy, checkStamps } from '../../cli/doctor/writers.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { createLightLedgerWorld } from '../provisioning/support.ts';

/** What decisions rest on and nobody promises (docs/internals/assumptions.md), as far as `gatehouse doctor` can see it. */

test('writes whose stamps are of now, or ahead by what readers allow for', async () => {
  const world = await createLightLedgerWorld();
  await world.run('tenant.create', { name: 'Acme' });
  expect(await checkStamps(world.reader, world.clock.now)).toMatchObject({
    status: 'ok',
    message: 'no write is stamped with a time to come (2 audit logs)',
  });
  expect((await checkStamps(world.reader, () => world.clock.now() - 1_000)).status).toBe('ok');
});

test.each(['what belongs to no tenant', 'a tenant'])(
  'a writer whose clock is ahead, in the log of %s',
  async (place) => {
    const world = await createLightLedgerWorld();
    const { id } = await world.run('tenant.create', { name: 'Acme' });
    const hasty = createProvisioning({
      ...world,
      newId: () => ulid(),
      clock: { now: () => world.clock.now() + 1_500 },
    });
    const event =
      place === 'a tenant'
        ? { command: 'group.create', input: { name: 'staff', scope: `tenant:${id}` } }
        : { command: 'user.create', input: {} };
    expect(await hasty({ ...event, operationId: 'hasty' })).toMatchObject({ ok: true });
    const result = await checkStamps(world.reader, world.clock.now);
    expect(result.status).toBe('failed');
    expect(result.message).toMatch(/is from the future .*whatever ran operation hasty/);
    world.clock.advance(1_500);
    expect((await checkStamps(world.reader, world.clock.now)).status).toBe('ok');
  },
);

test('who must not read the audit log is told so; any other fault is one', async () => {
  const world = await createLightLedgerWorld();
  const failing = (cause: unknown) => ({
    ...world.reader,
    listMerged: async () => {
      throw new GatehouseError('internal', 'Query failed', { cause });
    },
  });
  const denied = Object.assign(new Error('no'), { name: 'AccessDeniedException' });
  expect((await checkStamps(failing(denied), world.clock.now)).status).toBe('not_checked');
  await expect(checkStamps(failing(new Error('other')), world.clock.now)).rejects.toThrow('Query failed');
});

const clientThat = (answer: () => object) =>
  ({ client: { send: async () => answer() } }) as unknown as Parameters<typeof checkPolicy>[0];
const thrower = (name: string) => () => {
  throw Object.assign(new Error(name), { name });
};

test.each([
  ['has a policy of its own', () => ({ Policy: '{}' }), ['warning']],
  ['has none', thrower('PolicyNotFoundException'), []],
  ['is of an engine without policies', thrower('UnknownOperationException'), []],
  ['may not be asked', thrower('AccessDeniedException'), ['not_checked']],
])('a table that %s', async (_, answer, expected) => {
  const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/gatehouse';
  const results = [await checkPolicy(clientThat(answer), arn)].flat();
  expect(results.map(({ status }) => status)).toEqual(expected);
});

const tableIn = (region: string, ...replicas: readonly string[]): TableDescription => ({
  TableArn: `arn:aws:dynamodb:${region}:123456789012:table/gatehouse`,
  Replicas: replicas.map((RegionName) => ({ RegionName })),
});

test.each<[string, TableDescription, string | undefined, readonly string[]]>([
  ['one region', tableIn('eu-central-1'), undefined, []],
  ['one region that is named', tableIn('eu-central-1'), 'eu-central-1', []],
  ['an engine without regions', {}, 'eu-central-1', []],
  ['a standby, and the region named', tableIn('eu-central-1', 'eu-west-1'), 'eu-central-1', ['ok']],
  ['a standby, and no region named', tableIn('eu-central-1', 'eu-west-1'), undefined, ['warning']],
  ['the standby itself', tableIn('eu-west-1', 'eu-central-1'), 'eu-central-1', ['failed']],
  [
    'a table without transactions',
    { ...tableIn('eu-central-1', 'eu-west-1'), MultiRegionConsistency: 'STRONG' },
    'eu-central-1',
    ['failed'],
  ],
])('regions: %s', (_, table, region, expected) => {
  expect([checkRegions(table, region)].flat().map(({ status }) => status)).toEqual(expected);
});

test('what is said of API Gateway, and compared with nothing', () => {
  const cache = { ttl: 300, key: new Set([]) } as never;
  expect(unattested({ resultCaches: new Map([['default', cache]]) })).toMatchObject({
    status: 'not_checked',
    message: expect.stringContaining('--authorizers'),
  });
  expect(unattested({ resultCaches: new Map() })).toEqual([]);
});
