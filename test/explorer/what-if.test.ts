import { describe, expect, test } from 'vitest';
import { accessLines } from '../../cli/access.ts';
import {
  type Change,
  commandOf,
  moved,
  readChanges,
  writeChanges,
} from '../../explorer/page/commands/changes.ts';
import { keyOf, labelOf, missing } from '../../explorer/page/commands/form.ts';
import { revokedBy } from '../../explorer/page/commands/sentences.ts';
import {
  changeNamed,
  changeOf,
  fieldsOf,
  USUAL,
  USUAL_COMMANDS,
  type Usual,
} from '../../explorer/page/commands/usual.ts';
import { SCOPE_TYPE_NAMES, SUBJECT_TYPES } from '../../explorer/page/registry.ts';
import { formsOf } from '../../explorer/service/form.ts';
import { accessDifference } from '../../provisioning/access-difference/access-difference.ts';
import { EXAMPLES } from '../../provisioning/documents/examples.ts';
import { type AccessDifference, COMMANDS, peopleText, sentenceOf } from '../../provisioning/index.ts';
import { closingStatus } from '../../table/entities/registry.ts';
import { tableOf } from './served-table.ts';

const NOW = Date.parse('2026-03-15T12:00:00Z');
const { service, reader, ref } = await tableOf(() => NOW);

/** What the page shows for these changes. */
async function compared(...changes: readonly Change[]): Promise<AccessDifference> {
  const reply = await service('command', { command: 'access.compare', input: { commands: changes } });
  expect(reply).toMatchObject({ ok: true, result: { ok: true } });
  return (reply as unknown as { result: { result: AccessDifference } }).result.result;
}

const { forms: FORMS } = formsOf(USUAL_COMMANDS);

describe('the usual changes', () => {
  const fields = (usual: Usual) => fieldsOf(usual, FORMS);
  const of = (usual: Usual, values: Readonly<Record<string, string>>) =>
    changeOf(usual, fields(usual), values);

  test('are commands that are accepted, and change what they say', async () => {
    const [ann, dora, jo] = ['ann@school.example', 'dora', 'jo'].map((name) => ref('subject', name));
    const [school, north, south] = ['school', 'north', 'south'].map((name) => ref('scope', name));
    const group = ref('group', 'teachers north');
    const teacher = ref('role', 'teacher');
    const who = (...changes: readonly Change[]) =>
      compared(...changes).then(({ loses, gains }) => [loses.people, gains.people]);
    const text = (value: string | undefined) => String(value);
    expect(await who(of(USUAL.leave, { user: text(ann), group }))).toEqual([1, 0]);
    expect(await who(of(USUAL.join, { user: text(dora), group }))).toEqual([0, 1]);
    const give = { user: text(ann), role: teacher, scope: text(south), startsAt: '2026-03-01T00:00' };
    expect(await who(of(USUAL.give, give))).toEqual([0, 1]);
    expect(await who(of(USUAL.give, { ...give, endsAt: '2026-03-15T12:00' }))).toEqual([0, 0]);
    expect(await who(of(USUAL.take, { user: text(dora), role: teacher, scope: text(south) }))).toEqual([
      1, 0,
    ]);
    expect(await who(of(USUAL.suspend, { scope: text(school) }))).toEqual([4, 0]);
    expect(
      await who(of(USUAL.suspend, { scope: text(north) }), of(USUAL.resume, { scope: text(north) })),
    ).toEqual([0, 0]);
    expect(await who(of(USUAL.disable, { user: text(ann) }))).toEqual([1, 0]);
    expect(await who(of(USUAL.enable, { user: text(jo) }))).toEqual([0, 1]);
    expect(await who(of(USUAL.ungroup, { group }))).toEqual([1, 0]);
    expect(await who(of(USUAL.unpermit, { role: teacher, permission: 'grades' }))).toEqual([2, 0]);
    const permit = { role: teacher, permission: 'invoices:read:list' };
    expect(await who(of(USUAL.permit, permit))).toEqual([0, 2]);
    expect(await who(of(USUAL.permit, { ...permit, effect: 'DENY' }))).toEqual([0, 0]);
    const never = of(USUAL.permit, { ...permit, effect: 'ALLOW', when: 'subject.id == "nobody"' });
    expect(await who(never)).toEqual([0, 0]);
  });

  test.each([...SCOPE_TYPE_NAMES, ...SUBJECT_TYPES])('a %s is closed by a status that it has', (type) => {
    const command = COMMANDS.get(`${type}.update`);
    for (const status of [closingStatus(type), 'active'])
      expect(command?.input.safeParse({ id: 'some-id', status }).success).toBe(true);
    expect(closingStatus(type)).toBeDefined();
  });

  test('beside them is a form for each command: it makes what the documents have', () => {
    const all = [...EXAMPLES].filter(([command]) => COMMANDS.get(command)?.kind === 'write');
    const { forms } = formsOf(all.map(([command]) => command));
    for (const [command, input] of all) {
      const form = forms[command]?.fields ?? [];
      const values = form.flatMap((field) => {
        const value = input[field.name];
        if (value === undefined) return [];
        const ref = field.names && field.names !== 'permission' && !String(value).includes(':');
        const text = field.isJson ? JSON.stringify(value) : String(value);
        return [[keyOf(field), ref ? `user:${text}` : field.isInstant ? text.replace('Z', '') : text]];
      });
      expect(changeOf(changeNamed(command), form, Object.fromEntries(values))).toEqual({ command, input });
    }
    expect(all.length).toBeGreaterThan(100);
  });

  test('of a type that was added are commands of scopes and subjects', () => {
    expect(of(USUAL.suspend, { scope: 'campus:a' })).toEqual({
      command: 'scope.update',
      input: { scope: 'campus:a', status: 'suspended' },
    });
    expect(of(USUAL.disable, { user: 'identity:a' })).toEqual({
      command: 'subject.update',
      input: { user: 'identity:a', status: 'disabled' },
    });
    expect(of(USUAL.suspend, { scope: 'constructor:a' }).command).toBe('scope.update');
  });

  test('name what is still to choose', () => {
    const labels = (values: Readonly<Record<string, string>>) =>
      missing(fields(USUAL.give), values).map(labelOf);
    expect(labels({})).toEqual(['Subject', 'Scope', 'Role']);
    expect(labels({ user: 'user:a', role: 'role:b', scope: 'tenant:c' })).toEqual([]);
  });
});

