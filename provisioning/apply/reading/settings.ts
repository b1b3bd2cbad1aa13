import { inTurns } from '../../in-turns.ts';
import { VALUE_TYPES, type ValueType } from '../../nodes/settings.ts';
import type { Places } from './places.ts';
import { edgeEntry, type Reading } from './reading.ts';

const section = 'settings';

/** Settings of scopes and users, and the others of the same owners. */
export async function readSettings(reading: Reading, { existing }: Places): Promise<void> {
  const { manifest, declared, queries, addDesired, addCurrent, meant, found } = reading;
  if (!declared.has(section)) return;
  for (const [position, of] of manifest.settings.entries()) {
    const { value, valueType = typeOfValue(value), key, description, overridable } = of;
    const owner = of.scope === undefined ? meant('users', of.user) : meant('scopes', of.scope);
    addDesired({
      ...edgeEntry(reading, 'setting', { scope: owner, key }, section),
      values: {
        value: typeof value === 'string' ? value : JSON.stringify(value),
        valueType,
        isOverridable: overridable,
        description,
      },
      path: [section, position],
    });
  }
  const owners = new Set([
    ...existing.map(({ ref }) => ref),
    ...manifest.settings.flatMap(({ user }) => {
      const resource = user === undefined ? undefined : found.users.get(user);
      return resource?.row ? [resource.ref] : [];
    }),
  ]);
  await inTurns([...owners], async (scope) => {
    for (const row of await queries.list('setting.list', { scope }))
      addCurrent({ ...edgeEntry(reading, 'setting', { scope, key: row.key }, section), values: row });
  });
}

const typeOfValue = (value: unknown): ValueType =>
  VALUE_TYPES.find((type) => type === typeof value) ?? 'json';
