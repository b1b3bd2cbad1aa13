import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundle } from '../../deploy/bundle/build.ts';

/** The client runs in a browser, and is small. */
const built = () =>
  bundle('middleware/client/index.ts', {
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'client',
    target: 'es2022',
  });

test('the client has at most 2 KB, minified and compressed, and imports nothing', async () => {
  const { text, metafile } = await built();
  expect(Object.keys(metafile.inputs)).toEqual(['middleware/client/index.ts']);
  expect(gzipSync(text).byteLength).toBeLessThanOrEqual(2_048);
});

test('the client runs with nothing but what a browser has', async () => {
  const { text } = await built();
  const snapshot = { scope: 'a:b', permissions: ['grades'], ask: [], issuedAt: 0, expiresAt: 60_000 };
  const fetch = async () => ({ ok: true, status: 200, json: async () => snapshot });
  const allowed: unknown = await runInNewContext(
    `${text}
    const permissions = client.createPermissions({ url: '/permissions' });
    permissions.load('a:b').then(() => [permissions.can('grades'), permissions.can('payroll')]);`,
    { fetch },
  );
  expect(allowed).toEqual([true, false]);
});
