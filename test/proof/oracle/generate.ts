import type { TokenGroups } from '../../../engine/index.ts';
import {
  askedByActor,
  changeMandateOptional,
  createMandate,
  endMandate,
  endMandatesOf,
  type MandateName,
  nameMandates,
} from './acting.ts';
import * as conditions from './conditions.ts';
import type { Model, Question } from './model.ts';
import type { Operation, Validity } from './operations.ts';
import * as does from './operations.ts';
import type { Random } from './random.ts';

/** A random world: the operations that furnish it, and the names that questions and changes may use. */
export interface Furnished {
  readonly names: Names;
  readonly operations: readonly Operation[];
}

interface Place {
  readonly ref: string;
  readonly parent: string | undefined;
  readonly root: string;
}

export interface Names {
  readonly subjects: readonly string[];
  readonly places: readonly Place[];
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly subscriptions: readonly string[];
  readonly licences: readonly string[];
  readonly mandates: readonly MandateName[];
  /** Whether effects carry conditions, and subjects and scopes properties. */
  readonly withConditions: boolean;
  /** The group and the role that are allow-only, where they stand, and what tokens may call the group. */
  readonly named: {
    readonly root: string;
    readonly places: readonly string[];
    readonly group: string;
    readonly role: string;
    readonly names: readonly (readonly [id: string, name: string])[];
  };
}

/** Who issues tokens that name groups. */
export const ISSUER = 'https://issuer.example';
export const START = Date.parse('2026-01-15T12:00:00.000Z');
const HOUR = 3_600_000;
/** Validities begin and end on these; questions are asked on them and a millisecond before. */
const INSTANTS = [1, 2, 3, 4, 5].map((hour) => START + hour * HOUR);

const MODULES = ['alarms', 'reports'];
export const PERMISSIONS = ['dashboard', 'menu', 'alarms:read:door', 'alarms:stop:door', 'reports:read:door'];
const UNREGISTERED = ['ghost', 'alarms:read:ghost', 'no such permission', 'a:b'];
const TARGETS = [
  ...PERMISSIONS,
  ...PERMISSIONS,
  ...['*:*:*', 'alarms:*:*', 'alarms:read:*', 'alarms:*:door', 'reports:*:door', 'reports:stop:*'],
];
const ADDED = 'campus';

/** Ids of the forms that identity providers and applications give, with every separator that an id may hold. */
const FORMS: readonly ((kind: string, number: string) => string)[] = [
  (kind, number) => `01J8Z0E2Z8D2A3J7A7Y2H9${kind}${number}`,
  (kind, number) => `auth0|${kind}${number}`,
  (kind, number) => `${kind}.${number}@example.org`,
  (kind, number) => `${kind.charCodeAt(0)}${number}`,
  (kind, number) => `_${kind}~${number}|=+-`,
];
const id = (kind: string, number: number): string =>
  (FORMS[number % FORMS.length] as (typeof FORMS)[number])(kind, String(number).padStart(3, '0'));
/** A role that allows everything, where none denies it. */
const MOST = id('R', 7);
const UNKNOWN_SUBJECTS = [
  `user:${id('Z', 1)}`,
  `technical-user:${id('Z', 2)}`,
  'nobody',
  `group:${id('G', 0)}`,
];
const UNKNOWN_SCOPES = [`location:${id('Z', 3)}`, `zone:${id('Z', 4)}`, 'nowhere', `user:${id('A', 0)}`];

