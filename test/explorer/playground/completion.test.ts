import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import MANIFEST from '../../../docs/schemas/manifest.schema.json' with { type: 'json' };
import TESTS from '../../../docs/schemas/model-test.schema.json' with { type: 'json' };
import {
  type Completion,
  completionAt,
  namesIn,
  type Schema,
} from '../../../explorer/page/playground/completion.ts';

const SCHOOL = `modules: { library: { sold: true } }
pages: [dashboard, grades]
permissions: ["library:lend:book"]
scopes:
  school: { type: tenant }
  "north, upper": { type: location, parent: school }
roles:
  teacher: { allow: [grades] }
  member:
groups:
  teachers north: { scope: north, roles: [teacher] }
users:
  ann: { groups: [teachers north] }
`;

/** What is suggested at `|`, which is taken out. */
function at(text: string, schema: Schema = MANIFEST as Schema, manifest?: string): Completion | undefined {
  const offset = text.indexOf('|');
  const names = manifest === undefined ? undefined : namesIn(manifest);
  return completionAt(text.replace('|', ''), offset, schema, names);
}

const labels = (completion: Completion | undefined): readonly string[] =>
  completion?.suggestions.map(({ label }) => label) ?? [];

/** The text with a suggestion taken. */
function taken(text: string, label: string): string {
  const found = at(text);
  const insert = found?.suggestions.find((each) => each.label === label)?.insert;
  const plain = text.replace('|', '');
  return `${plain.slice(0, found?.from)}${insert}${plain.slice(found?.to)}`;
}

describe('keys', () => {
  test('of the file, with their descriptions and without those that are there', () => {
    const found = at(`${SCHOOL}sub|`);
    expect(labels(found)).toContain('subscriptions');
    expect(labels(found)).not.toContain('scopes');
    const subscriptions = found?.suggestions.find(({ label }) => label === 'subscriptions');
    expect(subscriptions).toEqual({
      label: 'subscriptions',
      insert: 'subscriptions: ',
      kind: 'key',
      description: 'Modules that are sold, and to whom.',
    });
    expect(`${SCHOOL}sub`.slice(found?.from, found?.to)).toBe('sub');
  });

  test('of an entry: in a block, in one line, in a list, and between others', () => {
    expect(labels(at(`${SCHOOL}  ben:\n    gr|`))).toEqual(expect.arrayContaining(['groups', 'grants']));
    expect(labels(at(`${SCHOOL}  ben: { gr|`))).toEqual(expect.arrayContaining(['groups', 'grants']));
    expect(labels(at(`${SCHOOL}  ben: { groups: [], gr| }`))).not.toContain('groups');
    expect(labels(at(`${SCHOOL}subscriptions:\n  - sc|`))).toContain('scope');
    expect(labels(at(`groups:\n  a:\n    sc|\n    roles: []\n`))).toContain('scope');
    expect(labels(at(`groups:\n  a:\n    sc|\n    roles: []\n`))).not.toContain('roles');
  });

  test('a key that has its colon gets no second one', () => {
    expect(taken('groups:\n  a: { sco|: x }', 'scope')).toBe('groups:\n  a: { scope: x }');
  });

  test('names of entries are free: nothing is suggested', () => {
    expect(at(`${SCHOOL}  be|`)).toBeUndefined();
    expect(at('users: { be|')).toBeUndefined();
  });
});

describe('values', () => {
  test('of an enumeration, and yes or no', () => {
    expect(labels(at('scopes:\n  a: { combination: al| }'))).toEqual(['allow-overrides', 'deny-overrides']);
    expect(labels(at('users:\n  ann:\n    admin: |'))).toEqual(['true', 'false']);
  });

  test('what is written in full already is not suggested', () => {
    expect(at('scopes:\n  a: { combination: allow-overrides| }')).toBeUndefined();
  });

  test('nothing in a comment', () => {
    expect(at(`${SCHOOL}# sub|`)).toBeUndefined();
  });
});

describe('names that the manifest defines', () => {
  test('where they are expected', () => {
    expect(labels(at(`${SCHOOL}  ben: { groups: [te|`))).toEqual(['teachers north']);
    expect(labels(at(`${SCHOOL}  ben: { groups: [teachers no|] }`))).toEqual(['teachers north']);
    expect(labels(at(`${SCHOOL}  ben:\n    groups:\n      - te|`))).toEqual(['teachers north']);
    expect(labels(at(`${SCHOOL}  ben: { grants: { sc|`))).toEqual(['school', 'north, upper']);
    expect(labels(at(`${SCHOOL}  ben: { grants: { school: [te|`))).toEqual(['teacher', 'member']);
    expect(labels(at(`${SCHOOL}  ben: { assignments: [{ role: te|`))).toEqual(['teacher', 'member']);
    expect(labels(at(SCHOOL.replace('parent: school', 'parent: sc|')))).toContain('school');
    expect(labels(at(SCHOOL.replace('[grades] }', '[gr|] }')))).toEqual([
      ...['dashboard', 'grades', 'library:lend:book'],
    ]);
    expect(labels(at(`${SCHOOL}subscriptions:\n  - { scope: school, module: li|`))).toEqual(['library']);
  });

  test('a name keeps its meaning when it is inserted, in quotes too', () => {
    const entry = (text: string) => parse(text).users.ben;
    expect(entry(taken(`${SCHOOL}  ben: { tenant: no| }`, 'north, upper'))).toEqual({
      tenant: 'north, upper',
    });
    expect(entry(taken(`${SCHOOL}  ben: { tenant: "no|" }`, 'north, upper'))).toEqual({
      tenant: 'north, upper',
    });
    expect(entry(taken(`${SCHOOL}  ben: { groups: [teachers n|] }`, 'teachers north'))).toEqual({
      groups: ['teachers north'],
    });
  });

  test('in tests: subjects, permissions and scopes of the manifest', () => {
    const ofTests = (text: string) => labels(at(text, TESTS as Schema, SCHOOL));
    expect(ofTests('tests:\n  - { subject: a|')).toEqual(['ann']);
    expect(ofTests('tests:\n  - { subject: ann, permission: gr|')).toContain('grades');
    expect(ofTests('tests:\n  - subject: ann\n    scope: sc|')).toContain('school');
    expect(ofTests('tests:\n  - { expect: no|')).toContain('no_grant');
    expect(ofTests('tests:\n  - sub|')).toContain('subject');
  });

  test('a text with errors is read as far as it goes', () => {
    expect([...(namesIn('scopes:\n  a: {\n  b: }\nroles: [x').get('scopes') ?? [])]).toContain('a');
    expect(namesIn(': : [')).toBeDefined();
  });
});
