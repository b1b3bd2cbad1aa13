import { beforeAll, describe, expect, test } from 'vitest';
import { loadCel } from '../../../engine/conditions/load.ts';
import { decide, residualOf, usesOfGiven } from '../../../engine/decide.ts';
import { ALLOWED, DENIED } from '../../../engine/decision.ts';
import type { DecisionInput } from '../../../engine/decision-input.ts';
import type { Given } from '../../../engine/given.ts';
import type { ConditionalEffect, GlobalItem, ScopeItem } from '../../../table/decision/items.ts';
import type { Declaration, Properties } from '../../../table/properties.ts';
import { scopeItem, subjectItem } from '../items.ts';

/** SPEC section 8: conditions of effects, in decisions. */
beforeAll(loadCel);

const AT = 1_000;
const RECORD = 'record:r1';
const TENANT = 'tenant:t';

const stored = (type: Declaration['type']): Declaration => ({ type, source: 'stored' });
const passed = (type: Declaration['type']): Declaration => ({ type, source: 'passed' });
const DECLARATIONS = new Map([
  [
    'subject:user',
    new Map([
      ['department', stored('string')],
      ['device', passed('string')],
    ]),
  ],
  [
    'resource:record',
    new Map([
      ['status', stored('string')],
      ['owner', passed('string')],
    ]),
  ],
  ['action', new Map([['soft', passed('bool')]])],
]);

interface Scenario {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Role → effect and condition. */
  readonly conditional?: Readonly<Record<string, readonly [ConditionalEffect['effect'], string]>>;
  readonly patterns?: GlobalItem['roles'];
  readonly roles?: readonly string[];
  readonly combination?: ScopeItem['combination'];
  readonly subject?: Properties;
  readonly resource?: Properties;
  readonly given?: Given;
  readonly isAdmin?: boolean;
}

function inputOf(scenario: Scenario): DecisionInput {
  const { allow = [], deny = [], conditional = {}, combination = 'allow-overrides' } = scenario;
  const { roles = [...allow, ...deny, ...Object.keys(conditional)], patterns } = scenario;
  const listed = new Map(roles.map((role) => [role, { parent: undefined, patterns: new Map() }]));
  const effects = Object.entries(conditional).map(
    ([role, [effect, when]]) => [role, { effect, when }] as const,
  );
  return {
    question: {
      subject: 'user:ann',
      permission: 'records:write:record',
      scope: RECORD,
      given: scenario.given,
    },
    credential: undefined,
    subject: subjectItem({
      globalRoles: roles,
      isAdmin: scenario.isAdmin ?? false,
      properties: scenario.subject ?? {},
    }),
    tokenGroups: [],
    scopes: [
      scopeItem(RECORD, { ancestors: [TENANT], properties: scenario.resource ?? {} }),
      scopeItem(TENANT, { combination }),
    ],
    permission: {
      registered: true,
      module: undefined,
      allow: new Set(allow),
      deny: new Set(deny),
      conditional: new Map(effects),
      patterns: ['records:*:record', 'records:write:*', 'records:*:*', '*:*:*'],
    },
    tenantEffects: { allow: new Set(), deny: new Set(), conditional: new Map(), isStored: false },
    global: { roles: patterns ?? listed, soldModules: new Set(), declarations: DECLARATIONS },
  };
}
const reasonOf = (scenario: Scenario) => decide(inputOf(scenario), AT).reason;

describe('an ALLOW with a condition', () => {
  const open = { conditional: { editor: ['ALLOW', "resource.properties.status != 'archived'"] } } as const;

  test.each<[string, Scenario, string]>([
    ['counts where the condition holds', { resource: { status: 'active' } }, 'role'],
    ['is as if it were not there where it does not', { resource: { status: 'archived' } }, 'no_grant'],
    ['does not count where a property is missing', {}, 'condition_failed'],
    ['does not count where a property is of another type', { resource: { status: 7 } }, 'condition_failed'],
    [
      'ignores what is passed of a stored property',
      { given: { resource: { properties: { status: 'active' } } } },
      'condition_failed',
    ],
    [
      'is not asked for where another ALLOW is enough',
      { allow: ['reader'], roles: ['reader', 'editor'] },
      'role',
    ],
    ['does not matter to an administrator', { isAdmin: true }, 'admin'],
    ['does not matter where the role is not held', { roles: [], resource: { status: 'active' } }, 'no_grant'],
  ])('%s', (_what, scenario, reason) => {
    expect(reasonOf({ ...open, ...scenario })).toBe(reason);
  });

  test('that cannot be evaluated does not hide that a role denies it anyway', () => {
    expect(reasonOf({ ...open, deny: ['banned'], combination: 'deny-overrides' })).toBe('denied_by_role');
    expect(reasonOf({ ...open, deny: ['banned'] })).toBe('condition_failed');
  });
});

