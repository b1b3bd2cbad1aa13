import { appendFileSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guardKey, nodeKey } from '../../table/keys.ts';
import { compile, folderInCheckout } from '../support/checkout-folder.ts';
import { createClock } from '../support/world.ts';
import { blocksOf, ROOT } from './documents.ts';

/**
 * The worked example of CONTRIBUTING.md: its file and its line are typed into a copy of the sources, and nothing else. All
 * that a kind of node has is there.
 */
const folder = folderInCheckout('kind');

const samples = blocksOf('CONTRIBUTING.md').filter(({ language }) => language === 'ts');
const [file, line] = samples.map(({ text }) => text);
for (const name of ['table', 'engine', 'provisioning'])
  cpSync(join(ROOT, name), join(folder, name), { recursive: true });
writeFileSync(join(folder, 'table/entities/plain/contract.ts'), String(file));
appendFileSync(join(folder, 'table/entities/plain/index.ts'), `${line}\n`);

const sources = {
  ...((await import(join(folder, 'provisioning/index.ts'))) as typeof import('../../provisioning/index.ts')),
  ...((await import(
    join(folder, 'provisioning/verify/index.ts')
  )) as typeof import('../../provisioning/verify/index.ts')),
  ...((await import(join(folder, 'table/memory/index.ts'))) as typeof import('../../table/memory/index.ts')),
};

/** A table with commands on it. */
function furnish() {
  const { createProvisioning, createMemoryTable, exportManifest, queriesBy } = sources;
  const table = createMemoryTable();
  const clock = createClock();
  let ids = 0;
  const newId = () => `id-${++ids}`;
  const provision = createProvisioning({ ...table, clock, newId, newSecret: () => 'A'.repeat(43) });
  const run = async (command: string, input: Readonly<Record<string, unknown>>) => {
    const answer = await provision({ command, input });
    if (!answer.ok) throw new Error(`${command}: ${answer.error.message}`);
    return answer.result as Readonly<Record<string, unknown>>;
  };
  return {
    ...table,
    clock,
    newId,
    provision,
    run,
    exported: (ids: boolean) => exportManifest(queriesBy(run), { roots: ['client:acme'], apis: [], ids }),
  };
}

async function withContract() {
  const world = furnish();
  await world.run('client.create', { id: 'acme', name: 'Acme' });
  const input = { id: 'c-1', client: 'client:acme', number: 'c-2026-1', title: 'Maintenance' };
  return { ...world, input, made: await world.run('contract.create', input) };
}

test('the sources with it compile', () => {
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      include: [],
      files: ['provisioning/index.ts', 'provisioning/documents/commands-page.ts'],
    }),
  );
  expect(compile(folder)).toBe('');
});

test('it is created, found by its number and its names, listed, changed and deleted; its number is unique', async () => {
  const { run, provision, made, input } = await withContract();
  expect(made).toMatchObject({ ...input, number: 'C-2026-1' });
  expect(await run('contract.read', { number: 'C-2026-1' })).toEqual(made);
  for (const by of [{ client: 'client:acme' }, {}])
    expect(await run('contract.list', by)).toEqual({ items: [made] });
  for (const name of ['maintenance', 'C-2026-1'])
    expect(await run('name.find', { name, kind: 'contract' })).toMatchObject({
      candidates: [{ ref: 'contract:c-1', name: 'Maintenance' }],
    });
  expect(await provision({ command: 'contract.create', input: { ...input, id: 'c-2' } })).toMatchObject({
    error: { code: 'conflict', field: 'number' },
  });
  expect(
    await provision({ command: 'contract.create', input: { ...input, id: 'c-2', client: 'client:no' } }),
  ).toMatchObject({ error: { code: 'not_found', field: 'client' } });
  expect(await provision({ command: 'scope-type.create', input: { name: 'contract' } })).toMatchObject({
    error: { code: 'invalid', field: 'name' },
  });
  await run('contract.update', { id: 'c-1', number: 'C-2', title: 'Repairs' });
  await run('contract.create', { ...input, id: 'c-2' });
  await run('contract.delete', { id: 'c-1' });
  expect(await run('contract.list', {})).toMatchObject({ items: [{ id: 'c-2', title: 'Maintenance' }] });
});

test.each([true, false])('it is exported, and applied to an empty table; with ids: %s', async (ids) => {
  const { exported, run } = await withContract();
  await run('contract.update', { id: 'c-1', endsAt: '2027-01-01' });
  const { manifest } = await exported(ids);
  const id = ids ? { id: 'c-1' } : {};
  expect(manifest.contracts).toEqual({
    'C-2026-1': { ...id, client: 'Acme', title: 'Maintenance', endsAt: '2027-01-02T00:00:00.000Z' },
  });
  const empty = furnish();
  await empty.run('tenant.apply', { manifest });
  const { items } = (await empty.run('contract.list', {})) as { items: readonly Record<string, unknown>[] };
  expect(items).toMatchObject([{ ...id, number: 'C-2026-1', title: 'Maintenance' }]);
  expect(await empty.run('tenant.plan', { manifest })).toMatchObject({ changes: [], problems: [] });
});

test('its number and its place in a list are verified, and repaired', async () => {
  const { reader, writer, clock, newId, run } = await withContract();
  const [guard, node] = [guardKey('CONTRACT_CODE', 'C-2026-1'), nodeKey({ type: 'contract', id: 'c-1' })];
  await writer.send([
    { kind: 'delete', key: guard },
    { kind: 'update', key: node, set: { GSI2PK: 'lost' } },
  ]);
  const { open, repaired } = await sources.verify({ reader, clock, graceMs: 0, repair: { writer, newId } });
  expect(repaired).toMatchObject([
    { code: 'guard_missing', key: guard },
    { code: 'index', key: node, attribute: 'GSI2PK' },
  ]);
  expect(open).toEqual([]);
  expect(await run('contract.list', { client: 'client:acme' })).toMatchObject({ items: [{ id: 'c-1' }] });
});

test('what is done with it is in the audit log of its tenant', async () => {
  const { run } = await withContract();
  await run('contract.delete', { id: 'c-1' });
  const { items } = (await run('audit.list', { tenant: 'client:acme' })) as { items: readonly unknown[] };
  const entity = { entityType: 'contract', entityId: 'c-1' };
  expect(items.slice(1)).toMatchObject([
    { action: 'contract.create', ...entity, after: { number: 'C-2026-1' } },
    { action: 'contract.delete', ...entity, before: { number: 'C-2026-1' } },
  ]);
});
