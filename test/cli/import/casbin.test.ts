import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { importCasbin } from '../../../cli/import/casbin.ts';
import { compared } from '../../../cli/import/imported.ts';
import * as fc from '../../support/fast-check.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-casbin-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ALLOW = 'some(where (p.eft == allow))';
const DENY_OVERRIDES = `${ALLOW} && !some(where (p.eft == deny))`;

interface Model {
  readonly domains?: boolean;
  readonly effect?: string;
  readonly matcher?: string;
  readonly objects?: boolean;
}

const modelOf = ({ domains = false, effect = ALLOW, objects = false, matcher }: Model): string => {
  const [dom, link, domain] = domains ? [', dom', '_, _, _', ', r.dom'] : ['', '_, _', ''];
  const object = objects ? 'g2(r.obj, p.obj)' : 'r.obj == p.obj';
  const usual = `g(r.sub, p.sub${domain})${domains ? ' && r.dom == p.dom' : ''} && ${object} && r.act == p.act`;
  return `[request_definition]
r = sub${dom}, obj, act
[policy_definition]
p = sub${dom}, obj, act, eft
[role_definition]
g = ${link}
${objects ? 'g2 = _, _\n' : ''}[policy_effect]
e = ${effect}
[matchers]
m = ${matcher ?? usual}
`;
};

async function imported(model: string, policy: readonly string[]) {
  const files = ['model.conf', 'policy.csv'].map((name) => join(folder, name));
  writeFileSync(files[0] as string, model);
  writeFileSync(files[1] as string, policy.join('\n'));
  const found = await importCasbin(files, { tenant: 'main', module: 'app' });
  return { ...found, answers: await compared(found) };
}

/** Nobody is asked about such a name. */
const PERHAPS_USER = 'others have it: it is a role here, and no user';

const oneOf = (...names: readonly string[]) => fc.constantFrom(...names);
const SUBJECT = oneOf('ann', 'ben', 'clerk', 'admin', 'boss');
const OBJECT = oneOf('invoice', 'order', 'papers', '/path', 'all');
const ACT = oneOf('read', 'pay', '*');
const EFFECT = oneOf('allow', 'allow', 'deny');
const DOMAIN = oneOf('acme', 'globex');

const worlds = fc.record({
  domains: fc.boolean(),
  objects: fc.boolean(),
  effect: oneOf(ALLOW, DENY_OVERRIDES, DENY_OVERRIDES, 'priority(p.eft) || deny'),
  matcher: oneOf('usual', 'wildcard', 'pattern'),
  lines: fc.array(fc.tuple(SUBJECT, DOMAIN, OBJECT, ACT, EFFECT), { maxLength: 8 }),
  links: fc.array(fc.tuple(SUBJECT, SUBJECT, DOMAIN), { maxLength: 7 }),
  kinds: fc.array(fc.tuple(OBJECT, OBJECT), { maxLength: 4 }),
});

/** RUNS: how many, for a longer run. */
test('random policies: never more than Casbin allows, and the same where nothing is left out', async () => {
  const seen = { same: 0, left: 0, allowed: 0 };
  await fc.assert(
    fc.asyncProperty(worlds, async ({ domains, objects, effect, matcher, lines, links, kinds }) => {
      const action = {
        usual: 'r.act == p.act',
        wildcard: '(r.act == p.act || p.act == "*")',
        pattern: 'regexMatch(r.act, p.act)',
      }[matcher];
      const usual = modelOf({ domains, objects, effect }).replace('r.act == p.act', action as string);
      const withDomain = (dom: string) => (domains ? [dom] : []);
      const policy = [
        ...lines.map(([sub, dom, obj, act, eft]) =>
          // A regular expression cannot begin with it.
          ['p', sub, ...withDomain(dom), obj, matcher === 'pattern' && act === '*' ? '.*' : act, eft].join(
            ', ',
          ),
        ),
        ...links.map(([from, to, dom]) => ['g', from, to, ...withDomain(dom)].join(', ')),
        ...(objects ? kinds.map(([from, to]) => `g2, ${from}, ${to}`) : []),
      ];
      const { answers, left } = await imported(usual, policy);
      expect(answers?.wider).toEqual([]);
      const isExact = left.every(({ reason }) => reason === PERHAPS_USER) && matcher !== 'pattern';
      if (isExact) expect(answers?.narrower).toEqual([]);
      seen[isExact ? 'same' : 'left'] += 1;
      seen.allowed += answers?.tests.flatMap(({ allow }) => allow).length ?? 0;
    }),
    { numRuns: Number(process.env.RUNS ?? 60) },
  );
  expect(seen.same).toBeGreaterThan(10);
  expect(seen.left).toBeGreaterThan(10);
  expect(seen.allowed).toBeGreaterThan(40);
});

