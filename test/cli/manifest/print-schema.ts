import { manifestJsonSchema } from '../../../cli/manifest/json-schema.ts';

/** Prints docs/manifest.schema.json: node --import tsx test/cli/manifest/print-schema.ts > docs/manifest.schema.json */
process.stdout.write(`${JSON.stringify(manifestJsonSchema(), null, 2)}\n`);