/** What may stand under what: the types that come with the table, and one that is added. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  tenant: ['location'],
  client: ['project'],
  project: ['building', 'building', ADDED],
  building: ['zone', 'device'],
  zone: ['zone', 'device'],
  account: ['workstream'],
  workstream: [ADDED],
  [ADDED]: ['location'],
};
const ROOTS = ['tenant', 'client', 'account', 'enterprise', 'enterprise', 'location', ADDED];

const CLOSED: Readonly<Record<string, readonly string[]>> = {
  project: ['completed', 'on-hold'],
  building: ['inactive'],
  zone: ['inactive'],
  device: ['inactive'],
  workstream: ['inactive'],
};
const typeOf = (ref: string): string => ref.slice(0, ref.indexOf(':'));
const closedStatus = (random: Random, ref: string): string =>
  random.pick(CLOSED[typeOf(ref)] ?? ['suspended']);

const validity = (random: Random): Validity => {
  const [from, until] = [random.pick(INSTANTS), random.pick(INSTANTS)];
  return {
    from: random.oneIn(2) ? null : Math.min(from, until),
    until: random.oneIn(2) ? null : Math.max(from, until),
  };
};

/** Grows a forest of places: each root, and what chance puts below it. */
function growPlaces(random: Random): readonly Place[] {
  const places: Place[] = [];
  const add = (type: string, parent?: Place): Place => {
    const ref = `${type}:${id('P', places.length)}`;
    const place = { ref, parent: parent?.ref, root: parent?.root ?? ref };
    places.push(place);
    return place;
  };
  const grow = (place: Place, depth: number): void => {
    const types = BELOW[typeOf(place.ref)] ?? [];
    for (let count = types.length === 0 ? 0 : random.between(1, 2); count > 0; count--) {
      const type = random.pick(types);
      const child = add(type, place);
      if (depth < 5 && !(type === 'zone' && random.oneIn(2))) grow(child, depth + 1);
    }
  };
  const roots = ROOTS.map((type) => add(type));
  for (const root of roots) grow(root, 1);
  return places;
}

/** The operations that furnish a world, in an order in which they can be carried out. */
export function furnish(random: Random, withConditions = false): Furnished {
  const places = growPlaces(random);
  const refsOf = (type: string) => places.filter(({ ref }) => typeOf(ref) === type).map(({ ref }) => ref);
  const [account = ''] = refsOf('account');
  const users = [0, 1, 2, 3, 4, 5].map((n) => `user:${id('A', n)}`);
  const robots = [0, 1].map((n) => `technical-user:${id('A', 10 + n)}`);
  // Subjects of added types: one type is that of scopes too, and the ids may be those of scopes of that type.
  const added = [
    `identity:${id('A', 0)}`,
    `device:${random.pick([...refsOf('device'), `device:${id('A', 0)}`]).slice('device:'.length)}`,
  ];
  const agents = [0, 1, 2].map((n) => `agent:${id('B', n)}`);
  const subjects = [...users, ...robots, ...added, ...agents];
  const names: Names = {
    subjects,
    mandates: nameMandates(random, { subjects, places }, 30),
    places,
    groups: [0, 1, 2, 3, 4, 5].map((n) => id('G', n)),
    roles: [0, 1, 2, 3, 4, 5, 6].map((n) => id('R', n)),
    subscriptions: [0, 1, 2, 3, 4, 5].map((n) => id('S', n)),
    licences: [0, 1, 2, 3].map((n) => id('K', n)),
    withConditions,
    named: namedByTokens(places, 5, 6),
  };
  const operations: Operation[] = [
    does.createScopeType(ADDED, { root: true, parents: ['project', 'workstream'], children: ['location'] }),
    ...MODULES.map((name) => does.createModule(name, random.oneIn(3))),
    ...PERMISSIONS.map((name) => register(random, name)),
    ...places.map((place) => createPlace(random, names, place)),
    ...users.map((ref) => createSubject(random, names, ref, account)),
    ...robots.map((ref) => createSubject(random, names, ref, account)),
    ...['identity', 'device'].map(does.createSubjectType),
    ...(withConditions ? conditions.declarations(random, typesOf(names)) : []),
    ...added.map((ref) => createSubject(random, names, ref, account)),
    ...agents.map((ref) => createSubject(random, names, ref, account)),
    ...names.roles.map((role) => createRole(random, names, role)),
    ...names.groups.map((group) => createGroup(random, names, group)),
  ];
  const several = (count: number, make: () => Operation) => {
    for (let n = 0; n < count; n++) operations.push(make());
  };
  several(26, () => addEffect(random, names));
  several(14, () => does.giveGroupRole(random.pick(names.groups), random.pick(names.roles)));
  several(3, () => nameGroup(random, names));
  operations.push(does.giveGroupRole(names.named.group, names.named.role));
  several(24, () => does.join(random.pick(names.subjects), random.pick(names.groups)));
  several(16, () => assign(random, names));
  several(14, () => grant(random, names));
  several(random.below(3), () => does.giveGlobalRole(random.pick(names.subjects), random.pick(names.roles)));
  several(random.below(2), () => does.makeAdmin(random.pick(names.subjects)));
  several(4, () => subscribe(random, names));
  several(4, () => license(random, names));
  operations.push(
    // Both often hold something where they have a mandate.
    ...names.mandates
      .slice(0, 8)
      .flatMap(({ subject, actor, root }) =>
        [subject, actor].map((ref) => does.grant(ref, root, random.some(names.roles, 4))),
      ),
    // Who is allowed most, so that many a question gets as far as the mandate.
    does.createRole(MOST, 'global'),
    does.addEffect(MOST, '*:*:*', 'ALLOW'),
    ...[...users.slice(0, 3), ...agents.slice(0, 2)].map((ref) => does.giveGlobalRole(ref, MOST)),
    ...names.mandates.slice(0, 25).map((each) => createMandate(random, names, INSTANTS, each)),
  );
  several(4, () => endMandate(random.pick(names.mandates).id));
  return { names, operations };
}