test('a chain of roles is followed as far as Casbin follows it', async () => {
  const chain = Array.from({ length: 12 }, (_, n) => `g, r${n}, r${n + 1}`);
  const lines = Array.from({ length: 13 }, (_, n) => `p, r${n}, o${n}, read, allow`);
  const { answers, left } = await imported(modelOf({}), [...lines, ...chain, 'g, ann, r0']);
  expect(left).toEqual([]);
  expect(answers).toMatchObject({ wider: [], narrower: [] });
  expect(answers?.tests).toMatchObject([{ subject: 'ann', allow: { length: 10 }, deny: { length: 3 } }]);
});

test('actions may have roles, as objects have: what refuses one refuses all that have it', async () => {
  const matcher = 'g(r.sub, p.sub) && g2(r.obj, p.obj) && g2(r.act, p.act)';
  const { answers, left } = await imported(modelOf({ objects: true, effect: DENY_OVERRIDES, matcher }), [
    'p, ann, papers, read, allow',
    'p, ben, papers, read, deny',
    'p, ben, invoice, view, allow',
    'g2, view, read',
    'g2, invoice, papers',
  ]);
  expect(left).toEqual([]);
  expect(answers).toMatchObject({ wider: [], narrower: [] });
  expect(answers?.tests).toMatchObject([
    { subject: 'ann', allow: { length: 4 }, deny: [] },
    { subject: 'ben', allow: [], deny: { length: 4 } },
  ]);
});

describe('what cannot be said', () => {
  test('a deny line takes the allow lines with it that it may restrict', async () => {
    const matcher = 'g(r.sub, p.sub) && keyMatch(r.obj, p.obj) && r.act == p.act';
    const lines = [
      'p, clerk, invoice, read, allow',
      'p, clerk, invoice, pay, allow',
      'p, clerk, *, pay, deny',
    ];
    const model = modelOf({ effect: DENY_OVERRIDES, matcher });
    const { left, answers } = await imported(model, [...lines, 'g, ann, clerk']);
    expect(left.map(({ what }) => what)).toEqual(['p, clerk, *, pay, deny', 'p, clerk, invoice, pay, allow']);
    expect(answers?.wider).toEqual([]);
    expect(answers?.tests).toMatchObject([{ subject: 'ann', allow: ['app:read:invoice'] }]);
  });

  test('deny lines that the effect of the model does not look at, and other alternatives', async () => {
    const matcher = '(g(r.sub, p.sub) && r.obj == p.obj && r.act == p.act) || r.sub == "root"';
    const { left } = await imported(modelOf({ matcher }), ['p, ann, invoice, read, deny']);
    expect(left.map(({ reason }) => reason)).toEqual([
      'another alternative of the matcher',
      'it has no effect: the policy effect of the model looks at allow lines alone',
    ]);
  });

  test('who others are linked to and no line names: perhaps a user', async () => {
    const lines = ['p, clerk, invoice, read, allow', 'p, admin, invoice, pay, allow'];
    const links = ['g, cy, clerk', 'g, dee, cy', 'g, admin, clerk', 'g, ann, admin'];
    const { left, answers } = await imported(modelOf({}), [...lines, ...links]);
    expect(left).toEqual([{ what: 'cy', reason: PERHAPS_USER }]);
    expect(answers).toMatchObject({ wider: [], narrower: [] });
    expect(answers?.tests.map(({ subject }) => subject)).toEqual(['dee', 'ann']);
  });

  const USUAL = 'g(r.sub, p.sub) && r.obj == p.obj && r.act == p.act';
  const ROOT = `${USUAL} || r.sub == "root"`;
  test.each<[string, Model, string]>([
    ['a matcher with more', { matcher: `${USUAL} && r.sub != "ann"` }, 'restricts every line: r_sub!="ann"'],
    ['what is allowed unless denied', { effect: '!some(where (p.eft == deny))' }, 'otherwise than roles do'],
    ['another alternative that may refuse', { effect: DENY_OVERRIDES, matcher: ROOT }, 'may refuse as well'],
    [
      'roles in domains that the matcher does not give',
      { domains: true, matcher: `${USUAL} && r.dom == p.dom` },
      'g has 3 parts',
    ],
  ])('%s: nothing is imported', async (_, model, message) => {
    await expect(imported(modelOf(model), [])).rejects.toThrow(message);
  });
});
