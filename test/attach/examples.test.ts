import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as yaml from 'yaml';
import { parseConfiguration } from '../../authorizer/index.ts';
import { readCaching } from '../../authorizer/routes/result-cache.ts';
import { outsideOf } from '../../cli/routes/result-cache.ts';
import { samTemplate } from '../../deploy/bundle/sam-template.ts';
import { ruleOf } from '../../provisioning/routes/route.ts';

/**
 * The examples of docs/attach, as far as their text says it. Those of CloudFormation also by the rules: rules.test.ts;
 * those of Serverless: packaged.integration.test.ts; all others: `npm run proof -- snippets`.
 */
const ROOT = new URL('../../docs/attach/', import.meta.url);
const FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /^\w+\/(?:rest|http|websocket)\.(?:yml|ts|tf)$/.test(name),
);
const textOf = (name: string): string => readFileSync(new URL(name, ROOT), 'utf8');

/** Without the remarks, which may speak of what is not there. */
const settings = (name: string): string => textOf(name).replace(/^\s*(?:#|\/\/).*$/gm, '');

const ZERO =
  /(?:resultTtlInSeconds|AuthorizerResultTtlInSeconds|ReauthorizeEvery): 0\b|authorizer_result_ttl_in_seconds = 0\b|resultsCacheTtl: NOT_CACHED/;

test('there is one of every kind of API in every form', () => {
  const forms = { cdk: 'ts', cloudformation: 'yml', sam: 'yml', serverless: 'yml', terraform: 'tf' };
  const expected = Object.entries(forms).flatMap(([form, ending]) =>
    ['http', 'rest', 'websocket'].map((kind) => `${form}/${kind}.${ending}`),
  );
  expect(FILES.sort()).toEqual(expected);
});

test.each(FILES)('%s: no result cache, and no call without a token', (name) => {
  const text = settings(name);
  if (!name.includes('websocket')) expect(text).toMatch(ZERO);
  expect(text).toMatch(/Authorization['"\]\n]/);
  expect(text).not.toMatch(/ttl\w*\s*[:=]\s*[1-9]|ReauthorizeEvery: [1-9]/i);
});

test.each(FILES)('%s: takes the authorizer by the names that the stack exports', (name) => {
  const names = settings(name).match(/gatehouse-live-\w+/g) ?? [];
  expect(names.length).toBeGreaterThan(0);
  const { Outputs } = samTemplate() as { Outputs: Readonly<Record<string, { readonly Export?: unknown }>> };
  for (const exported of names) {
    const output = exported.slice('gatehouse-live-'.length);
    expect(Outputs[output]?.Export).toEqual({ Name: { 'Fn::Sub': `\${AWS::StackName}-${output}` } });
  }
});

// What Serverless makes of its examples: packaged.integration.test.ts.
test.each(FILES.filter((name) => !name.startsWith('serverless/')))(
  '%s: gives no permission to invoke without saying for whose API',
  (name) => {
    const text = settings(name);
    const granted =
      text.match(/AWS::Lambda::Permission|aws_lambda_permission|addPermission\(|grantInvoke\(/g) ?? [];
    const sources =
      text.match(/SourceArn|SourceAccount|source_arn|source_account|sourceArn|sourceAccount/g) ?? [];
    expect(sources.length).toBeGreaterThanOrEqual(granted.length);
    // These would make one themselves.
    if (name.startsWith('cdk/')) expect(text).toContain('skipPermissions: true');
    if (name === 'sam/rest.yml') expect(text).toContain('DisableFunctionDefaultPermissions: true');
    expect(text).not.toContain('EnableFunctionDefaultPermissions: true');
  },
);

const STACK = yaml.parse(readFileSync(new URL('../../serverless.yml', import.meta.url), 'utf8'), {
  logLevel: 'silent',
}) as { params: { default: { resultCache: string; httpAnswer: string } } };

/** The authorizer's configuration in the shipped stack. */
const { resultCaches: SHIPPED } = parseConfiguration({
  TABLE_NAME: 'gatehouse',
  TOKEN_ISSUER: 'https://issuer.example',
  TOKEN_AUDIENCE: 'api',
  RESULT_CACHE: STACK.params.default.resultCache,
});

test('the authorizer of the stack knows of no cache either', () => {
  expect([...SHIPPED.values()].map(({ ttl }) => ttl)).toEqual([0]);
});

test('with the caches in the README every route is answered', () => {
  const [, json = ''] = /^```json\n([\s\S]*?)^```$/m.exec(textOf('README.md')) ?? [];
  const caching = readCaching({ RESULT_CACHE: json.replaceAll('\n', '') });
  expect([...caching.caches.keys()]).toEqual(['REST-API-ID', 'HTTP-API-ID']);
  for (const [method, path, scope] of [
    ['GET', '/documents/{id}', 'location:{id}'],
    ['ANY', '/documents', 'location:{query:loc}'],
  ] as const)
    expect(outsideOf(caching, ruleOf('r', { method, path, permission: 'p', scope }), [])).toEqual([]);
  // And with the sources in its table.
  for (const { identitySources } of caching.caches.values())
    for (const source of identitySources.filter((each) => !each.includes('querystring')))
      expect(textOf('README.md').split('```json')[0]).toContain(source);
});