const effect = (random: Random): string => (random.oneIn(2) ? 'DENY' : 'ALLOW');
const register = (random: Random, name: string): Operation =>
  does.register(name, !name.includes(':') && random.oneIn(3) ? random.pick(MODULES) : undefined);

/** The condition of an effect: of one in three, where there are any. */
const when = (random: Random, { withConditions }: Names): string | undefined =>
  withConditions && random.oneIn(3) ? conditions.condition(random) : undefined;
const addEffect = (random: Random, names: Names): Operation =>
  does.addEffect(random.pick(names.roles), random.pick(TARGETS), effect(random), when(random, names));

/** Types that properties may be declared of. */
function typesOf({ subjects, places }: Names): conditions.Types {
  const types = (refs: readonly string[]) => [...new Set(refs.map(typeOf))];
  return { subjects: types(subjects), scopes: types(places.map(({ ref }) => ref)) };
}

/** What is there when something is created; undefined for nothing. */
const properties = (random: Random, names: Names, category: 'subject' | 'resource') =>
  names.withConditions ? (conditions.storedProperties(random, category) ?? undefined) : undefined;

function createPlace(random: Random, names: Names, { ref, parent }: Place): Operation {
  const enterprises = placesOf(names, 'enterprise');
  return does.createScope(ref, {
    parent,
    status: random.oneIn(20) ? closedStatus(random, ref) : undefined,
    combination: parent === undefined && random.oneIn(3) ? 'deny-overrides' : undefined,
    enterprise: typeOf(ref) === 'workstream' ? random.pick(enterprises).ref : undefined,
    properties: properties(random, names, 'resource'),
  });
}

function createSubject(random: Random, names: Names, ref: string, account: string): Operation {
  const stored = properties(random, names, 'subject');
  if (typeOf(ref) === 'technical-user')
    return does.createTechnicalUser(ref, account, random.oneIn(12) ? 'inactive' : 'active', stored);
  const create = typeOf(ref) === 'user' ? does.createUser : does.createAddedSubject;
  return create(
    ref,
    random.oneIn(12) ? random.pick(['disabled', 'inactive']) : 'active',
    random.oneIn(6) ? random.pick(INSTANTS) : null,
    stored,
  );
}

/** Tokens may name the group with this number, which is allow-only as the role is, in the first tenant. */
function namedByTokens(places: readonly Place[], group: number, role: number): Names['named'] {
  const [first] = places.filter(({ ref }) => typeOf(ref) === 'tenant');
  const root = String(first?.ref);
  return {
    root,
    places: places.filter((each) => each.root === root).map(({ ref }) => ref),
    group: id('G', group),
    role: id('R', role),
    names: [
      [id('X', 0), 'staff'],
      [id('X', 1), 'guests'],
    ],
  };
}

const nameGroup = (random: Random, { named: { root, group, names } }: Names): Operation => {
  const [external, name] = random.pick(names);
  return does.nameGroup(external, root, ISSUER, name, group);
};

const createNamed = (random: Random, { named: { places, group } }: Names): Operation =>
  does.createAllowOnlyGroup(group, random.pick(places));

