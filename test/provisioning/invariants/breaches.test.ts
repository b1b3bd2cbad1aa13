import { expect, test } from 'vitest';
import { firstBreach } from '../../../provisioning/invariants/breaches.ts';
import { createFindings } from '../../../provisioning/invariants/findings.ts';
import type { Timeline, Verdict } from '../../../provisioning/invariants/timelines.ts';
import { createMemoryTable } from '../../../table/memory/index.ts';

/** What breaks an invariant, by what one subject holds at scopes from instants on. */
const [A, B, C] = ['pay:create:bill', 'pay:approve:bill', 'desk'];
const PERMISSIONS = [A, B, C];
const SEPARATE = { id: 'i', name: 'i', separate: [A, B, C] };

/** At each instant what is held of A, B and C: `-` no, `?` perhaps, `+` certain. */
const timeline = (scope: string, at: Readonly<Record<number, string>>): Timeline => ({
  scope,
  text: scope,
  from: Object.keys(at).map(Number),
  verdicts: Object.values(at).map((all) =>
    [...all].map((one): Verdict => (one === '+' ? 'certain' : one === '?' ? 'may' : 'no')),
  ),
});

type Given = Parameters<typeof firstBreach>;
function said(
  invariant: Given[0],
  timelines: Given[1],
  earlier?: Given[4],
  isExempt: Given[3] = () => false,
) {
  const breach = firstBreach(invariant, timelines, PERMISSIONS, isExempt, earlier);
  const granted = breach?.granted.map(
    ({ permission, scope, certain }) => `${NAMES[permission]}@${scope}${certain ? '' : '?'}`,
  );
  return granted && `${breach?.from}: ${granted.join(' ')}`;
}
const NAMES: Readonly<Record<string, string>> = { [A]: 'A', [B]: 'B', [C]: 'C' };
const [north, south] = [
  (at: Record<number, string>) => timeline('north', at),
  (at: Record<number, string>) => timeline('south', at),
];

test.each([
  ['two in the tenant', [north({ 0: '+--' }), south({ 0: '-+-' })], '0: A@north B@south'],
  ['one only', [north({ 0: '+--' }), south({ 0: '+--' })], undefined],
  ['from when both are', [north({ 0: '+--', 5: '---' }), south({ 3: '-+-' })], '3: A@north B@south'],
  ['not one after the other', [north({ 0: '+--', 3: '---' }), south({ 3: '-+-' })], undefined],
  ['the first scope that may', [north({ 0: '?--' }), south({ 0: '?+-' })], '0: A@north? B@south'],
  ['a scope that is certain', [north({ 0: '?--' }), south({ 0: '++-' })], '0: A@south B@south'],
  ['two that are certain, in the order of the invariant', [north({ 0: '?++' })], '0: B@north C@north'],
  ['a later one that is certain', [north({ 0: '?+-', 7: '++-', 8: '++-' })], '7: A@north B@north'],
  ['else the first that may', [north({ 0: '??-', 7: '?+-' })], '0: A@north? B@north?'],
])('%s', (_, timelines, wanted) => expect(said(SEPARATE, timelines)).toBe(wanted));

test('within a scope, both are held there', () => {
  const within = { ...SEPARATE, within: 'scope' as const };
  expect(said(within, [north({ 0: '+--' }), south({ 0: '-+-' })])).toBeUndefined();
  expect(said(within, [north({ 0: '+--' }), south({ 0: '++-' })])).toMatch(/^0: .*south .*south$/);
});

test('never, but where the subject is excepted, and by a pattern', () => {
  const never = { id: 'n', name: 'n', never: 'pay:*:bill' };
  const timelines = [north({ 0: '--+' }), south({ 0: '-+-' })];
  expect(said(never, timelines)).toBe('0: B@south');
  expect(said(never, timelines, undefined, (scope) => scope === 'south')).toBeUndefined();
});

test.each([
  ['what was there breaks nothing', [north({ 0: '++-' })], [north({ 0: '+?-' })], undefined],
  ['one that is new', [north({ 0: '++-' })], [north({ 0: '+--' })], '0: A@north B@north'],
  ['one that goes on', [north({ 0: '++-' })], [north({ 0: '++-', 4: '-+-' })], '4: A@north B@north'],
  ['a third', [north({ 0: '+++' })], [north({ 0: '++-' })], '0: A@north C@north'],
  [
    'one that moves within the tenant breaks nothing',
    [north({ 0: '++-' }), south({ 0: '---' })],
    [north({ 0: '+--' }), south({ 0: '-+-' })],
    undefined,
  ],
])('after a change: %s', (_, timelines, earlier, wanted) =>
  expect(said(SEPARATE, timelines, earlier)).toBe(wanted),
);

test('a pattern breaks anew by a permission that was not held', () => {
  const separate = { id: 's', name: 's', separate: ['pay:*:bill', C] };
  expect(said(separate, [north({ 0: '+++' })], [north({ 0: '+-+' })])).toBe('0: B@north C@north');
});

test('of one person the worst is kept: what is certain first, then what is earliest', () => {
  const found = createFindings();
  const add = (from: number, certain: boolean) =>
    found.add({
      invariant: SEPARATE,
      breach: { granted: [{ permission: A, scope: 'north', certain, text: 'text' }], from },
      people: ['user:ann'],
      anybody: 'user:anybody',
      token: undefined,
      opened: createMemoryTable().reader,
    });
  for (const from of [5, 3, 4]) {
    add(from - 3, false);
    add(from, true);
  }
  expect(found.all.map(({ breach }) => breach.from)).toEqual([3]);
});
