import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { ulid } from 'ulid';
import { afterAll, describe, inject } from 'vitest';
import { startEmbeddedEngine } from '../../local/embedded-engine.ts';
import {
  createClient,
  createReader,
  createServiceClient,
  createTable,
  createWriter,
} from '../../table/dynamodb/index.ts';
import { createPacing } from '../../table/read/pacing.ts';
import { conforms, type Differences, type Store } from './conformance.ts';

const given = process.env.DYNAMODB_ENDPOINT;

const EMBEDDED: Differences = { ignoresCaseOfPrefixes: true, readsLargeSnapshots: true };

/** A table of its own at an endpoint. */
async function openAt(endpoint: string): Promise<Store> {
  const table = `test-${ulid()}`;
  const options = { endpoint, requestTimeoutMs: 20_000 };
  const service = createServiceClient(options);
  await createTable(service, table);
  afterAll(async () => service.send(new DeleteTableCommand({ TableName: table })));
  const client = createClient(options);
  return {
    reader: createReader({ client, table, deadlineMs: 20_000 }),
    writer: createWriter({ client, table, pacing: createPacing({ deadlineMs: 20_000 }) }),
  };
}

describe('on the embedded engine:', () => {
  conforms(async () => {
    // The run has one already, unless it was given another endpoint.
    if (!given) return openAt(inject('endpoint'));
    const engine = await startEmbeddedEngine();
    afterAll(() => engine.stop());
    return openAt(engine.endpoint);
  }, EMBEDDED);
});

if (given) {
  describe('at DYNAMODB_ENDPOINT:', () => {
    conforms(() => openAt(given));
  });
}