const createGroup = (random: Random, names: Names, group: string): Operation =>
  group === names.named.group
    ? createNamed(random, names)
    : does.createGroup(group, placeOfGrant(random, names), random.oneIn(5));

function createRole(random: Random, names: Names, role: string): Operation {
  if (role === names.named.role) return does.createAllowOnlyRole(role);
  const roots = names.places.filter(({ parent }) => parent === undefined);
  const scope = random.pick(['global', 'tenant', random.pick(roots).ref]);
  const earlier = names.roles.slice(0, names.roles.indexOf(role));
  return does.createRole(
    role,
    scope,
    earlier.length > 0 && random.oneIn(3) ? random.pick(earlier) : undefined,
  );
}

/** Where something is granted: roots and what is high up more often, so that it counts in many places. */
function placeOfGrant(random: Random, { places }: Names): string {
  const place = random.pick(places);
  return random.oneIn(2) ? place.ref : place.root;
}

const assign = (random: Random, names: Names): Operation =>
  does.assign(
    random.pick(names.subjects),
    placeOfGrant(random, names),
    random.pick(names.roles),
    validity(random),
  );

const grant = (random: Random, names: Names): Operation =>
  does.grant(random.pick(names.subjects), random.pick(names.places).root, random.some(names.roles, 3));

const subscribe = (random: Random, names: Names): Operation =>
  does.subscribe(
    random.pick(names.subscriptions),
    placeOfGrant(random, names),
    random.pick(MODULES),
    random.pick(['active', 'trial', 'active', 'expired']),
    validity(random),
  );

function license(random: Random, names: Names): Operation {
  const enterprises = names.places.filter(({ ref }) => typeOf(ref) === 'enterprise');
  const accounts = names.places.filter(({ ref }) => typeOf(ref) === 'account');
  return does.license(
    random.pick(names.licences),
    random.pick(accounts).ref,
    random.pick(enterprises).ref,
    random.pick(['active', 'active', 'expired']),
    validity(random),
  );
}

/**
 * A world that is small enough for much to happen to the same few things: one tree of each kind, two groups,
 * few roles.
 */
export function furnishSmall(random: Random, withConditions = false): Furnished {
  const ref = (type: string, n: number) => `${type}:${id('P', n)}`;
  const [tenant, account, works] = [ref('tenant', 0), ref('account', 2), ref('enterprise', 3)];
  const places: readonly Place[] = [
    { ref: tenant, parent: undefined, root: tenant },
    { ref: ref('location', 1), parent: tenant, root: tenant },
    { ref: account, parent: undefined, root: account },
    { ref: works, parent: undefined, root: works },
    { ref: ref('workstream', 4), parent: account, root: account },
  ];
  const subjects = [
    ...[`user:${id('A', 0)}`, `user:${id('A', 1)}`, `technical-user:${id('A', 2)}`, `agent:${id('A', 3)}`],
    // Of the same type and id as a scope.
    ref('location', 1),
  ];
  const names: Names = {
    subjects,
    mandates: nameMandates(random, { subjects, places }, 12),
    places,
    groups: [0, 1, 2, 3].map((n) => id('G', n)),
    roles: [0, 1, 2, 3].map((n) => id('R', n)),
    subscriptions: [id('S', 0), id('S', 1)],
    licences: [id('K', 0), id('K', 1)],
    withConditions,
    named: namedByTokens(places, 3, 3),
  };
  const { group: named, role: open } = names.named;
  const [owned = '', shared = '', global = ''] = names.roles;
  const operations = [
    ...MODULES.map((name) => does.createModule(name, false)),
    ...PERMISSIONS.map((name) => does.register(name)),
    ...places.map((place) =>
      does.createScope(place.ref, {
        parent: place.parent,
        enterprise: typeOf(place.ref) === 'workstream' ? works : undefined,
        combination: place.parent === undefined && random.oneIn(2) ? 'deny-overrides' : undefined,
      }),
    ),
    does.createSubjectType('location'),
    ...names.subjects.map((subject) => {
      if (typeOf(subject) === 'technical-user') return does.createTechnicalUser(subject, account, 'active');
      const create = typeOf(subject) === 'user' ? does.createUser : does.createAddedSubject;
      return create(subject, 'active', null);
    }),
    ...(withConditions ? furnishProperties(random, names) : []),
    does.createRole(owned, tenant),
    does.createRole(shared, 'tenant'),
    does.createRole(global, 'global'),
    does.createAllowOnlyRole(open),
    ...names.groups
      .slice(0, 3)
      .map((group, n) => does.createGroup(group, n === 1 ? account : tenant, n === 2)),
    createNamed(random, names),
    nameGroup(random, names),
    does.giveGroupRole(named, open),
    does.license(id('K', 0), account, works, 'active', does.ALWAYS),
    ...names.roles.flatMap((role) => [
      // What is allow-only holds no permission of operators, which are among all.
      does.addEffect(
        role,
        random.pick(['alarms:*:*', role === open ? 'alarms:*:*' : '*:*:*']),
        'ALLOW',
        when(random, names),
      ),
      does.addEffect(
        role,
        random.pick(PERMISSIONS),
        role === open ? 'ALLOW' : effect(random),
        when(random, names),
      ),
    ]),
    ...names.groups
      .slice(0, random.pick([2, 3]))
      .map((group) => does.giveGroupRole(group, random.pick([shared, global]))),
    ...names.subjects.map((subject) => does.join(subject, random.pick(names.groups.slice(0, 2)))),
    ...names.mandates.slice(0, 6).map((each) => createMandate(random, names, INSTANTS, each)),
  ];
  return { names, operations };
}

