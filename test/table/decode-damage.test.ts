import { describe, expect, test } from 'vitest';
import * as attribute from '../../table/decision/attributes.ts';
import {
  decodeGlobal,
  decodeGroupRoles,
  decodeMemberships,
  decodePermission,
  decodeStamp,
  decodeSubject,
  stampOf,
} from '../../table/decision/decode.ts';
import { decodeCredential, decodeMandate } from '../../table/decision/decode-credentials.ts';
import { decodeExternalGroups } from '../../table/decision/decode-external-groups.ts';
import type { Item } from '../../table/item.ts';
import {
  decodeThisScope,
  END,
  FOLDED_ROOT,
  item,
  PERMISSION,
  ROLES,
  SCOPE,
  START,
  SUBJECT,
  TENANT,
} from './decision-items.ts';
import { ID, refusalNow } from './support.ts';

const ASSIGNED = attribute.assignmentAttribute(TENANT, 'r3');
const GRANTED = attribute.grantAttribute(TENANT);

/** Attribute → values that the writer never puts there. */
type Damages = Readonly<Record<string, readonly unknown[]>>;

const NO_SET = ['r1', ['r1'], [], true, 1, null, {}, new Set([1]), new Set(['r1', 2])];
const NO_DATE = [
  ...['', 'soon', '2026', '2026-04-01', '2026-04-01T00:00:00Z', '2026-04-01T00:00:00.000', 1, null],
];
const NO_BOOLEAN = ['true', 1, 0, null, '', new Set(['x'])];
/** Attributes that no kind of item has: of a newer version, or with a part missing. */
const NO_ATTRIBUTES = {
  'new|x': [''],
  'new|x|y': [new Set(['r'])],
  isLocked: [true],
  'grant|': [new Set(['r'])],
  '|x': [''],
  grant: [new Set(['r'])],
  assign: ['/'],
  group: [new Set(['r'])],
  role: [''],
  wild: ['DENY'],
  when: [{ effect: 'ALLOW', when: 'true' }],
  property: ['string stored'],
};
const NO_MAP = ['', 'x', 1, null, true, ['x'], new Set(['x'])];
const NO_CONDITION = [
  ...NO_MAP,
  {},
  { effect: 'ALLOW' },
  { when: 'true' },
  { effect: 'MAYBE', when: 'true' },
  { effect: 'ALLOW', when: 1 },
  { effect: 'ALLOW', when: 'true', unless: 'true' },
];

const NO_TEXT = ['', 1, null, true, ['x']];
const NO_REF = [...NO_TEXT, undefined, 'user', 'user:', ':ann', new Set(['user:ann'])];
/** What is not a list of 1 to `most` texts, each like `good`. */
const noList = (good: string, most: number) => [
  ...[undefined, good, [], [good, 1], [good, ''], [good, 'no name'], new Set([good]), { 0: good, length: 1 }],
  Array.from({ length: most + 1 }, () => good),
];
const SHOWN = { status: 'active', endsAt: END, subject: 'user:ann', hash: 'x' };
const OF_SHOWN = {
  ...NO_ATTRIBUTES,
  [attribute.roleAttribute('r1')]: [''],
  status: [undefined, null, true, 1],
  endsAt: [...NO_DATE, undefined],
  subject: NO_REF,
  hash: NO_TEXT,
};

