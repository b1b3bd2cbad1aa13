import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundle } from '../deploy/bundle/build.ts';
import { NOT_FOR_DECISIONS, within } from './support/layers.ts';

/** What is deployed holds what it may, as test/architecture.test.ts says of the sources. */
describe('the bundle of', () => {
  /** As the stack builds it. */
  async function contents(entry: string) {
    const { metafile, text } = await bundle(entry);
    const [output] = Object.values(metafile.outputs);
    const included = Object.entries(output?.inputs ?? {}).filter(
      ([, { bytesInOutput }]) => bytesInOutput > 0,
    );
    return {
      ours: Object.keys(metafile.inputs).filter((path) => !within(path, 'node_modules/', 'deploy/')),
      included: included.map(([path]) => path),
      text,
    };
  }
  /** What only the command line uses. */
  const FOR_PEOPLE = /node_modules\/(?:commander|csv-parse|yaml|@aws-sdk\/client-lambda)\//;
  const WRITES = [
    ...['TransactWriteItems', 'BatchWriteItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    ...['ExecuteStatement'],
  ];

  test('the authorizer holds no write path', async () => {
    const { ours, included, text } = await contents('authorizer/handler.ts');
    expect(ours.length).toBeGreaterThan(10);
    const isForbidden = (path: string) =>
      !within(path, 'authorizer/', 'engine/', 'table/') ||
      (within(path, ...NOT_FOR_DECISIONS, 'table/dynamodb/definition.ts') &&
        path !== 'table/entities/scope-types.ts');
    expect(ours.filter(isForbidden)).toEqual([]);
    // Of the searches what policies for a whole API are made with, and none that asks an index.
    expect(ours.filter((path) => within(path, 'engine/search/')).sort()).toEqual(
      ['access-bound', 'granted-scopes', 'tree'].map((name) => `engine/search/${name}.ts`),
    );
    expect(included.filter((path) => WRITES.some((write) => path.includes(write)))).toEqual([]);
    expect(WRITES.filter((write) => text.includes(write))).toEqual([]);
    expect(included.filter((path) => within(path, 'engine/explain/'))).toEqual([]);
    expect(included.filter((path) => FOR_PEOPLE.test(path))).toEqual([]);
  });

  test('provisioning holds one, so that the search is known to find it', async () => {
    const { ours, included, text } = await contents('provisioning/handler.ts');
    expect(ours).toContain('table/dynamodb/expression.ts');
    expect(text).toContain('TransactWriteItems');
    expect(ours.filter((path) => within(path, 'cli/', 'local/', 'test/'))).toEqual([]);
    // Of the authorizer what verifies callers and reads its variables, for operators; none of its requests and answers.
    const answering = ['authorizer.ts', 'answer.ts', 'events/', 'policies/', 'trace.ts'];
    expect(ours.filter((path) => within(path, ...answering.map((name) => `authorizer/${name}`)))).toEqual([]);
    expect(included.filter((path) => FOR_PEOPLE.test(path))).toEqual([]);
  });

  test.each(['authorizer', 'provisioning'])('%s holds no CEL: it is a file beside it', async (folder) => {
    const { included, text } = await contents(`${folder}/handler.ts`);
    expect(included.filter((path) => path.includes('cel-js') || path.endsWith('conditions/cel.ts'))).toEqual(
      [],
    );
    expect(text).toMatch(/require\("\.\/handler\.conditions\.js"\)/);
  });

  test('CEL is loaded from the file beside it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-conditions-'));
    try {
      writeFileSync(join(folder, 'load.cjs'), (await bundle('engine/conditions/load.ts')).text);
      writeFileSync(join(folder, 'load.conditions.js'), (await bundle('engine/conditions/cel.ts')).text);
      const loaded = createRequire(import.meta.url)(join(folder, 'load.cjs'));
      // An exported handler can be wrapped in place, as instrumentation of OpenTelemetry does.
      expect(Object.getOwnPropertyDescriptor(loaded, 'loadCel')).toMatchObject({
        writable: true,
        configurable: true,
      });
      const { loadCel, cel } = loaded;
      expect(() => cel()).toThrow('CEL is not loaded');
      await loadCel();
      expect(cel().parse('1 < 2').evaluate({})).toEqual({ holds: true });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