/** Properties first: so a value may not fit what is declared then. */
const furnishProperties = (random: Random, names: Names): readonly Operation[] => [
  ...names.subjects.map((ref) =>
    does.setSubjectProperties(ref, conditions.storedProperties(random, 'subject')),
  ),
  ...names.places.map(({ ref }) =>
    does.setScopeProperties(ref, conditions.storedProperties(random, 'resource')),
  ),
  ...conditions.declarations(random, typesOf(names)),
];

/** What a change may be, by the weight in front of it. */
type Change = (random: Random, names: Names) => Operation;
const subject = (random: Random, names: Names) => random.pick(names.subjects);
const group = (random: Random, names: Names) => random.pick(names.groups);
const role = (random: Random, names: Names) => random.pick(names.roles);
const place = (random: Random, names: Names) => random.pick(names.places);
const placesOf = (names: Names, ...types: readonly string[]) =>
  names.places.filter(({ ref }) => types.includes(typeOf(ref)));

/** Changes of grants and of what they rest on: each is one transaction. */
const GRANTS: readonly (readonly [number, Change])[] = [
  [3, (r, n) => does.join(subject(r, n), group(r, n))],
  [3, (r, n) => does.leave(subject(r, n), group(r, n))],
  [3, (r, n) => does.giveGroupRole(group(r, n), role(r, n))],
  [3, (r, n) => does.takeGroupRole(group(r, n), role(r, n))],
  [2, (_, { named }) => does.giveGroupRole(named.group, named.role)],
  [1, (_, { named }) => does.takeGroupRole(named.group, named.role)],
  [3, nameGroup],
  [3, (r, { named }) => does.unnameGroup(r.pick(named.names)[0])],
  [2, assign],
  [2, (r, n) => does.reassign(subject(r, n), placeOfGrant(r, n), role(r, n), validity(r))],
  [2, (r, n) => does.unassign(subject(r, n), placeOfGrant(r, n), role(r, n))],
  [2, grant],
  [2, (r, n) => does.regrant(subject(r, n), place(r, n).root, r.some(n.roles, 2))],
  [2, (r, n) => does.ungrant(subject(r, n), place(r, n).root)],
  [1, (r, n) => does.giveGlobalRole(subject(r, n), role(r, n))],
  [1, (r, n) => does.takeGlobalRole(subject(r, n), role(r, n))],
  [1, (r, n) => does.makeAdmin(subject(r, n))],
  [2, (r, n) => does.unmakeAdmin(subject(r, n))],
  [3, addEffect],
  [3, (r, n) => does.changeEffect(role(r, n), r.pick(TARGETS), effect(r))],
  [3, (r, n) => does.removeEffect(role(r, n), r.pick(TARGETS))],
  [2, (r, n) => does.setRoleParent(role(r, n), r.oneIn(2) ? null : role(r, n))],
  [2, (r, n) => does.updateSubject(subject(r, n), { status: r.oneIn(3) ? 'inactive' : 'active' })],
  [1, (r, n) => does.updateSubject(r.pick(n.subjects), { endsAt: r.oneIn(2) ? null : r.pick(INSTANTS) })],
  [2, (r, n) => changeStatus(r, place(r, n).ref)],
  [
    1,
    (r, n) =>
      does.updateScope(place(r, n).root, { combination: r.oneIn(2) ? 'deny-overrides' : 'allow-overrides' }),
  ],
  [1, (r, n) => relink(r, n)],
  [1, (r) => does.sellModule(r.pick(MODULES), r.oneIn(2))],
  [1, (r) => does.setPageModule(r.pick(['dashboard', 'menu']), r.oneIn(2) ? null : r.pick(MODULES))],
  [2, subscribe],
  [2, license],
  [1, (r, n) => changeEntitlement(r, n)],
  [3, (r, n) => createMandate(r, n, INSTANTS)],
  [3, (r, n) => endMandate(r.pick(n.mandates).id)],
  [1, changeMandateOptional],
];

