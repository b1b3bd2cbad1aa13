import { inTurns } from '../look.ts';
import type { Places } from './scopes.ts';
import { type Surveying, type Things, tie } from './surveying.ts';

/** Settings of places and users, and the others of the same owners. */
export async function surveySettings(surveying: Surveying, places: Places, users: Things): Promise<void> {
  const { manifest, declared, look, want, have } = surveying;
  if (!declared.has('settings')) return;
  for (const [position, of] of manifest.settings.entries()) {
    const { value, valueType, key, description, overridable } = of;
    const owner = of.scope === undefined ? users.get(String(of.user))?.ref : places.refOf(of.scope);
    want({
      ...tie(surveying, 'setting', { scope: owner, key }, 'settings'),
      values: {
        value: typeof value === 'string' ? value : JSON.stringify(value),
        ...{ valueType: valueType ?? typeOfValue(value), isOverridable: overridable, description },
      },
      path: ['settings', position],
    });
  }
  const owners = new Set([
    ...places.existing.map(({ ref }) => ref),
    ...manifest.settings.flatMap(({ user }) => {
      const thing = user === undefined ? undefined : users.get(user);
      return thing?.row ? [thing.ref] : [];
    }),
  ]);
  await inTurns([...owners], async (scope) => {
    for (const row of await look.list('setting.list', { scope }))
      have({ ...tie(surveying, 'setting', { scope, key: row.key }, 'settings'), values: row });
  });
}

const typeOfValue = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
    ? typeof value
    : 'json';
