import { expect, test } from 'vitest';
import { applyOn, createMemoryWorld, exportOn, planOn, worldOf } from './support.ts';

/** Scopes and subjects of added types in manifests: their commands name them by reference (ADR 0039). */
const manifest = (ward: string, sensor: string, more = '') => `
scopeTypes: { ward: { parents: [tenant] } }
subjectTypes: [sensor]
scopes:
  North: { type: tenant, id: north }
  West: { type: ward, id: west, parent: North${ward} }
subjects:
  Door: { type: sensor, id: door, tenant: North${sensor} }
${more}`;

test('they are made, changed and removed, and what names them is no change', async () => {
  const world = await worldOf(manifest('', '', '  Bed: { type: sensor, id: bed, tenant: North }'));
  const changed = manifest(', status: suspended', ', status: disabled');
  const steps = await applyOn(world, changed);
  expect(steps.map(({ command, input, details }) => ({ command, input, details }))).toEqual([
    {
      command: 'scope.update',
      input: { scope: 'ward:west', status: 'suspended' },
      details: ['status active > suspended'],
    },
    {
      command: 'subject.update',
      input: { user: 'sensor:door', status: 'disabled' },
      details: ['status active > disabled'],
    },
    { command: 'subject.delete', input: { user: 'sensor:bed' }, details: [] },
  ]);
  expect((await planOn(world, changed)).steps).toEqual([]);
  expect(await world.run('scope.read', { scope: 'ward:west' })).toMatchObject({ status: 'suspended' });
  expect(await world.run('subject.read', { user: 'sensor:door' })).toMatchObject({ status: 'disabled' });
});

test('an agent needs no type that somebody added, and says whether it needs a mandate', async () => {
  const world = createMemoryWorld();
  const agents = (bot: string, subjectTypes = '') => `
${subjectTypes}
scopes: { North: { type: tenant, id: north } }
subjects: { Bot: { type: agent, id: bot, tenant: North${bot} } }`;
  await applyOn(world, agents(', mandateOptional: true'));
  const exported = await exportOn(world);
  expect(exported).toMatchObject({ subjects: { Bot: { type: 'agent', mandateOptional: true } } });
  expect(exported).not.toHaveProperty('subjectTypes');
  const [step] = await applyOn(world, agents(', mandateOptional: null'));
  expect(step).toMatchObject({
    command: 'subject.update',
    input: { user: 'agent:bot', mandateOptional: null },
  });
  // A table that had added the type itself keeps it.
  await applyOn(world, agents('', 'subjectTypes: [agent]'));
  expect(await world.run('subject-type.read', { name: 'agent' })).toMatchObject({ name: 'agent' });
});