/** Changes of conditions and of what they look at. */
const CONDITIONS: readonly (readonly [number, Change])[] = [
  [4, (r, n) => does.changeCondition(role(r, n), r.pick(TARGETS), conditions.condition(r))],
  [1, (r, n) => does.changeCondition(role(r, n), r.pick(TARGETS), null)],
  [4, (r, n) => does.setSubjectProperties(subject(r, n), conditions.storedProperties(r, 'subject'))],
  [4, (r, n) => does.setScopeProperties(place(r, n).ref, conditions.storedProperties(r, 'resource'))],
  [2, (r, n) => conditions.declaration(r, typesOf(n))],
  [1, (r, n) => conditions.removedDeclaration(r, typesOf(n))],
];

const move: Change = (random, names) =>
  does.moveScope(
    random.pick(placesOf(names, 'building', 'zone', 'device', ADDED, 'location')).ref,
    random.pick(placesOf(names, 'project', 'building', 'zone', 'tenant', ADDED)).ref,
  );

const deleteTree: Change = (random, names) =>
  does.deleteTree(random.pick(placesOf(names, 'project', 'building', 'zone', 'device', ADDED)).ref);

/** Creations and deletions, also of what was there before under the same id. */
const NODES: readonly (readonly [number, Change])[] = [
  [2, (r, n) => does.deleteSubject(subject(r, n))],
  [3, (r, n) => createSubject(r, n, subject(r, n), placesOf(n, 'account')[0]?.ref ?? '')],
  [2, (r, n) => does.deleteGroup(group(r, n))],
  [3, (r, n) => createGroup(r, n, group(r, n))],
  [2, (r, n) => does.deleteRole(role(r, n))],
  [3, (r, n) => createRole(r, n, role(r, n))],
  [1, (r) => does.unregister(r.pick(PERMISSIONS))],
  [3, (r) => register(r, r.pick(PERMISSIONS))],
  [1, (r, n) => does.deleteScope(place(r, n).ref)],
  [1, deleteTree],
  [4, (r, n) => createPlace(r, n, place(r, n))],
  [3, move],
  [1, (r, n) => endEntitlement(r, n)],
];

const endAll: Change = (random, names) => endMandatesOf(subject(random, names));

const changeStatus = (random: Random, ref: string): Operation =>
  does.updateScope(ref, { status: random.oneIn(3) ? closedStatus(random, ref) : 'active' });

const relink: Change = (random, names) => {
  const [workstreams, enterprises] = [placesOf(names, 'workstream'), placesOf(names, 'enterprise')];
  return does.updateScope(random.pick(workstreams).ref, { enterprise: random.pick(enterprises).ref });
};

const changeEntitlement: Change = (random, names) =>
  random.oneIn(2)
    ? does.changeEntitlement(
        'subscription',
        random.pick(names.subscriptions),
        random.pick(['active', 'trial', 'expired']),
        validity(random),
      )
    : does.changeEntitlement(
        'license',
        random.pick(names.licences),
        random.pick(['active', 'expired']),
        validity(random),
      );

