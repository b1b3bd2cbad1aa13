import { beforeEach, describe, expect, test } from 'vitest';
import { decodeGlobal, decodeScope, decodeSubject } from '../../table/decision/decode.ts';
import { decisionKey, globalKey } from '../../table/keys.ts';
import { createLedgerWorld, type LedgerWorld } from './support.ts';
import { expectWhole as expectAllWhole } from './whole.ts';

/** Declarations of properties, and the stored properties of subjects and scopes (SPEC section 8). */
let world: LedgerWorld;
beforeEach(async () => {
  world = await createLedgerWorld();
});

const DEPARTMENT = { of: 'subject:user', name: 'department', type: 'string', source: 'stored' };

const expectWhole = () => expectAllWhole(world);

const invalid = (field: string, said: string) => ({
  code: 'invalid',
  field,
  message: `${field}: ${said}`,
  retryable: false,
});
/** What a name of a declaration, and of a value, is told that is none. */
const NO_NAME = 'is no name of letters, digits and underscore, the first no digit';
const NO_PROPERTY =
  'is no name of a property (letters, digits and underscore, at most 64, the first no digit)';
const NOT_KEPT = 'is a name that cannot be kept';
const NO_VALUE = 'is no text, no number, not true or false, no list and no map';
const NO_NUMBER = 'is a number that the table cannot keep exactly: beyond 2^53 - 1 or below 1e-130';
const NO_OWNER = 'is none of subject:TYPE, resource:TYPE, action and context';

const declared = async () => {
  const item = await world.reader.get(globalKey());
  const { declarations } = decodeGlobal(item ?? { PK: '', SK: '' });
  return Object.fromEntries([...declarations].map(([of, all]) => [of, Object.fromEntries(all)]));
};

describe('a declaration', () => {
  test('stands in the item of what holds everywhere, as long as it is there', async () => {
    await world.run('property.create', DEPARTMENT);
    expect(await declared()).toEqual({
      'subject:user': { department: { type: 'string', source: 'stored' } },
    });
    await world.run('property.delete', { of: 'subject:user', name: 'department' });
    expect(await declared()).toEqual({});
    await expectWhole();
  });

  test.each(['action', 'context'])('of %s is passed, and need not say so', async (of) => {
    expect(await world.run('property.create', { of, name: 'soft', type: 'bool' })).toMatchObject({
      source: 'passed',
    });
    expect(
      await world.refused('property.create', { of, name: 'other', type: 'bool', source: 'stored' }),
    ).toMatchObject({ code: 'invalid', field: 'source', message: `source: must be passed for ${of}` });
    await expectWhole();
  });

  test.each([
    [
      'of a subject without a source',
      'subject:user a',
      'source',
      'is required for subject:user: stored or passed',
    ],
    ['of nothing', 'user a', 'of', NO_OWNER],
    ['of no type', 'subject: a', 'of', NO_OWNER],
    ['with a name that JavaScript uses', 'action constructor', 'name', NO_NAME],
    ['with a name that is none', 'action 1st', 'name', NO_NAME],
    ['that is built in', 'context ip', 'name', 'ip of the context is built in: it is declared already'],
  ])('%s is refused', async (_, declared, field, said) => {
    const [of, name] = declared.split(' ');
    const input = { of, name, type: 'string' };
    expect(await world.refused('property.create', input)).toEqual(invalid(field, said));
  });

  test('has one type for one name within a category', async () => {
    await world.run('property.create', DEPARTMENT);
    expect(
      await world.refused('property.create', { ...DEPARTMENT, of: 'subject:technical-user', type: 'int' }),
    ).toMatchObject({
      code: 'invalid',
      field: 'type',
      message: 'type: department of subject:user is declared as string; one name has one type within subject',
    });
    await world.run('property.create', { ...DEPARTMENT, of: 'subject:technical-user', source: 'passed' });
    await world.run('property.create', { ...DEPARTMENT, of: 'resource:location', type: 'int' });
    await expectWhole();
  });

  test('has one type even where two are declared at the same time', async () => {
    const outcomes = await Promise.all(
      ['string', 'int', 'bool'].map((type, n) =>
        world.outcome('property.create', { ...DEPARTMENT, of: `subject:type-${n}`, type }),
      ),
    );
    expect(outcomes.toSorted()).toEqual(['invalid type', 'invalid type', 'ok']);
    await expectWhole();
  });
});

