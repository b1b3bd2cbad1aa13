import { PLAIN_ENTITIES, type PlainSection } from '../../table/entities/registry.ts';
import { readSubject } from '../../table/identifiers.ts';
import { type PEOPLE, SECTIONS, type Section, wordsOf } from './schema.ts';

/**
 * The sections of a manifest as the commands know them: what they list them by, and what each word is to them. Reading
 * for a plan, export and parts follow this table; what their entries may hold is said by the schemas (schema.ts).
 */
export interface SectionOf {
  /** As in the names of commands; `scope` stands for all types of scopes. */
  readonly kind: string;
  /** The field that its list is asked by; left out where one list has all of them. */
  readonly by?: string;
  /** Only roots have such entries. */
  readonly isOfRoots?: true;
  /** In the order in which an export writes them. */
  readonly words: Readonly<Record<string, Word>>;
}

/** A word of a manifest. */
export interface Word {
  /** What commands call it, where they call it otherwise. */
  readonly field?: string;
  /** The section that it names an entry of. */
  readonly to?: Section;
  /** What it is where a manifest leaves it out of a new entry. */
  readonly usual?: unknown;
  /**
   * - `id`: it names the entry in the table.
   * - `name`: left out, it is the key of the entry.
   * - `fixed`: given at the creation, and not changed later.
   * - `apart`: it is no field of the entry's own commands, or the section reads it in a way of its own.
   */
  readonly is?: 'id' | 'name' | 'fixed' | 'apart';
  /** Where a manifest leaves it out, the entry has none. */
  readonly clears?: true;
  /** A list whose order says nothing: an export has it sorted. */
  readonly isSet?: true;
}

type Words = SectionOf['words'];

/** A section, without those words of its schema that mean to commands what they say: these come before the `last` ones. */
interface Said extends Pick<SectionOf, 'kind' | 'by' | 'isOfRoots'> {
  readonly words?: Words;
  readonly last?: Words;
}

const NO_FIELD: Word = { is: 'apart' };
const ID: Words = { id: { is: 'id' } };
const NAME: Words = { name: { is: 'name' } };
const STATUS: Words = { status: { usual: 'active' } };
const UNTIL: Words = { until: { field: 'endsAt' } };
const PERIOD: Words = {
  from: { field: 'startDate', clears: true },
  until: { field: 'endDate', clears: true },
};
const HOME: Words = { tenant: { to: 'scopes' } };
/** What people have, by its words: edges, with what they are listed by and what names one of them. */
export const ACCESS_OF = {
  admin: { kind: 'admin', by: '', names: ['user'] },
  groups: { kind: 'membership', by: 'group', names: ['user', 'group'] },
  assignments: { kind: 'assignment', by: 'scope', names: ['user', 'scope', 'role'] },
  grants: { kind: 'grant', by: 'scope', names: ['user', 'scope'] },
  globalRoles: { kind: 'global-role', by: 'role', names: ['user', 'role'] },
} as const;
const ACCESS: Words = {
  admin: NO_FIELD,
  groups: { to: 'groups', is: 'apart', isSet: true },
  assignments: { is: 'apart', isSet: true },
  grants: NO_FIELD,
  globalRoles: { to: 'roles', is: 'apart', isSet: true },
};

/** The section of a subject, as edges name it. */
export function sectionOf(user: unknown): (typeof PEOPLE)[number] {
  const { type } = readSubject(String(user), 'user');
  return type === 'user' ? 'users' : type === 'technical-user' ? 'technicalUsers' : 'subjects';
}

/** The section of a plain kind: what it hangs on is fixed, its unique value is the key of an entry. */
const plainSections = Object.fromEntries(
  PLAIN_ENTITIES.flatMap(
    ({ type, section, attributes, hangsOn: [by = ''] = [], guards: [unique], defaults = {} }) => {
      const word = (field: string): Word =>
        field === by
          ? { to: 'scopes', is: 'fixed' }
          : field === unique?.field
            ? { is: 'name' }
            : { usual: defaults[field] };
      const words = Object.keys(attributes.shape).map((field) => [field, word(field)]);
      return section === undefined
        ? []
        : [[section, { kind: type, by, words: { ...ID, ...Object.fromEntries(words) } }]];
    },
  ),
) as Record<PlainSection, Said>;

