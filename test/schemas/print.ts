import { writeFileSync } from 'node:fs';
import { schemas, textOf } from './schemas.ts';

/** Writes docs/schemas/: node --import tsx test/schemas/print.ts */
for (const [name, schema] of Object.entries(schemas()))
  writeFileSync(new URL(`../../docs/schemas/${name}`, import.meta.url), textOf(schema));
