import { createExplainer, type Explanation } from '../../../engine/index.ts';
import { createWorld } from '../../support/world.ts';

/** A question by the names in the world below. */
export interface Asked {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  /** ISO 8601. Default: the world's time. */
  readonly at?: string;
}

/** A world in which every reason occurs; `ref` maps names to references. */
export async function createExplainedWorld() {
  const world = await createWorld();
  const { run } = world;
  const ref: Record<string, string> = {};
  let made = 0;
  /** Ids in the order of creation and the same in every run, so that output can be compared. */
  const nextId = () => `01J8Z0E2Z8D2A3J7A7Y2H9${String(++made).padStart(4, '0')}`;
  const make = async (type: string, key: string, input: Record<string, unknown> = {}) => {
    const { id } = await run(`${type}.create`, { id: nextId(), ...input });
    ref[key] = `${type}:${id}`;
  };
  const id = (key: string) => ref[key]?.split(':')[1];
  const named = (type: string, name: string, input: Record<string, unknown> = {}) =>
    make(type, name, { name, ...input });
  const role = async (name: string, scope: string, effects: Record<string, string>, parent?: string) => {
    await named('role', name, { scope, ...(parent === undefined ? {} : { parent: id(parent) }) });
    for (const [permission, effect] of Object.entries(effects))
      await run('role-permission.create', { role: id(name), permission, effect });
  };
  const group = async (name: string, scope: string, ...roles: readonly string[]) => {
    await named('group', name, { scope: ref[scope] });
    for (const each of roles) await run('group-role.create', { group: id(name), role: id(each) });
  };
  const user = async (name: string, groups: readonly string[] = [], input: Record<string, unknown> = {}) => {
    await make('user', name, { displayName: name, email: `${name}@example.com`, ...input });
    for (const each of groups) await run('membership.create', { user: id(name), group: id(each) });
  };
  const assign = (name: string, scope: string, of: string, period: Record<string, string> = {}) =>
    run('assignment.create', { user: id(name), scope: ref[scope], role: id(of), ...period });

  for (const name of ['doors:open:door', 'doors:read:door', 'hvac:set:climate'])
    await run('permission.create', { name });
  for (const name of ['home', 'reports', 'unused']) await run('page.create', { name });
  await run('module.create', { name: 'hvac', soldBySubscription: true });

  await named('client', 'Northwind');
  await named('project', 'Harbour', { parent: ref.Northwind });
  await named('building', 'Lighthouse', { parent: ref.Harbour });
  await named('building', 'Boathouse', { parent: ref.Harbour });
  await named('project', 'Closed', { parent: ref.Northwind, status: 'on-hold' });
  await named('building', 'Mill', { parent: ref.Closed });
  await named('client', 'Other');
  await named('tenant', 'Strict', { combination: 'deny-overrides' });

  await role('caretaker', 'tenant', { 'doors:open:door': 'ALLOW' });
  await role('head caretaker', 'tenant', { 'hvac:set:climate': 'ALLOW' }, 'caretaker');
  await role('doorman', 'tenant', { 'doors:*:*': 'ALLOW' });
  await role('everything', 'global', { '*:*:*': 'ALLOW' });
  await role('barred', 'tenant', { 'doors:open:door': 'DENY' });
  await role('other porter', String(ref.Other), { 'doors:open:door': 'ALLOW' });
  await role('own porter', String(ref.Northwind), { 'doors:open:door': 'ALLOW' });
  await role('idle', 'tenant', {});
  await role('analyst', 'tenant', { reports: 'ALLOW' });

  await group('porters', 'Harbour', 'caretaker');
  await group('heads', 'Lighthouse', 'head caretaker');
  await group('boatmen', 'Boathouse', 'caretaker');
  await group('strangers', 'Other', 'other porter');
  await group('loafers', 'Lighthouse', 'idle');
  await group('barred ones', 'Harbour', 'barred');
  await group('strict', 'Strict', 'caretaker', 'barred');

  await user('gina', ['porters']);
  await user('hans', ['heads']);
  await user('asta', []);
  await assign('asta', 'Northwind', 'caretaker', { startsAt: '2025-01-01T00:00:00.000Z' });
  await user('paul', []);
  await assign('paul', 'Harbour', 'doorman');
  await user('olaf', []);
  await assign('olaf', 'Harbour', 'own porter');
  await user('tess', []);
  await run('grant.create', { user: id('tess'), scope: ref.Northwind, roles: [id('caretaker')] });
  await user('glen', []);
  await run('global-role.create', { user: id('glen'), role: id('everything') });
  await user('ada', ['porters']);
  await run('admin.create', { user: id('ada') });
  await user('mix', ['porters', 'barred ones']);
  await user('bart', ['barred ones']);
  await user('sid', ['strict']);
  await user('dora', ['porters'], { status: 'disabled' });
  await user('erna', ['porters'], { endsAt: '2026-01-01T00:00:00.000Z' });
  await user('nobody');
  await user('lazy', ['loafers']);
  await user('boris', ['boatmen']);
  await user('carl', []);
  await assign('carl', 'Lighthouse', 'caretaker', { endsAt: '2025-06-30T00:00:00.000Z' });
  await assign('carl', 'Harbour', 'caretaker', { startsAt: '2027-01-01T00:00:00.000Z' });
  await user('deep', []);
  await assign('deep', 'Lighthouse', 'caretaker');
  await user('fred', ['strangers']);
  await assign('fred', 'Other', 'other porter');
  await run('grant.create', { user: id('fred'), scope: ref.Other, roles: [id('other porter')] });

  await named('account', 'Bluefin');
  await named('enterprise', 'Aurora');
  await named('enterprise', 'Borealis');
  await named('enterprise', 'Corona');
  const license = (enterprise: string, input: Record<string, unknown>) =>
    named('license', `${enterprise} licence`, {
      account: ref.Bluefin,
      enterprise: ref[enterprise],
      ...input,
    });
  await license('Aurora', { startDate: '2024-01-01T00:00:00.000Z' });
  await license('Borealis', { startDate: '2024-01-01T00:00:00.000Z', endDate: '2025-01-01T00:00:00.000Z' });
  await license('Corona', { startDate: '2024-01-01T00:00:00.000Z', status: 'expired' });
  for (const [name, enterprise] of [
    ['Routes', 'Aurora'],
    ['Timetables', 'Borealis'],
    ['Sun', 'Corona'],
  ] as const)
    await named('workstream', name, { parent: ref.Bluefin, enterprise: ref[enterprise] });
  await user('petra', []);
  await assign('petra', 'Bluefin', 'analyst');
  await make('subscription', 'ended', {
    scope: ref.Lighthouse,
    module: 'hvac',
    startDate: '2024-01-01T00:00:00.000Z',
    endDate: '2025-12-31T00:00:00.000Z',
  });
  await make('subscription', 'lapsed', {
    scope: ref.Northwind,
    module: 'hvac',
    startDate: '2024-01-01T00:00:00.000Z',
    status: 'expired',
  });
  world.settle();

  const question = ({ subject, permission, scope }: Asked) =>
    [ref[subject] ?? subject, permission, ref[scope] ?? scope] as const;
  const explainer = createExplainer({ reader: world.reader, clock: world.clock });

  /** Explains with an empty cache. */
  const explain = (asked: Asked): Promise<Explanation> =>
    createExplainer({ reader: world.reader, clock: world.clock }).explain(
      ...question(asked),
      asked.at === undefined ? {} : { at: Date.parse(asked.at) },
    );
  return { ...world, ref, id, explain, explainer, question };
}

export type ExplainedWorld = Awaited<ReturnType<typeof createExplainedWorld>>;
