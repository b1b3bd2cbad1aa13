import { expect, test } from 'vitest';
import type { Operation } from '../../cli/openapi/api-document.ts';
import { dryRun, write } from '../../cli/openapi/import.ts';
import { RefusedError, type Send } from '../../cli/provisioning.ts';
import { changesFor } from '../../provisioning/routes/changes.ts';
import { readDocument } from '../../testing/document.ts';

/** `gatehouse route import` where the table fails; all else is in transcripts/route-import.txt. */
const changes = changesFor(
  [],
  ['/a', '/b', '/c'].map((path) => ({
    method: 'GET',
    path,
    permission: 'p',
    scope: 'tenant:{claim:t}',
    from: { method: 'GET', path, at: [], requirement: 'unsaid', isGuarded: undefined } as Operation,
  })),
  false,
);

test('during the writes: how many are done, and what to do', async () => {
  const sent: string[] = [];
  const send: Send = async (_, { path }) => {
    if (sent.length === 1)
      throw new RefusedError({ code: 'internal', message: 'no answer in time', retryable: false });
    sent.push(String(path));
    return {};
  };
  await expect(write('default', changes, send)).rejects.toThrow(
    'GET /b: no answer in time\n1 of 3 changes are made, each whole: import the document again',
  );
  expect(sent).toEqual(['/a']);
});

test('during the dry runs: reported as a fault, not as a problem of the document', async () => {
  const source = readDocument('openapi.yaml', 'openapi: 3.1.0\n');
  const send: Send = async () => {
    throw new RefusedError({ code: 'throttled', message: 'throttled', retryable: true });
  };
  await expect(dryRun(source, 'default', changes, send)).rejects.toThrow(RefusedError);
});
