import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sampleManifest } from './sample.ts';

test('the manifest of the sample tenants is that of the sample tenants', async () => {
  const written = new URL('../../../docs/examples/sample.manifest.yaml', import.meta.url);
  expect(readFileSync(written, 'utf8')).toBe(await sampleManifest());
});