const SAID: Readonly<Record<Section, Said>> = {
  scopeTypes: {
    kind: 'scope-type',
    words: { root: { usual: false }, parents: { isSet: true }, children: { isSet: true } },
  },
  subjectTypes: { kind: 'subject-type' },
  modules: { kind: 'module', words: { sold: { field: 'soldBySubscription', usual: false } } },
  pages: { kind: 'page', words: { module: { to: 'modules' } } },
  permissions: { kind: 'permission', words: { dangerous: { field: 'isDangerous', usual: false } } },
  properties: {
    kind: 'property',
    words: {
      of: { is: 'id' },
      name: { is: 'id' },
      type: { is: 'fixed' },
      source: { is: 'fixed' },
    },
  },
  resourceTypes: { kind: 'resource-type' },
  scopes: {
    kind: 'scope',
    words: {
      ...ID,
      type: { field: 'scopeType', is: 'id' },
      ...NAME,
      parent: { to: 'scopes', is: 'fixed' },
      ...STATUS,
      combination: { usual: 'allow-overrides' },
      enterprise: { to: 'scopes' },
      kind: { field: 'type' },
    },
  },
  roles: {
    kind: 'role',
    words: {
      ...ID,
      ...NAME,
      existing: NO_FIELD,
      global: NO_FIELD,
      owner: { field: 'scope', to: 'scopes', is: 'apart' },
      parent: { to: 'roles' },
      template: NO_FIELD,
    },
    last: { allow: { is: 'apart', isSet: true }, deny: { is: 'apart', isSet: true } },
  },
  groups: {
    kind: 'group',
    by: 'scope',
    words: {
      ...ID,
      ...NAME,
      scope: { to: 'scopes', is: 'fixed' },
      everyone: { is: 'fixed' },
      allowOnly: {},
      roles: { to: 'roles', is: 'apart', isSet: true },
    },
  },
  users: {
    kind: 'user',
    words: { existing: NO_FIELD, ...ID, ...HOME, ...STATUS, ...UNTIL },
    last: ACCESS,
  },
  technicalUsers: {
    kind: 'technical-user',
    by: 'account',
    words: {
      ...ID,
      ...NAME,
      account: { to: 'scopes', is: 'fixed' },
      description: {},
      properties: {},
      ...STATUS,
      ...UNTIL,
      ...ACCESS,
    },
  },
  subjects: {
    kind: 'subject',
    words: { type: { is: 'id' }, ...ID, ...HOME, name: {}, ...STATUS, ...UNTIL },
    last: ACCESS,
  },
  subscriptions: {
    kind: 'subscription',
    by: 'scope',
    words: {
      ...ID,
      scope: { to: 'scopes', is: 'fixed' },
      module: { to: 'modules', is: 'fixed' },
      ...STATUS,
      ...PERIOD,
      tier: {},
      autoRenew: { usual: false },
    },
  },
  licenses: {
    kind: 'license',
    by: 'account',
    words: {
      ...ID,
      account: { to: 'scopes', is: 'fixed' },
      enterprise: { to: 'scopes', is: 'fixed' },
      name: {},
      ...STATUS,
      ...PERIOD,
    },
  },
  externalGroups: {
    kind: 'external-group',
    by: 'scope',
    isOfRoots: true,
    words: {
      ...ID,
      scope: { to: 'scopes', is: 'fixed' },
      issuer: { is: 'fixed' },
      externalId: { is: 'fixed' },
      group: { to: 'groups', is: 'fixed' },
    },
  },
  invariants: {
    kind: 'invariant',
    by: 'scope',
    isOfRoots: true,
    words: {
      ...ID,
      scope: { to: 'scopes', is: 'fixed' },
      name: {},
      separate: { clears: true, isSet: true },
      within: { clears: true },
      never: { clears: true },
      except: NO_FIELD,
    },
  },
  ...plainSections,
  settings: {
    kind: 'setting',
    by: 'scope',
    words: {
      scope: { to: 'scopes', is: 'id' },
      user: { to: 'users', is: 'id' },
      key: { is: 'id' },
      value: NO_FIELD,
      valueType: { usual: 'string', is: 'apart' },
      overridable: { field: 'isOverridable', usual: true },
    },
  },
  routes: { kind: 'route', by: 'api' },
};

export const SECTION_OF = Object.fromEntries(
  SECTIONS.map((section): [Section, SectionOf] => {
    const { words = {}, last = {}, ...said } = SAID[section];
    const others = wordsOf(section).filter((word) => !(word in words || word in last));
    const all = { ...words, ...Object.fromEntries(others.map((word) => [word, {}])), ...last };
    return [section, { ...said, words: all }];
  }),
) as Readonly<Record<Section, SectionOf>>;

/** Of scopes, by reference, those that may have entries of a section: roots, those of one type, or all. */
export function ownersOf(
  section: Section,
  refs: readonly string[],
  roots: readonly string[],
): readonly string[] {
  const { by, isOfRoots } = SECTION_OF[section];
  if (isOfRoots) return roots;
  return by === 'scope' ? refs : refs.filter((ref) => ref.startsWith(`${by}:`));
}

/** The field whose value an entry is called by in a manifest. */
export function nameFieldOf(section: Section): string {
  const named = Object.entries(SECTION_OF[section].words).find(([, { is }]) => is === 'name');
  return named?.[0] ?? 'name';
}

/** Whether a word of a section, if there is such a one, is a list whose order says nothing. */
export const isSet = (section: string, word: string): boolean =>
  Object.hasOwn(SECTION_OF, section) && SECTION_OF[section as Section].words[word]?.isSet === true;
