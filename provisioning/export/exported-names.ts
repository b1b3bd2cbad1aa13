import type { Row } from '../apply/entry.ts';
import { PLAIN_SECTIONS, type Section } from '../apply/schema.ts';
import { nameFieldOf } from '../apply/sections.ts';
import type { Gathered } from './gather.ts';

/** The names of resources in a manifest: each once, the first as it is. */
interface Names {
  /** Names a resource: as wanted, or with what it is within where that name is taken. */
  readonly give: (key: string, wanted: string, within?: string) => void;
  readonly of: (key: unknown) => string | undefined;
}

/** Of the sections whose entries others name by a name that a manifest chooses. */
export interface NamesBySection extends Partial<Record<Section, Names>> {
  readonly scopes: Names;
  readonly roles: Names;
  readonly groups: Names;
}

/** Names for all that was gathered; none for technical users of accounts that were not. */
export function namesOf({ rows }: Gathered): NamesBySection {
  const [scopes, roles, groups, people] = [createNames(), createNames(), createNames(), createNames()];
  for (const [ref, { name, parent }] of rows.scopes) scopes.give(ref, String(name), scopes.of(parent));
  for (const [id, { name, scope }] of rows.roles) roles.give(id, String(name), scopes.of(scope));
  for (const [id, { name, scope }] of rows.groups) groups.give(id, String(name), scopes.of(scope));
  // A name is for one subject, of whatever type.
  for (const [id, row] of rows.users) people.give(id, userName(id, row));
  for (const [ref, { name, account }] of rows.technicalUsers) {
    const within = scopes.of(account);
    if (within !== undefined) people.give(ref, String(name), within);
  }
  for (const [ref, { name, id }] of rows.subjects) people.give(ref, String(name ?? id));
  const plain = PLAIN_SECTIONS.map((section) => {
    const names = createNames();
    for (const [id, row] of rows[section]) names.give(id, String(row[nameFieldOf(section)]));
    return [section, names];
  });
  return {
    ...Object.fromEntries(plain),
    scopes,
    roles,
    groups,
    users: people,
    technicalUsers: people,
    subjects: people,
  };
}

/** A key with an @ is read as the email, unless it is said that there is none. */
function userName(id: string, { displayName, username, email }: Row): string {
  const shown = String(displayName ?? username ?? email ?? id);
  const isName = shown === email ? !shown.includes('#') : !/[#@]/.test(shown);
  return shown.length <= 128 && isName ? shown : id;
}

function createNames(): Names {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  return {
    give: (key, wanted, within) => {
      const clean = wanted === '__proto__' ? 'proto' : wanted;
      const tries = [clean, ...(within === undefined ? [] : [`${clean} at ${within}`])];
      let name = tries.find((each) => !taken.has(each) && each.length <= 128);
      for (let number = 2; name === undefined; number++) {
        const next = `${clean.slice(0, 120)} (${number})`;
        if (!taken.has(next)) name = next;
      }
      taken.add(name);
      names.set(key, name);
    },
    of: (key) => names.get(String(key)),
  };
}
