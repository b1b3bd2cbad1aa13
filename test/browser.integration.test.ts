import { webcrypto } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { bundle } from '../bundle/build.ts';

/** What a browser has beside the language itself; no `process`, `Buffer`, `require` or `global`. */
const WEB = {
  ...{ AbortController, AbortSignal, TextDecoder, TextEncoder, URL },
  ...{ atob, btoa, clearTimeout, crypto: webcrypto, queueMicrotask, setTimeout, structuredClone },
};

/** SPEC section 11: engine, provisioning and all of table/ except table/dynamodb/ run in a browser. */
test('engine, provisioning and the table in memory decide in a browser', async () => {
  const { text, metafile } = await bundle('test/support/in-browser.ts', {
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'gatehouse',
    target: 'es2023',
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.filter((path) => /table\/dynamodb|@aws-sdk|@smithy/.test(path))).toEqual([]);
  expect(inputs).toEqual(expect.arrayContaining(['engine/index.ts', 'provisioning/index.ts']));
  // The library for CEL takes Buffer where there is one: below there is none.
  expect(text).not.toMatch(/['"]node:/);

  const decisions: unknown = await runInContext(`${text}\ngatehouse.decideInBrowser()`, createContext(WEB));
  expect(decisions).toEqual([
    { permission: 'grades', allowed: true, reason: 'role' },
    { permission: 'payroll', allowed: true, reason: 'role' },
    { permission: 'settings', allowed: false, reason: 'no_grant' },
  ]);
});
