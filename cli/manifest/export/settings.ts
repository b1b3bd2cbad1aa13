import type { Row } from '../../../provisioning/apply/entry.ts';
import { inTurns } from '../../../provisioning/in-turns.ts';
import { type Exporting, kept, unless } from './exporting.ts';
import type { Names } from './names.ts';
import type { Places } from './scopes.ts';

/** The section `settings`: those of places and of users. */
export async function settingsSection(
  { queries }: Exporting,
  { refs, names }: Places,
  userNames: Names,
): Promise<readonly Row[]> {
  const owners = [...refs, ...userNames.refs().filter((ref) => ref.startsWith('user:'))];
  const lists = await inTurns(owners, (scope) => queries.list('setting.list', { scope }));
  return lists.flat().map((row) => {
    const scope = names.of(row.scope);
    return kept({
      ...(scope === undefined ? { user: userNames.of(row.scope) } : { scope }),
      key: row.key,
      value: row.value,
      valueType: unless(row.valueType, 'string'),
      overridable: unless(row.isOverridable, true),
      description: row.description,
    });
  });
}
