import { expect, test } from 'vitest';
import { queriesOn } from '../../../provisioning/apply/queries.ts';
import { allowedBy, widerIn } from '../../../provisioning/evidence/role-changes.ts';
import { COMMANDS } from '../../../provisioning/index.ts';
import { readMatrix } from '../../../provisioning/matrix/matrix.ts';
import { createMemoryWorld } from '../../support/world.ts';

/** What roles of a manifest may do more than those of another, without people. */
async function matrixOf(role: string, combination = 'allow-overrides', owner = 'acme') {
  const world = createMemoryWorld();
  await world.apply(`
permissions: [a:b:c, a:b:d]
scopes: { acme: { id: acme, type: tenant, combination: ${combination} } }
roles:
  base: { owner: ${owner}, allow: [a:b:d] }
  one: { owner: ${owner}, ${role} }
`);
  return readMatrix(queriesOn(world.reader, COMMANDS).read, { scope: 'tenant:acme' });
}
const compare = async (before: string, after: string, combination?: string, then = combination) =>
  widerIn(await matrixOf(before, combination), await matrixOf(after, then)).map(
    ({ role, permission, verdict }) => `${role} ${permission} ${verdict}`,
  );
const ALLOW = 'allow: [a:b:c]';
const IF = (ip: string) => `allow: [{ permission: a:b:c, when: 'context.ip == "${ip}"' }]`;
const NOTHING = 'allow: []';

test.each([
  ['the same', ALLOW, ALLOW, []],
  ['less', 'allow: ["a:b:*"]', ALLOW, []],
  ['one more', NOTHING, ALLOW, ['one a:b:c wider']],
  ['a pattern in place of a name', ALLOW, 'allow: ["a:b:*"]', ['one a:b:<any> wider']],
  ['a name that a pattern covered', 'allow: ["a:*:c"]', ALLOW, []],
  ['what is inherited', NOTHING, 'parent: base', ['one a:b:d wider']],
  ['a condition on what there was none', ALLOW, IF('1.1.1.1'), []],
  ['the same condition', IF('1.1.1.1'), IF('1.1.1.1'), []],
  ['another condition', IF('1.1.1.1'), IF('2.2.2.2'), ['one a:b:c cannot_tell']],
  ['no condition any more', IF('1.1.1.1'), ALLOW, ['one a:b:c wider']],
  ['a condition on what was not allowed', NOTHING, IF('1.1.1.1'), ['one a:b:c wider']],
  ['a DENY that overrides nothing', 'deny: [a:b:c]', NOTHING, []],
])('%s', async (_, before, after, findings) => {
  expect(await compare(before, after)).toEqual(findings);
});

test('where a DENY overrides, one that goes opens what others allow', async () => {
  const strict = 'deny-overrides';
  expect(await compare('deny: [a:b:c]', NOTHING, strict)).toEqual(['one a:b:c wider']);
  expect(await compare(NOTHING, 'deny: [a:b:c]', strict)).toEqual([]);
  expect(await compare(NOTHING, 'allow: [a:b:c], deny: ["a:*:*"]', strict)).toEqual([]);
  expect(await compare('deny: ["a:*:*"]', 'deny: ["a:*:*"]', strict, 'allow-overrides')).toContain(
    'one a:<any>:<any> wider',
  );
  // What two patterns have in common is a case of its own.
  const both = 'allow: ["a:*:c"], deny: ["a:b:*"]';
  expect(await compare(both, 'allow: ["a:*:c"]', strict)).toContain('one a:b:c wider');
});

test.each([
  ['an ALLOW beside a DENY', 'parent: base', `parent: base, ${ALLOW}`, ['a:b:c wider']],
  ['no DENY any more', 'parent: base', NOTHING, ['a:b:c wider']],
  ['a DENY more', ALLOW, `parent: base, ${ALLOW}`, []],
])('of a role that no tenant owns, %s', async (_, before, after, findings) => {
  const of = async (role: string) => {
    const world = createMemoryWorld();
    await world.apply(`{ permissions: [a:b:c], roles: { base: { deny: [a:b:c] }, one: { ${role} } } }`);
    return readMatrix(queriesOn(world.reader, COMMANDS).read, {});
  };
  const found = widerIn(await of(before), await of(after));
  expect(found.map(({ permission, verdict }) => `${permission} ${verdict}`)).toEqual(findings);
});

test('what a role never allows', async () => {
  const strict = await matrixOf('allow: ["a:*:*"], deny: [a:b:c]', 'deny-overrides');
  expect(allowedBy(strict, 'one', 'a:b:c')).toEqual([]);
  expect(allowedBy(strict, 'one', 'a:b:d')).toMatchObject([{ permission: 'a:b:d', verdict: 'wider' }]);
  expect(allowedBy(strict, 'one', 'a:b:*')).not.toEqual([]);
  expect(allowedBy(strict, 'two', 'a:b:c')).toBeUndefined();
  const sometimes = await matrixOf(IF('1.1.1.1'));
  expect(allowedBy(sometimes, 'one', 'a:b:c')).toMatchObject([{ verdict: 'cannot_tell' }]);
});