const KINDS: readonly (readonly [
  what: string,
  sound: Item,
  decode: (item: Item) => unknown,
  damages: Damages,
])[] = [
  [
    'a subject',
    SUBJECT,
    decodeSubject,
    {
      ...NO_ATTRIBUTES,
      status: [undefined, null, true, 1, new Set(['active'])],
      endsAt: NO_DATE,
      isAdmin: NO_BOOLEAN,
      groups: NO_SET,
      roles: NO_SET,
      [GRANTED]: NO_SET,
      [`${GRANTED}|x`]: [new Set(['r'])],
      [ASSIGNED]: [
        ...['', START, `${START}/`.slice(0, -1), `${START}/${END}/${END}`, `x/${END}`, `${START}/x`],
        ...[`2026-03-01/${END}`, `${START}/2026-04-01T00:00:00+02:00`, 1, null, true, new Set([START])],
      ],
      [`assign|${TENANT}`]: ['/'],
      [`assign|${TENANT}|`]: ['/'],
      [`assign|${TENANT}|r|x`]: ['/'],
      [attribute.groupAttribute('g1')]: [new Set(['r1'])],
      [attribute.roleAttribute('r1')]: [''],
      registered: [true],
      properties: NO_MAP,
    },
  ],
  [
    'a subject whose groups stand apart',
    item(`USER#${ID}`, { v: 2, status: 'active', groupsIn: 'scope' }),
    decodeSubject,
    { groups: [new Set(['g1'])], groupsIn: ['', 'apart', true, null] },
  ],
  [
    'a subject with groups at a scope, in the form that has them',
    item(`USER#${ID}`, { v: 2, status: 'active', [attribute.groupsAtAttribute(TENANT)]: new Set(['g1']) }),
    decodeSubject,
    { v: [1], [attribute.groupsAtAttribute(TENANT)]: NO_SET },
  ],
  [
    'its groups at a scope',
    item(`USER#${ID}`, { groups: new Set(['g1']) }),
    decodeMemberships,
    { ...NO_ATTRIBUTES, groups: NO_SET, status: ['active'], [attribute.roleAttribute('r1')]: [''] },
  ],
  [
    'the roles of a group',
    item(`GROUP#${ID}`, { roles: new Set(['r1']), scope: TENANT }),
    decodeGroupRoles,
    { ...NO_ATTRIBUTES, roles: NO_SET, status: ['active'], [attribute.roleAttribute('r1')]: [''] },
  ],
  [
    'a scope',
    SCOPE,
    decodeThisScope,
    {
      ...NO_ATTRIBUTES,
      status: [undefined, null, true, 1],
      ancestors: ['x', TENANT, {}, null, true, [1], [''], ['tenant'], [`${TENANT}#`], new Set([TENANT])],
      combination: ['', 'first-wins', 'ALLOW', true, null],
      [attribute.groupAttribute('g1')]: NO_SET,
      'group|g1|x': [new Set(['r1'])],
      [attribute.roleAttribute('r5')]: [1, null, true, ['r6'], new Set(['r6'])],
      'role|r5|x': [''],
      [attribute.patternAttribute('r5', 'a:*:*')]: ['', 'allow', 'MAYBE', true, 1, null],
      'wild|r5': ['ALLOW'],
      'wild|r5|': ['DENY'],
      'wild|r5|a:b:c': ['DENY'],
      'wild|r5|a:*:*|x': ['DENY'],
      [attribute.patternAttribute('r6', 'b:*:*')]: NO_CONDITION.filter((each) => each !== 'ALLOW'),
      properties: NO_MAP,
      isAdmin: [true],
      // Of a root with folded roles only.
      roleTable: ['folded', 'x', true],
      closing: [new Set(['r5'])],
      [attribute.heirsAttribute('r5')]: [new Set(['r6'])],
      [attribute.foldedPatternAttribute('ALLOW', 'c:*:*')]: [new Set(['r6'])],
    },
  ],
  [
    'a root with folded roles',
    FOLDED_ROOT,
    decodeThisScope,
    {
      ...NO_ATTRIBUTES,
      roleTable: ['x', true, new Set(['folded'])],
      closing: NO_SET,
      [attribute.heirsAttribute('r1')]: NO_SET,
      // Of one role: a second parent, a second effect.
      [attribute.heirsAttribute('r9')]: [new Set(['r2'])],
      [attribute.foldedPatternAttribute('DENY', 'a:*:*')]: [new Set(['r1'])],
      [attribute.patternAttribute('r1', 'a:*:*')]: [{ effect: 'ALLOW', when: 'true' }],
      'heirs|r1|x': [new Set(['r4'])],
      [attribute.foldedPatternAttribute('ALLOW', 'a:*:*')]: NO_SET,
      [attribute.foldedPatternAttribute('ALLOW', 'a:b:c')]: [new Set(['r1'])],
      'allow|a:*:*|x': [new Set(['r4'])],
      [attribute.roleAttribute('r1')]: ['', 'r4'],
      [attribute.patternAttribute('r1', 'c:*:*')]: ['ALLOW', 'DENY'],
    },
  ],
  [
    'the global roles',
    ROLES,
    decodeGlobal,
    {
      ...NO_ATTRIBUTES,
      [attribute.roleAttribute('r1')]: [1, null, true],
      [attribute.patternAttribute('r1', 'a:b:*')]: ['', 'allow', 1],
      [attribute.groupAttribute('g1')]: [new Set(['r1'])],
      status: ['active'],
      [attribute.propertyAttribute('subject:user', 'department')]: [
        '',
        'string',
        'text stored',
        'string kept',
        'string stored x',
        1,
      ],
      'property|context|reason|x': ['string passed'],
      properties: [{}],
    },
  ],
  [
    'a permission',
    PERMISSION,
    decodePermission,
    {
      ...NO_ATTRIBUTES,
      registered: NO_BOOLEAN,
      allow: NO_SET,
      deny: NO_SET,
      [attribute.roleAttribute('r1')]: [''],
      [attribute.patternAttribute('r1', '*:*:*')]: ['DENY'],
      status: ['active'],
      [attribute.conditionAttribute('r4')]: NO_CONDITION,
      // A role with an effect that always counts has no other.
      [attribute.conditionAttribute('r1')]: [{ effect: 'DENY', when: 'true' }],
      'when|r4|x': [{ effect: 'ALLOW', when: 'true' }],
      properties: [{}],
    },
  ],
  ['a credential', item('SESSION#s1', SHOWN), decodeCredential, { ...OF_SHOWN, actor: ['user:ann'] }],
  [
    'a mandate',
    item('MANDATE#m1', { ...SHOWN, actor: 'agent:bot', permissions: ['a:b:c'], scopes: [TENANT] }),
    decodeMandate,
    {
      ...OF_SHOWN,
      actor: NO_REF,
      permissions: noList('a:b:c', 50),
      scopes: noList(TENANT, 20),
      when: NO_TEXT,
      budget: NO_BOOLEAN,
    },
  ],
  [
    'the groups of an issuer',
    item('TENANT#t', { [attribute.externalAttribute('staff', 'x1')]: `g1 ${TENANT}` }),
    decodeExternalGroups,
    {
      ...NO_ATTRIBUTES,
      [attribute.externalAttribute('pupils', 'x2')]: [
        ...NO_TEXT,
        'g1',
        ` ${TENANT}`,
        'g1 tenant',
        `g1 ${TENANT} x`,
      ],
      // Of one group a second meaning.
      [attribute.externalAttribute('staff', 'x2')]: [`g2 ${TENANT}`],
    },
  ],
];

