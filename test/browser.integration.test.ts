import { webcrypto } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { bundle } from '../deploy/bundle/build.ts';

/** What a browser has beside the language itself; no `process`, `Buffer`, `require` or `global`. */
const WEB = {
  AbortController,
  AbortSignal,
  TextDecoder,
  TextEncoder,
  URL,
  atob,
  btoa,
  clearTimeout,
  crypto: webcrypto,
  queueMicrotask,
  setTimeout,
  structuredClone,
};

/** SPEC section 11: engine, provisioning and all of table/ except table/dynamodb/ run in a browser; the explorer too. */
async function bundleForBrowser() {
  return bundle('test/support/in-browser.ts', {
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'gatehouse',
    target: 'es2023',
  });
}

const built = await bundleForBrowser();

const runs = (expression: string): unknown =>
  runInContext(`${built.text}\n${expression}`, createContext(WEB));

test('what the explorer imports has nothing of Node, and nothing of the SDK', () => {
  const { text, metafile } = built;
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.filter((path) => /table\/dynamodb|@aws-sdk|@smithy/.test(path))).toEqual([]);
  expect(inputs).toEqual(
    expect.arrayContaining([
      ...['table/index.ts', 'table/memory/index.ts', 'engine/index.ts', 'provisioning/index.ts'],
      ...['testing/model.ts', 'authorizer/policies/index.ts', 'explorer/service/index.ts'],
    ]),
  );
  // The library for CEL takes Buffer where there is one: below there is none.
  expect(text).not.toMatch(/['"]node:/);
});

test('a manifest is applied, tests decide, a token is made and a policy shown in a browser', async () => {
  expect(await runs('gatehouse.playInBrowser()')).toEqual({
    token: true,
    problems: ['manifest:4', 'manifest:5'],
    passed: [true, true, true],
    policy: [
      {
        Action: 'execute-api:Invoke',
        Effect: 'Allow',
        Resource: ['arn:aws:execute-api:eu-west-1:111122223333:abcdef123/live/GET/acme/texts'],
      },
    ],
  });
});
