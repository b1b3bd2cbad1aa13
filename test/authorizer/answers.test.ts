import { describe, expect, it } from 'vitest';
import { MAX_RESOURCE_LENGTH, toPolicy, toSimple } from '../../authorizer/answer.ts';
import type { Verdict } from '../../authorizer/index.ts';
import { parsePathTemplate } from '../../table/route-template.ts';
import { TENANT } from '../support/fake-engine.ts';
import * as fc from '../support/fast-check.ts';
import { ALICE, ARN, PLACE } from './support.ts';

const ALLOWED: Verdict = {
  allowed: true,
  reason: 'role',
  subject: `user:${ALICE}`,
  route: 'r1',
  permission: 'roster',
  scope: `location:${PLACE}`,
  tenant: TENANT,
  roles: ['role-1', 'role-2'],
};
const DENIED: Verdict = { allowed: false, reason: 'subject_unknown' };

const statement = (arn: string, verdict: Verdict) => {
  const [only, ...others] = toPolicy(arn, verdict).policyDocument.Statement;
  expect(others).toEqual([]);
  return only as { Effect: 'Allow' | 'Deny'; Resource: string };
};

describe('a policy', () => {
  it('denies it explicitly, also without a subject', () => {
    expect(toPolicy(`${ARN}/prod/GET/x`, DENIED)).toEqual({
      principalId: 'nobody',
      policyDocument: {
        Version: '2012-10-17',
        Statement: [{ Action: 'execute-api:Invoke', Effect: 'Deny', Resource: `${ARN}/prod/GET/x` }],
      },
      context: { reason: 'subject_unknown', coverage: 'route' },
    });
  });

  it('is below 8 KB with the longest of everything, also as a simple answer', () => {
    const longest = {
      ...ALLOWED,
      subject: `technical-user:${'u'.repeat(128)}`,
      scope: `location:${'l'.repeat(128)}`,
      tenant: `tenant:${'t'.repeat(128)}`,
      permission: Array(3).fill('p'.repeat(128)).join(':'),
      route: 'r'.repeat(128),
    };
    const resource = `${ARN}/prod/GET/`.padEnd(MAX_RESOURCE_LENGTH, 'x');
    const sizes = (roles: readonly string[]): readonly number[] =>
      [toPolicy(resource, { ...longest, roles }), toSimple({ ...longest, roles })].map((answer) =>
        Buffer.byteLength(JSON.stringify(answer)),
      );
    for (const count of [45, 46, 47, 10_000])
      for (const bytes of sizes(Array(count).fill('r'.repeat(128)))) expect(bytes).toBeLessThan(8_192);
    expect(toSimple({ ...longest, roles: Array(46).fill('r'.repeat(128)) }).context.roles).toHaveLength(
      5_933,
    );
    expect(toSimple({ ...longest, roles: Array(47).fill('r'.repeat(128)) }).context).toMatchObject({
      rolesLeftOut: 'true',
    });
  });

  it('property: names every path of literals that a route may have', () => {
    const literal = fc.string({ unit: fc.constantFrom(...'aZ09._~$@-'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(literal, { minLength: 1, maxLength: 3 }), (segments) => {
        const path = `/${segments.join('/')}`;
        expect(parsePathTemplate(path, 'path')).toHaveLength(segments.length);
        expect(statement(`${ARN}/prod/POST${path}`, ALLOWED)).toMatchObject({
          Effect: 'Allow',
          Resource: `${ARN}/prod/POST${path}`,
        });
      }),
    );
  });

  it.each(['prod/$connect', '$default/$connect', '$default/GET/x'])('may contain %s', (end) => {
    const arn = `${ARN}/${end}`;
    expect(statement(arn, ALLOWED)).toMatchObject({ Effect: 'Allow', Resource: arn });
  });

  it.each([
    ['*', '/prod/GET/*', '/prod/GET/?'],
    ['* within', '/prod/GET/a*b', '/prod/GET/a?b'],
    ['?', '/prod/GET/a?b', '/prod/GET/a?b'],
    ['a variable in the stage', '/\u0024{x}/GET/a', '/?{x}/GET/a'],
    ['a variable', '/prod/GET/\u0024{aws:username}', '/prod/GET/?{aws:username}'],
    ['a line feed', '/prod/GET/a\nb', '/prod/GET/a?b'],
    ['a null byte', '/prod/GET/a\u0000b', '/prod/GET/a?b'],
    ['a C1 control', '/prod/GET/a\u0085b', '/prod/GET/a?b'],
  ])('never allows an ARN that could match other ARNs: %s', (_, given, denied) => {
    expect(statement(`${ARN}${given}`, ALLOWED)).toEqual({
      Action: 'execute-api:Invoke',
      Effect: 'Deny',
      Resource: `${ARN}${denied}`,
    });
    expect(toPolicy(`${ARN}${given}`, ALLOWED).context).toMatchObject({ reason: 'arn_unusable' });
  });

  it('allows an ARN of 512 characters; a longer one is denied with all that share its prefix', () => {
    const start = `${ARN}/prod/GET/`;
    const longest = start + 'a'.repeat(MAX_RESOURCE_LENGTH - start.length);
    expect(statement(longest, ALLOWED)).toMatchObject({ Effect: 'Allow', Resource: longest });
    expect(statement(`${longest}a`, ALLOWED)).toMatchObject({
      Effect: 'Deny',
      Resource: `${longest.slice(0, -1)}*`,
    });
  });

  it('property: an Allow matches only its ARN, a Deny at least its ARN', () => {
    const path = fc.string({ unit: fc.constantFrom(...'ab/*?$:{}%', '\n', 'é'), maxLength: 600 });
    fc.assert(
      fc.property(path, fc.constantFrom('prod', '$default'), fc.boolean(), (tail, stage, allowed) => {
        const arn = `${ARN}/${stage}/GET/${tail}`;
        const { Effect, Resource } = statement(arn, { ...ALLOWED, allowed });
        expect(Resource.length).toBeLessThanOrEqual(MAX_RESOURCE_LENGTH);
        if (Effect === 'Allow') {
          expect(allowed).toBe(true);
          expect(Resource).toBe(arn);
          expect(Resource.replace('/$default/', '/')).not.toMatch(/[*?$]/);
        } else {
          expect(covers(Resource, arn)).toBe(true);
        }
      }),
    );
  });
});

/** IAM's matching, written out: `*` any run of characters, `?` any one, `/` and line feeds included. */
function covers(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\/]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su').test(text);
}