const HOLDERS = [
  { type: 'user', of: 'subject:user', create: async () => ({}) },
  {
    type: 'technical-user',
    of: 'subject:technical-user',
    create: async (from: LedgerWorld) => ({
      name: 'robot',
      account: `account:${(await from.run('account.create', { name: 'A' })).id}`,
    }),
  },
  { type: 'location', of: 'resource:location', create: async () => ({ name: 'Here' }) },
  {
    type: 'workstream',
    of: 'resource:workstream',
    create: async (from: LedgerWorld) => ({
      name: 'Work',
      parent: `account:${(await from.run('account.create', { name: 'A' })).id}`,
      enterprise: `enterprise:${(await from.run('enterprise.create', { name: 'E' })).id}`,
    }),
  },
] as const;

describe.each(HOLDERS)('the stored properties of a $type', ({ type, of, create }) => {
  const stored = async (id: string) => {
    const item = (await world.reader.get(decisionKey({ type, id }))) ?? { PK: '', SK: '' };
    return of.startsWith('subject:')
      ? decodeSubject(item).properties
      : decodeScope(`${type}:${id}`, item).properties;
  };

  test('are replaced as a whole, and cleared by null or by an empty map', async () => {
    const { id } = await world.run(`${type}.create`, {
      ...(await create(world)),
      properties: { a: 1, b: 2 },
    });
    await world.run(`${type}.update`, { id, properties: { b: 3 } });
    expect(await stored(id)).toEqual({ b: 3 });
    await world.run(`${type}.update`, { id, properties: null });
    expect(await stored(id)).toEqual({});
    expect(await world.run(`${type}.read`, { id })).not.toHaveProperty('properties');
    await world.run(`${type}.update`, { id, properties: { c: true } });
    await world.run(`${type}.update`, { id, properties: {} });
    expect(await stored(id)).toEqual({});
    await expectWhole();
  });

  test('fit their declarations, and may be undeclared', async () => {
    await world.run('property.create', { of, name: 'level', type: 'int', source: 'stored' });
    const input = await create(world);
    const error = invalid('properties.level', `is declared as int of ${of}`);
    expect(await world.refused(`${type}.create`, { ...input, properties: { level: '3' } })).toEqual(error);
    const { id } = await world.run(`${type}.create`, { ...input, properties: { level: 3, other: 'x' } });
    expect(await world.refused(`${type}.update`, { id, properties: { level: 3.5 } })).toEqual(error);
    expect(await stored(id)).toEqual({ level: 3, other: 'x' });
  });
});

describe('stored properties are refused', () => {
  const deep = { a: { b: { c: { d: 1 } } } };
  test.each<[string, unknown, string, string]>([
    ['that are no map', ['a'], 'properties', 'must be a map'],
    ['with a name that is none', { 'a-b': 1 }, 'properties.a-b', NO_PROPERTY],
    ['with a name that JavaScript uses', { prototype: 1 }, 'properties.prototype', NO_PROPERTY],
    ['with such a name deeper', { a: { constructor: 1 } }, 'properties.a.constructor', NOT_KEPT],
    ['with null', { a: null }, 'properties.a', NO_VALUE],
    ['with a list of numbers', { a: [1] }, 'properties.a', 'is a list of something other than text'],
    ['with a number that the table cannot keep', { a: 2 ** 60 }, 'properties.a', NO_NUMBER],
    ['with too many levels', { a: deep }, 'properties.a.a.b.c', 'is nested more than 3 levels deep'],
    ['with half a character', { a: '\ud800' }, 'properties.a', 'holds half a character (a lone surrogate)'],
    ['that are too large', { a: 'x'.repeat(4_090) }, 'properties', 'is larger than 4096 bytes as JSON'],
  ])('%s', async (_, properties, field, said) => {
    expect(await world.refused('user.create', { properties })).toEqual(invalid(field, said));
  });

  test('up to 4 KB and three levels are taken', async () => {
    const properties = { a: { b: { c: { d: 1 } } }, text: '' };
    properties.text = 'x'.repeat(4_096 - JSON.stringify(properties).length);
    expect(await world.run('user.create', { properties })).toMatchObject({ properties });
  });
});
