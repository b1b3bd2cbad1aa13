import { afterAll, describe, inject } from 'vitest';
import { startEmbeddedEngine } from '../../local/embedded-engine.ts';
import { openDynamodb } from '../support/dynamodb-store.ts';
import { conforms, type Differences } from './conformance.ts';

const given = process.env.DYNAMODB_ENDPOINT;

const EMBEDDED: Differences = { ignoresCaseOfPrefixes: true, readsLargeSnapshots: true };

describe('on the embedded engine:', () => {
  conforms(async () => {
    // The run has one already, unless it was given another endpoint.
    if (!given) return openDynamodb(inject('endpoint'));
    const engine = await startEmbeddedEngine();
    afterAll(() => engine.stop());
    return openDynamodb(engine.endpoint);
  }, EMBEDDED);
});

if (given) {
  describe('at DYNAMODB_ENDPOINT:', () => {
    conforms(() => openDynamodb(given));
  });
}
