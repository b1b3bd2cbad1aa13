import { execFile } from 'node:child_process';
import { createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { findBinary } from '../../local/embedded-engine.ts';
import definition from '../../table/dynamodb/definition.json' with { type: 'json' };

/**
 * Makes a database file of the embedded engine with one table by the engine's import of DynamoDB exports: six
 * times as fast as BatchWriteItem.
 *
 * @param lines the export's lines, in pieces
 */
export async function importTable(
  folder: string,
  table: string,
  lines: Iterable<string>,
  file: string,
): Promise<void> {
  const binary = findBinary();
  if (!binary) throw new Error('no embedded DynamoDB engine is published for this platform');
  const source = join(folder, 'export');
  const data = join(source, table, 'data');
  mkdirSync(data, { recursive: true });
  const { TimeToLiveSpecification: _, ...schema } = definition;
  const described = join(folder, 'schema.json');
  writeFileSync(described, JSON.stringify([{ Table: { TableName: table, ...schema } }]));
  try {
    await pipeline(
      Readable.from(lines),
      createGzip({ level: 1 }),
      createWriteStream(join(data, 'items.json.gz')),
    );
    await promisify(execFile)(binary, [
      'import',
      '--source',
      source,
      '--schema',
      described,
      '--output',
      file,
    ]);
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}
