import engineEntry = require('gatehouse-authz/engine');
import provisioningEntry = require('gatehouse-authz/provisioning');
import memoryEntry = require('gatehouse-authz/table/memory');

const { reader, writer } = memoryEntry.createMemoryTable();
const clock: engineEntry.Clock = engineEntry.systemClock;
let ids = 0;
const newId = (): string => `01J8Z0E2Z8D2A3J7A7Y2H${String(++ids).padStart(5, '0')}`;
const provision = provisioningEntry.createProvisioning({
  ...{ reader, writer, clock, newId },
  newSecret: () => 'A'.repeat(43),
});
const engine: engineEntry.Engine = engineEntry.createEngine({ reader, clock, random: () => 0 });

async function main(): Promise<void> {
  const scope = 'location:north';
  const commands: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['page.create', { name: 'grades' }],
    ['location.create', { id: 'north', name: 'North School', code: 'north' }],
    ['role.create', { id: 'teacher', name: 'teacher', scope }],
    ['role-permission.create', { role: 'teacher', permission: 'grades', effect: 'ALLOW' }],
    ['user.create', { id: 'ann' }],
    ['user.create', { id: 'ben' }],
    ['assignment.create', { user: 'ann', role: 'teacher', scope }],
  ];
  for (const [command, input] of commands) {
    const answer = await provision({ command, input });
    if (!answer.ok) throw new Error(answer.error.message);
  }
  for (const user of ['ann', 'ben']) {
    const { allowed } = await engine.check(`user:${user}`, 'grades', scope);
    console.log(user, allowed ? 200 : 403);
  }
}
void main();
