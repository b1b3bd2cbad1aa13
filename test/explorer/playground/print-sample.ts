import { writeFileSync } from 'node:fs';
import { sampleManifest } from './sample.ts';

/** Writes docs/examples/sample.manifest.yaml: node --import tsx test/explorer/playground/print-sample.ts */
writeFileSync(
  new URL('../../../docs/examples/sample.manifest.yaml', import.meta.url),
  await sampleManifest(),
);
