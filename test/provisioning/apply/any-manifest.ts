import type { Random } from '../../proof/oracle/random.ts';

export const PAGES = ['grades', 'plans', 'maps'];
export const NAMES = ['shop:sell:item', 'shop:buy:item', 'lab:use:room'];
const TARGETS = [...PAGES, ...NAMES, '*:*:*', 'shop:*:*', 'shop:sell:*'];
const YEAR = { from: '2026-01-01', until: '2026-12-31' };
const PERIODS = [{}, {}, { until: '2026-01-10' }, { from: '2026-02-01' }, YEAR];
const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, number) => `${prefix}${number}`);

const CONDITIONS = [
  'subject.properties.team == "red"',
  'subject.properties.team == resource.properties.team',
  'has(subject.properties.level) && subject.properties.level > 1',
  '!has(resource.properties.team)',
  'subject.properties.team != "blue" || resource.type == "client"',
];
const DECLARED = [
  { of: 'subject:user', name: 'team', type: 'string', source: 'stored' },
  { of: 'subject:user', name: 'level', type: 'int', source: 'stored' },
  { of: 'resource:client', name: 'team', type: 'string', source: 'stored' },
  { of: 'resource:project', name: 'team', type: 'string', source: 'stored' },
];

/**
 * Any small tenant, with DENY of every kind, sold modules, administrators and periods; with conditions and stored
 * properties, or without.
 */
export function anyManifest(random: Random, isConditional: boolean): string {
  const withWhen = (permission: string) =>
    isConditional && random.oneIn(2) ? { permission, when: random.pick(CONDITIONS) } : permission;
  const properties = () =>
    isConditional
      ? {
          properties: {
            ...(random.oneIn(4) ? {} : { team: random.pick(['red', 'blue']) }),
            ...(random.oneIn(2) ? { level: random.pick([1, 2]) } : {}),
          },
        }
      : {};
  const seldom = (one: string, other: string) => (random.oneIn(5) ? one : other);
  const some = <T>(list: readonly T[], most: number) => random.some(list, most);
  const maybe = <T>(value: T): T[] => (random.oneIn(3) ? [] : [value]);
  const places = ['north', 'south', 'west'].filter(() => !random.oneIn(3));
  const everywhere = ['school', ...places];
  const [pages, permissions] = [PAGES, NAMES].map((names) => names.filter(() => !random.oneIn(4)));
  const targets = TARGETS.filter(
    (target) => target.includes('*') || [...(pages ?? []), ...(permissions ?? [])].includes(target),
  );
  const roles = numbered('role', 5).flatMap(maybe);
  const groups = numbered('group', 4).flatMap(maybe);
  const at: Record<string, string> = { group0: 'school', group1: 'school', group2: 'north', group3: 'west' };
  const there = groups.filter((group) => everywhere.includes(at[group] ?? ''));
  const object = (names: readonly string[], of: (name: string, position: number) => unknown) =>
    Object.fromEntries(names.map((name, position) => [name, of(name, position)]));
  return JSON.stringify({
    modules: { shop: { sold: random.oneIn(3) }, lab: {} },
    subscriptions: maybe({ scope: random.pick(everywhere), module: 'shop' }),
    pages,
    permissions,
    ...(isConditional ? { properties: DECLARED } : {}),
    scopes: {
      school: { type: 'client', combination: seldom('allow-overrides', 'deny-overrides'), ...properties() },
      ...object(places, () => {
        const status = seldom('on-hold', 'active');
        return { type: 'project', parent: 'school', status, ...properties() };
      }),
    },
    roles: object(roles, (_, position) => {
      const allow = some(targets, 3);
      const parent = random.pick(roles.slice(0, position + 1));
      return {
        owner: 'school',
        allow: allow.map(withWhen),
        deny: some(targets, 2)
          .filter((target) => !allow.includes(target))
          .map(withWhen),
        ...(random.oneIn(3) && parent !== roles[position] ? { parent } : {}),
      };
    }),
    groups: object(there, (group) => ({ scope: at[group], roles: some(roles, 2) })),
    users: object(numbered('user', 4).flatMap(maybe), () => ({
      status: seldom('disabled', 'active'),
      admin: random.oneIn(8),
      ...properties(),
      groups: some(there, 2),
      ...(random.oneIn(3) ? { grants: { school: some(roles, 2) } } : {}),
      assignments: some(roles, 1).map((role) => ({
        role,
        scope: random.pick(everywhere),
        ...random.pick(PERIODS),
      })),
    })),
  });
}
