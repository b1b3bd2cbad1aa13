import { describe, expect, test } from 'vitest';
import { convert, PASSED_BOUNDS, variablesOf } from '../../../engine/conditions/declarations.ts';
import type { Declaration, Declarations } from '../../../table/properties.ts';

describe('a value fits its type', () => {
  test.each([
    ['string', 'a', 'a'],
    ['bool', false, false],
    ['int', 5, 5n],
    ['int', -9007199254740991, -9007199254740991n],
    ['double', 5, 5],
    ['timestamp', '2026-07-01T12:00:00+02:00', new Date('2026-07-01T10:00:00Z')],
    ['timestamp', '2026-07-01T12:00:00.123999Z', new Date('2026-07-01T12:00:00.123Z')],
    ['timestamp', new Date(5), new Date(5)],
    ['list<string>', ['a', 'b'], ['a', 'b']],
    [
      'map',
      { a: 1, b: [1.5, null], c: { d: true } },
      new Map<string, unknown>([
        ['a', 1n],
        ['b', [1.5, null]],
        ['c', new Map([['d', true]])],
      ]),
    ],
  ] as const)('%s: %j', (type, value, expected) => {
    expect(convert(value, type)).toEqual(expected);
  });

  test.each([
    ['string', 1],
    ['string', '\ud800'],
    ['string', 'x'.repeat(PASSED_BOUNDS.string + 1)],
    ['bool', 'true'],
    ['int', 1.5],
    ['int', 9007199254740992],
    ['int', '1'],
    ['double', Number.NaN],
    ['double', '1.5'],
    ['timestamp', '2026-07-01'],
    ['timestamp', '2026-07-01T12:00:00'],
    ['timestamp', '2026-02-30T12:00:00Z'],
    ['timestamp', '2026-07-01T24:00:00Z'],
    ['timestamp', '1969-12-31T23:59:59Z'],
    ['timestamp', 1_751_371_200],
    ['timestamp', new Date(Number.NaN)],
    ['list<string>', ['a', 1]],
    ['list<string>', 'a'],
    ['list<string>', new Array(PASSED_BOUNDS.list + 1).fill('a')],
    ['map', []],
    ['map', null],
    ['map', { a: { b: { c: { d: {} } } } }],
    ['map', { a: undefined }],
    ['map', { a: Array.from({ length: 10 }, () => 'x'.repeat(8_000)) }],
  ] as const)('not %s: %j', (type, value) => {
    expect(convert(value, type)).toBeUndefined();
  });

  test('no name of a map is a name of JavaScript', () => {
    const map = convert(JSON.parse('{"__proto__": {"a": true}, "constructor": 1}'), 'map');
    expect(map).toEqual(
      new Map<string, unknown>([
        ['__proto__', new Map([['a', true]])],
        ['constructor', 1n],
      ]),
    );
  });
});

describe('variables', () => {
  const declarations: Declarations = new Map<string, ReadonlyMap<string, Declaration>>([
    ['subject:user', new Map([['department', { type: 'string', source: 'stored' }]])],
    ['resource:record', new Map([['owner', { type: 'string', source: 'passed' }]])],
    ['action', new Map([['soft', { type: 'bool', source: 'passed' }]])],
    ['context', new Map([['reason', { type: 'string', source: 'passed' }]])],
  ]);
  const subject = { type: 'user', id: 'alice' };
  const resource = { type: 'record', id: 'r1' };
  const action = { name: 'write' };

  test('hold what is declared, from where it is declared to come', () => {
    const variables = variablesOf(
      {
        subject: { ...subject, stored: { department: 'a', secret: 1 }, passed: { department: 'b' } },
        resource: { ...resource, stored: { owner: 'a' }, passed: { owner: 'b' } },
        action: { ...action, passed: { soft: true, other: 1 } },
        context: { reason: 'x', ip: '1.2.3.4', other: 1 },
      },
      declarations,
    );
    expect(variables.subject.get('properties')).toEqual(new Map([['department', 'a']]));
    expect(variables.resource.get('properties')).toEqual(new Map([['owner', 'b']]));
    expect(variables.action.get('properties')).toEqual(new Map([['soft', true]]));
    expect(variables.context).toEqual(
      new Map([
        ['reason', 'x'],
        ['ip', '1.2.3.4'],
      ]),
    );
  });

  test('lack what does not fit, and what only a prototype has', () => {
    const passed = Object.create({ owner: 'a' });
    const variables = variablesOf(
      { subject, resource: { ...resource, passed }, action: { ...action, passed: { soft: 'yes' } } },
      declarations,
    );
    expect(variables.resource.get('properties')).toEqual(new Map());
    expect(variables.action.get('properties')).toEqual(new Map());
    expect(variables.context).toEqual(new Map());
  });

  test('lack what is beyond the bytes that all passed properties have together', () => {
    const names = Array.from({ length: 10 }, (_, index) => `p${index}`);
    const many: Declarations = new Map([
      ['action', new Map(names.map((name) => [name, { type: 'string', source: 'passed' } as const]))],
    ]);
    const passed = Object.fromEntries(names.map((name) => [name, 'x'.repeat(PASSED_BOUNDS.string)]));
    const variables = variablesOf({ subject, resource, action: { ...action, passed } }, many);
    expect(variables.action.get('properties')).toHaveProperty('size', 7);
  });

  test('the context of the request is declared already, and cannot be declared otherwise', () => {
    const other: Declarations = new Map([['context', new Map([['ip', { type: 'int', source: 'passed' }]])]]);
    const { context } = variablesOf({ subject, resource, action, context: { ip: '1.2.3.4' } }, other);
    expect(context.get('ip')).toBe('1.2.3.4');
  });
});
