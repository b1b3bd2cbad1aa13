import { describe, expect, test } from 'vitest';
import {
  parsePathTemplate,
  parseScopeTemplate,
  parseValueTemplate,
  pathParametersOf,
  routeShape,
  type Segment,
  type TemplatePart,
} from '../../table/route-template.ts';
import * as fc from '../support/fast-check.ts';
import { anyText, ID, refusalNow } from './support.ts';

const text = (literal: string) => ({ kind: 'literal', text: literal }) as const;
const parameter = (name: string): Segment => ({ kind: 'parameter', name });

describe('a path', () => {
  test.each<readonly [path: string, segments: readonly Segment[]]>([
    ['/', []],
    ['/pages', [text('pages')]],
    ['/$default', [text('$default')]],
    ['/v1.0/a-b_c~d@e', [text('v1.0'), text('a-b_c~d@e')]],
    [
      '/locations/{locationId}/pages/{page}',
      [text('locations'), parameter('locationId'), text('pages'), parameter('page')],
    ],
    ['/files/{rest+}', [text('files'), { kind: 'rest', name: 'rest' }]],
    ['/{proxy+}', [{ kind: 'rest', name: 'proxy' }]],
  ])('%s', (path, segments) => {
    expect(parsePathTemplate(path, 'path')).toEqual(segments);
  });

  test.each<readonly [path: string, says: string]>([
    ['', 'does not begin with /'],
    ['pages', 'does not begin with /'],
    ['https://x/pages', 'does not begin with /'],
    ['//', 'empty segment'],
    ['/pages/', 'empty segment'],
    ['/a//b', 'empty segment'],
    ['/a b', 'characters'],
    ['/a%2Fb', 'characters'],
    ['/*', 'characters'],
    ['/a?x=1', 'characters'],
    ['/a#b', 'characters'],
    ['/{}', 'characters'],
    ['/{a', 'characters'],
    ['/{1a}', 'characters'],
    ['/{a-b}', 'characters'],
    ['/x{a}', 'characters'],
    ['/{a}{b}', 'characters'],
    ['/{a++}', 'characters'],
    ['/{claim:a}', 'characters'],
    ['/a\n', 'characters'],
    ['/{a}/x/{a}', 'names {a} twice'],
    ['/{a}/{a+}', 'names {a} twice'],
    ['/{rest+}/pages', '{rest+} before its last segment'],
  ])('is not %j, and the field is named', (path, says) => {
    const refusal = refusalNow(() => parsePathTemplate(path, 'path'));
    expect(refusal).toMatchObject({ code: 'invalid', field: 'path' });
    expect(refusal.message).toContain(says);
  });

  test.each([
    ['/a/{x}/{y}', '/a/{v}/{w}', true],
    ['/{x+}', '/{y+}', true],
    ['/a/{x}', '/a/{x+}', false],
    ['/a/{x}', '/b/{x}', false],
    ['/a', '/A', false],
    ['/', '/{x+}', false],
  ])('%s and %s match the same requests: %s', (a, b, same) => {
    expect(routeShape(a, 'path') === routeShape(b, 'path')).toBe(same);
  });
});

describe('a value', () => {
  test.each<readonly [template: string, parts: readonly TemplatePart[]]>([
    ['dashboard', [text('dashboard')]],
    ['a:b:c', [text('a:b:c')]],
    ['{page}', [{ kind: 'path', name: 'page' }]],
    ['tickets:{action}:ticket', [text('tickets:'), { kind: 'path', name: 'action' }, text(':ticket')]],
    ['{page}-admin', [{ kind: 'path', name: 'page' }, text('-admin')]],
    [
      'page.{page}_{n}',
      [text('page.'), { kind: 'path', name: 'page' }, text('_'), { kind: 'path', name: 'n' }],
    ],
    ['{claim:tenant_id}', [{ kind: 'claim', name: 'tenant_id' }]],
    ['{claim:https://example.com/tenant}', [{ kind: 'claim', name: 'https://example.com/tenant' }]],
    ['{claim:cognito:username}', [{ kind: 'claim', name: 'cognito:username' }]],
    ['{header:X-Location}', [{ kind: 'header', name: 'x-location' }]],
    ['{query:At.x_1}', [{ kind: 'query', name: 'At.x_1' }]],
    ['{claim}', [{ kind: 'path', name: 'claim' }]],
  ])('%s', (template, parts) => {
    expect(parseValueTemplate(template, 'permission')).toEqual(parts);
  });

  test.each([
    ...['', ' ', 'a b', 'a#b', 'a/b', '*:*:*', 'a:*:c', '{', '}', '{}', '{page', 'page}', '{{page}}'],
    ...['{page+}', '{cookie:session}', '{claims:tenant}', '{header:x/y}', '{header:}', '{query:}'],
    ...['{query:a/b}', '{queries:a}', '{claim:}', '{a.b}', '{page}#', 'a\n', 'ä'],
  ])('is not %j, and the field is named', (template) => {
    expect(refusalNow(() => parseValueTemplate(template, 'permission'))).toMatchObject({
      code: 'invalid',
      field: 'permission',
    });
  });

  test('names the path parameters it uses, and only those', () => {
    expect(pathParametersOf('{a}:{claim:b}:{header:c}-{d}')).toEqual(['a', 'd']);
  });

  test('its parts, put together again, are the template', () => {
    const piece = fc.constantFrom(
      ...['a', ':', '-x', '{a}', '{b}', '{claim:a:b}', '{header:x-a}', '{query:A.b}', '{', '}', '#'],
      ...['*'],
    );
    const template = fc.oneof(
      anyText(20),
      fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
    );
    let parsed = 0;
    fc.assert(
      fc.property(template, (given) => {
        let parts: readonly TemplatePart[];
        try {
          parts = parseValueTemplate(given, 'f');
        } catch {
          return;
        }
        const again = parts.map((part) =>
          part.kind === 'literal'
            ? part.text
            : part.kind === 'path'
              ? `{${part.name}}`
              : `{${part.kind}:${part.name}}`,
        );
        parsed += 1;
        expect(again.join('')).toBe(given);
      }),
      { numRuns: 1_000 },
    );
    expect(parsed).toBeGreaterThan(100);
  });
});

describe('a scope', () => {
  test.each<readonly [template: string, parts: readonly TemplatePart[]]>([
    ['location:{locationId}', [text('location:'), { kind: 'path', name: 'locationId' }]],
    ['tenant:{claim:tenant_id}', [text('tenant:'), { kind: 'claim', name: 'tenant_id' }]],
    ['location:{header:x-location}', [text('location:'), { kind: 'header', name: 'x-location' }]],
    ['location:{query:location}', [text('location:'), { kind: 'query', name: 'location' }]],
    [`tenant:${ID}`, [text(`tenant:${ID}`)]],
  ])('%s', (template, parts) => {
    expect(parseScopeTemplate(template, 'scope')).toEqual(parts);
  });

  test.each([
    ...['', 'location', 'location:', ':{id}', '{type}:{id}', '{id}', 'Location:{id}', 'location:{a}{b}'],
    ...['location:{a}-x', 'location:x-{a}', 'location:{a}:{b}', 'location:{a}:x', 'location::{a}'],
    ...['location:a:b', 'location:.', 'location:{id', 'location:#', 'lo cation:{id}'],
  ])('is not %j, and the field is named', (template) => {
    expect(refusalNow(() => parseScopeTemplate(template, 'scope'))).toMatchObject({
      code: 'invalid',
      field: 'scope',
    });
  });
});
