import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The examples of docs/attach, as far as being wrong would open something. Their form: `npm run snippets`. */
const ROOT = new URL('../../docs/attach/', import.meta.url);
const FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(?:yml|ts|tf)$/.test(name),
);
const textOf = (name: string): string => readFileSync(new URL(name, ROOT), 'utf8');

/** Without the remarks, which may speak of what is not there. */
const settings = (name: string): string => textOf(name).replace(/^\s*(?:#|\/\/).*$/gm, '');

const ZERO =
  /(?:resultTtlInSeconds|AuthorizerResultTtlInSeconds|ReauthorizeEvery): 0\b|authorizer_result_ttl_in_seconds = 0\b|resultsCacheTtl: NOT_CACHED/;

test('there is one of every kind', () => {
  expect(FILES.sort()).toEqual([
    'cdk/attach.ts',
    ...['cloudformation/http.yml', 'cloudformation/rest.yml', 'cloudformation/websocket.yml'],
    ...['sam/http.yml', 'sam/rest.yml'],
    ...['serverless/http.yml', 'serverless/rest.yml', 'serverless/websocket.yml'],
    ...['terraform/http.tf', 'terraform/rest.tf', 'terraform/websocket.tf'],
  ]);
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
  const stack = readFileSync(new URL('../../serverless.yml', import.meta.url), 'utf8');
  for (const exported of names)
    expect(stack).toContain(`"\${self:provider.stackName}-${exported.slice('gatehouse-live-'.length)}"`);
});