describe('a DENY with a condition', () => {
  const closing = {
    allow: ['reader'],
    conditional: { closed: ['DENY', "resource.properties.status == 'archived'"] },
    combination: 'deny-overrides',
  } as const;

  test.each<[string, Scenario, string]>([
    ['counts where the condition holds', { resource: { status: 'archived' } }, 'denied_by_role'],
    ['is as if it were not there where it does not', { resource: { status: 'active' } }, 'role'],
    ['counts where it cannot be evaluated', {}, 'condition_failed'],
    ['is overridden like any DENY where one ALLOW is enough', { combination: 'allow-overrides' }, 'role'],
    [
      'that cannot be evaluated changes nothing where nothing allows',
      { allow: [], roles: ['closed'] },
      'denied_by_role',
    ],
    [
      'is not asked for where another DENY refuses',
      { deny: ['banned'], roles: ['reader', 'closed', 'banned'] },
      'denied_by_role',
    ],
  ])('%s', (_what, scenario, reason) => {
    expect(reasonOf({ ...closing, ...scenario })).toBe(reason);
  });
});

describe('conditions look at', () => {
  const holds = (when: string, scenario: Scenario = {}): boolean =>
    decide(inputOf({ ...scenario, conditional: { editor: ['ALLOW', when] } }), AT).allowed;

  test('type and id of subject and resource', () => {
    expect(holds("subject.type == 'user' && subject.id == 'ann'")).toBe(true);
    expect(holds("resource.type == 'record' && resource.id == 'r1'")).toBe(true);
  });

  test('the action: that of the permission, or as it is given', () => {
    expect(holds("action.name == 'write'")).toBe(true);
    expect(holds("action.name == 'edit'", { given: { action: { name: 'edit' } } })).toBe(true);
    expect(holds('action.properties.soft', { given: { action: { properties: { soft: true } } } })).toBe(true);
    expect(holds('action.properties.soft')).toBe(false);
  });

  test('an object of the application that is not the scope, without what is stored of the scope', () => {
    const given = { resource: { type: 'record', id: 'row-7', properties: { owner: 'ann' } } };
    expect(holds('resource.properties.owner == subject.id', { given })).toBe(true);
    expect(holds("resource.id == 'row-7'", { given })).toBe(true);
    expect(holds("resource.properties.status == 'active'", { given, resource: { status: 'active' } })).toBe(
      false,
    );
  });

  test('passed properties of the scope beside the stored ones', () => {
    const given = { resource: { properties: { owner: 'ann' } } };
    const when = "resource.properties.owner == subject.id && resource.properties.status == 'active'";
    expect(holds(when, { given, resource: { status: 'active' } })).toBe(true);
  });

  test('the context, where it is declared: the built-in names always are', () => {
    expect(holds("context.ip == '10.0.0.1'", { given: { context: { ip: '10.0.0.1' } } })).toBe(true);
    expect(holds("context.reason == 'fire'", { given: { context: { reason: 'fire' } } })).toBe(false);
  });
});

test('a condition comes with the role that another inherits from, and with a pattern', () => {
  const when = "resource.properties.status == 'active'";
  const patterns = new Map([
    [
      'parent',
      { parent: undefined, patterns: new Map([['records:*:*', { effect: 'ALLOW', when } as const]]) },
    ],
    ['child', { parent: 'parent', patterns: new Map() }],
  ]);
  expect(reasonOf({ patterns, roles: ['child'], resource: { status: 'active' } })).toBe('role');
  expect(reasonOf({ patterns, roles: ['child'], resource: { status: 'archived' } })).toBe('no_grant');
  expect(reasonOf({ patterns, roles: ['child'] })).toBe('condition_failed');
});

test.each<[string, ConditionalEffect['effect'], string]>([
  ['an ALLOW that cannot be parsed does not count', 'ALLOW', 'condition_failed'],
  ['a DENY that cannot be parsed counts', 'DENY', 'denied_by_role'],
])('%s', (_what, effect, reason) => {
  expect(reasonOf({ conditional: { editor: [effect, 'context.ip =='] } })).toBe(reason);
});

describe('what of the request a decision rests on', () => {
  const usesOf = (when: string, scenario: Scenario = {}) => {
    const input = inputOf({ ...scenario, conditional: { editor: ['ALLOW', when] } });
    return usesOfGiven(residualOf(input, AT), input);
  };

  test.each<[string, readonly string[], Scenario?]>([
    ["resource.properties.status == 'active' && subject.id == resource.id", []],
    ["subject.properties.department == 'sales'", []],
    ["subject.properties.undeclared == 'x'", []],
    ["subject.properties.device == 'd1'", ['subject.properties.device']],
    ['action.properties.soft', ['action.properties.soft']],
    ["context.ip == '10.0.0.1' || context.time == context.time", ['context.ip', 'context.time']],
    ["resource.id == 'row-7'", ['resource.id'], { given: { resource: { id: 'row-7' } } }],
    ["context.ip == '10.0.0.1'", [], { allow: ['reader'], roles: ['reader', 'editor'] }],
    ["context.ip == '10.0.0.1'", [], { roles: [] }],
  ])('%s: %j', (when, uses, scenario) => {
    expect([...usesOf(when, scenario)].sort()).toEqual(uses);
  });

  test('nothing, where no condition was looked at', () => {
    const input = inputOf({ conditional: { editor: ['ALLOW', "context.ip == '10.0.0.1'"] } });
    for (const decision of [ALLOWED.admin, DENIED.scope_inactive, DENIED.not_subscribed])
      expect(usesOfGiven(decision, input)).toEqual([]);
  });
});
