import { createEngine, type Engine } from 'gatehouse-authz/engine';
import { createProvisioning } from 'gatehouse-authz/provisioning';
import { createMemoryTable } from 'gatehouse-authz/table/memory';

export interface World {
  readonly engine: Engine;
  /** A location where `ann` may see the grades and `ben` may not. */
  readonly location: string;
}

/** What a service decides with, on a table in memory. */
export async function createWorld(): Promise<World> {
  const { reader, writer } = createMemoryTable();
  const clock = { now: Date.now };
  let ids = 0;
  const newId = (): string => {
    ids += 1;
    return `01J8Z0E2Z8D2A3J7A7Y2H${String(ids).padStart(5, '0')}`;
  };
  const provision = createProvisioning({ reader, writer, clock, newId, newSecret: () => 'A'.repeat(43) });
  const run = async (command: string, input: Readonly<Record<string, unknown>>): Promise<void> => {
    const answer = await provision({ command, input });
    if (!answer.ok) throw new Error(`${command}: ${answer.error.code} ${answer.error.message}`);
  };
  const scope = 'location:north';
  await run('page.create', { name: 'grades' });
  await run('location.create', { id: 'north', name: 'North School', code: 'north' });
  await run('role.create', { id: 'teacher', name: 'teacher', scope });
  await run('role-permission.create', { role: 'teacher', permission: 'grades', effect: 'ALLOW' });
  for (const id of ['ann', 'ben']) await run('user.create', { id });
  await run('assignment.create', { user: 'ann', role: 'teacher', scope });
  return { engine: createEngine({ reader, clock, random: () => 0 }), location: scope };
}