describe.each(KINDS)('a damaged item of %s', (_what, sound, decode, damages) => {
  const cases = Object.entries({ v: [undefined, null, 0, '1', true], ...damages }).flatMap(
    ([attribute, values]) => values.map((value) => [attribute, value] as const),
  );

  test.each(cases)('is refused: %s = %o', (attribute, value) => {
    expect(() => decode(sound)).not.toThrow();
    const refusal = refusalNow(() => decode({ ...sound, [attribute]: value }));
    expect(refusal).toMatchObject({ code: 'damaged_item', field: attribute, retryable: false });
  });
});

describe.each(KINDS)('an item of %s that a later release wrote', (_what, sound, decode) => {
  test('is refused as newer, with what to do, and not as damaged', () => {
    const refusal = refusalNow(() => decode({ ...sound, v: 3, ofTomorrow: 'x' }));
    expect(refusal).toMatchObject({ code: 'newer_form', field: 'v', retryable: false });
    expect((refusal as Error).message).toMatch(
      / is of form 3, newer than form 2, .*deploy the newer release/,
    );
  });
});

const NO_STAMPS = [
  ...[undefined, null, '1000', true, new Set([1]), Number.NaN, 0.5].map(
    (value) => ['writtenAt', value] as const,
  ),
  ...[undefined, null, '', 1, true, new Set(['write-1'])].map((value) => ['writeId', value] as const),
];
describe.each(NO_STAMPS)('an item whose %s is %o', (attribute, value) => {
  const marred = { ...PERMISSION, [attribute]: value };

  test('is damaged where each write has stamped it', () => {
    expect(refusalNow(() => decodeStamp(marred))).toMatchObject({ code: 'damaged_item', field: attribute });
  });

  test('has no stamp where it may be from before there were any', () => {
    expect(stampOf(marred)).toBeUndefined();
  });
});

/** What is in no item that is written. What is: decision-round-trip.test.ts. */
describe('a sound item', () => {
  test('of a scope: what a role that is not listed holds is not in force', () => {
    expect([...decodeThisScope(SCOPE).roles.keys()]).toEqual(['r5', 'r6']);
  });

  test('may hold nothing that grants', () => {
    const bare = item('x', { status: 'suspended' });
    expect(decodeSubject(bare)).toMatchObject({
      active: false,
      endsAt: Number.POSITIVE_INFINITY,
      isAdmin: false,
    });
    expect(decodeThisScope(bare)).toMatchObject({
      active: false,
      ancestors: [],
      combination: 'allow-overrides',
    });
    expect(decodePermission(item('x', {}))).toEqual({
      registered: false,
      allow: new Set(),
      deny: new Set(),
      conditional: new Map(),
    });
    expect(decodeGlobal(item('x', {}))).toEqual({
      roles: new Map(),
      soldModules: new Set(),
      declarations: new Map(),
    });
  });
});