const endEntitlement: Change = (random, names) =>
  random.oneIn(2)
    ? does.endEntitlement('subscription', random.pick(names.subscriptions))
    : does.endEntitlement('license', random.pick(names.licences));

const spread = (changes: readonly (readonly [number, Change])[]): readonly Change[] =>
  changes.flatMap(([weight, change]) => Array.from({ length: weight }, () => change));
/** One of these, or a change of conditions where there are any. */
const oneOf = (changes: readonly (readonly [number, Change])[]): Change => {
  const [without, having] = [spread(changes), spread([...changes, ...CONDITIONS])];
  return (random, names) => random.pick(names.withConditions ? having : without)(random, names);
};

/** A change of the world; provisioning may refuse it. */
export const change = oneOf([...GRANTS, ...NODES, [1, endAll]]);

/** A change that is one transaction, whatever is there. */
export const changeOfGrants = oneOf(GRANTS);

/** A change that is one transaction, creations and deletions among them. */
export const changeInOneWrite = oneOf([
  ...GRANTS,
  ...NODES.filter(([, make]) => make !== move && make !== deleteTree),
]);

/**
 * Two changes of which the first takes away what the second would let count: a member leaves a group that then gets a role,
 * or a group loses a role before somebody joins it. Undefined where nothing in the model lends itself to it.
 */
export function opposedChanges(
  random: Random,
  { subjects, groups, roles }: Names,
  { memberships, groupRoles, groups: known }: Model,
): readonly [Operation, Operation] | undefined {
  const joined = groups.filter((group) => !known.some(({ id, everyone }) => id === group && everyone));
  const all = subjects.flatMap((who) =>
    joined.flatMap((where) => roles.map((what) => [who, where, what] as const)),
  );
  const possible = all.flatMap(([who, where, what]): (readonly [Operation, Operation])[] => {
    const isMember = memberships.some((each) => each.subject === who && each.group === where);
    const hasRole = groupRoles.some((each) => each.group === where && each.role === what);
    if (isMember && !hasRole) return [[does.leave(who, where), does.giveGroupRole(where, what)]];
    if (!isMember && hasRole) return [[does.takeGroupRole(where, what), does.join(who, where)]];
    return [];
  });
  return possible.length > 0 ? random.pick(possible) : undefined;
}

/** A question; now and then about what is not there. */
export function ask(random: Random, names: Names): Question {
  const places = random.oneIn(8) ? placesOf(names, 'workstream', ADDED) : names.places;
  const some = random.pick(places);
  return {
    subject: random.oneIn(20) ? random.pick(UNKNOWN_SUBJECTS) : random.pick(names.subjects),
    // Deep places are many, and much closes them.
    scope: random.oneIn(20) ? random.pick(UNKNOWN_SCOPES) : random.oneIn(4) ? some.root : some.ref,
    permission: random.oneIn(16) ? random.pick(UNREGISTERED) : random.pick(PERMISSIONS),
    at: random.pick(INSTANTS) - random.below(2),
    ...(names.withConditions ? { given: givenIn(random, names) } : {}),
    ...(random.oneIn(2) ? { groups: tokenGroups(random, names) } : {}),
  };
}

/** A question by who acts for the subject. */
export const askByActor = (random: Random, names: Names): Question =>
  askedByActor(random, names, ask(random, names), INSTANTS);

/** What a token names: at most once of another issuer, or of groups that mean nothing; it may end before the question. */
const tokenGroups = (random: Random, { named: { names } }: Names): TokenGroups => ({
  issuer: random.oneIn(12) ? `${ISSUER}/` : ISSUER,
  ids: random.some(['unknown', ...names.map(([, name]) => name)], 3),
  until: random.oneIn(4) ? random.pick(INSTANTS) : (INSTANTS.at(-1) as number) + HOUR,
});

/** The same question at another time, with something else given. */
export const giveOtherwise = (random: Random, names: Names, question: Question): Question => ({
  ...question,
  at: random.pick(INSTANTS) - random.below(2),
  given: givenIn(random, names),
});

/** What a question gives: also for an object with the id of another place. */
const givenIn = (random: Random, names: Names) =>
  conditions.given(
    random,
    names.places.map(({ ref }) => ref.slice(ref.indexOf(':') + 1)),
    typesOf(names),
  );
