import { expect, test } from 'vitest';
import { planOn, worldOf } from './support.ts';

/** In which phase an attribute changes: what takes access away comes before what gives some (`PHASES`). */
interface Declared {
  readonly [section: string]: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
const BASE: Declared = {
  modules: { lab: {}, shop: {} },
  pages: { grades: {}, exams: {} },
  scopes: {
    school: { type: 'client' },
    north: { type: 'project', parent: 'school' },
  },
  roles: { guest: { owner: 'school' }, reader: { owner: 'school', allow: ['grades'] } },
  users: { ann: {} },
};

/** The manifest in which something has further fields. */
const having = (section: string, name: string, fields: object): string =>
  JSON.stringify({
    ...BASE,
    [section]: { ...BASE[section], [name]: { ...BASE[section]?.[name], ...fields } },
  });

test.each<[string, string, object, object, string, string]>([
  ['scopes', 'north', { status: 'active' }, { status: 'on-hold' }, 'close', 'open'],
  ['users', 'ann', { status: 'active' }, { status: 'disabled' }, 'close', 'open'],
  ['users', 'ann', { until: null }, { until: '2030-01-01T00:00:00.000Z' }, 'close', 'open'],
  ['users', 'ann', { until: '2031-01-01' }, { until: '2030-01-01' }, 'close', 'open'],
  [
    'scopes',
    'school',
    { combination: 'allow-overrides' },
    { combination: 'deny-overrides' },
    'close',
    'open',
  ],
  ['modules', 'lab', { sold: false }, { sold: true }, 'close', 'open'],
  ['pages', 'grades', { module: null }, { module: 'lab' }, 'close', 'open'],
  ['pages', 'grades', { module: 'shop' }, { module: 'lab' }, 'switch', 'switch'],
  ['roles', 'guest', {}, { parent: 'reader' }, 'open', 'close'],
  ['roles', 'reader', { allow: ['grades'] }, { allow: [], deny: ['grades'] }, 'close', 'open'],
])('%s.%s from %j to %j: %s, and back: %s', async (section, name, before, after, there, back) => {
  const [from, to] = [having(section, name, before), having(section, name, after)];
  const phases = async (stands: string, wanted: string) => {
    const { steps, problems } = await planOn(await worldOf(stands), wanted);
    expect(problems).toEqual([]);
    return steps.map(({ phase }) => phase);
  };
  expect([await phases(from, to), await phases(to, from)]).toEqual([[there], [back]]);
});