describe('changes in the address', () => {
  const LEAVE: Change = { command: 'membership.delete', input: { user: 'a', group: 'b' } };
  const REMOVE: Change = { command: 'group.delete', input: { id: 'b' } };

  test('are read as they were written', () => {
    expect(readChanges(writeChanges([LEAVE, REMOVE]) ?? '')).toEqual({ changes: [LEAVE, REMOVE] });
    expect(writeChanges([])).toBeUndefined();
    expect(readChanges(' ')).toEqual({ changes: [] });
  });

  test.each([
    ['[', /^this is not JSON/],
    ['{}', /^this is no list/],
    ['[1]', /^number 1 of the list/],
    ['[{"command":"a","input":{}},{"command":"a"}]', /^number 2 of the list/],
    ['[{"command":1,"input":{}}]', /^number 1/],
    ['[{"command":"a","input":[]}]', /^number 1/],
    ['[{"command":"a","input":{},"verb":"remove"}]', /^number 1/],
  ])('%s is wrong', (text, problem) => {
    expect(readChanges(text)).toEqual({ changes: [], problem: expect.stringMatching(problem) });
  });

  test('change places, at the ends not', () => {
    expect(moved([LEAVE, REMOVE], 0, 1)).toEqual([REMOVE, LEAVE]);
    expect(moved([LEAVE, REMOVE], 1, -1)).toEqual([REMOVE, LEAVE]);
    expect(moved([LEAVE, REMOVE], 0, -1)).toEqual([LEAVE, REMOVE]);
    expect(moved([LEAVE, REMOVE], 1, 1)).toEqual([LEAVE, REMOVE]);
  });

  test('are sent alone as they are, and together as one transaction', () => {
    expect(commandOf([])).toBeUndefined();
    expect(commandOf([LEAVE])).toBe(LEAVE);
    expect(commandOf([LEAVE, REMOVE])).toEqual({
      command: 'transaction.write',
      input: { commands: [LEAVE, REMOVE] },
    });
  });

  test('are sentences with references; what has none is shown as it is', () => {
    expect(sentenceOf(LEAVE)).toEqual([{ ref: 'user:a' }, ' leaves the group ', { ref: 'group:b' }]);
    expect(sentenceOf({ command: 'tenant.update', input: { id: 'a', status: 'suspended' } })).toEqual([
      { ref: 'tenant:a' },
      ' becomes suspended',
    ]);
    expect(
      sentenceOf({ command: 'tenant.update', input: { id: 'a', status: 'active', name: 'B' } }),
    ).toBeUndefined();
    for (const [command, input] of [
      ['scope.update', { scope: 'ward:a', status: 'suspended' }],
      ['subject.update', { user: 'ward:a', status: 'suspended' }],
    ] as const)
      expect(sentenceOf({ command, input })).toEqual([{ ref: 'ward:a' }, ' becomes suspended']);
    expect(sentenceOf({ command: 'constructor', input: {} })).toBeUndefined();
    expect(sentenceOf({ command: 'constructor.update', input: { status: 'x', name: 'B' } })).toBeUndefined();
  });

  test('are followed in caches by the one who loses access, or else by what changes', () => {
    expect(revokedBy([REMOVE], ['user:x'])).toBe('user:x');
    expect(revokedBy([REMOVE], ['user:x', 'user:y'])).toBe('group:b');
    expect(revokedBy([{ command: 'role.delete', input: { id: 'r' } }], ['user:x', 'user:y'])).toBe('user:x');
  });
});

describe('the difference', () => {
  test('is what the function of the command line finds, in the same words', async () => {
    const change = changeOf(USUAL.suspend, fieldsOf(USUAL.suspend, FORMS), { scope: ref('scope', 'school') });
    const direct = await accessDifference([change], { reader, commands: COMMANDS, at: NOW });
    const shown = await compared(change);
    expect(shown).toEqual(direct);
    expect(accessLines(direct, ({ ref }) => ref)).toContain(
      `who loses access: ${peopleText(shown.loses, false)}`,
    );
  });
});
