import { afterEach, expect, test, vi } from 'vitest';
import { createHandlerFrom } from '../../provisioning/compose.ts';

/** The Lambda's handler as it is put together from its environment. */
afterEach(() => vi.restoreAllMocks());

test('logs on standard error, in one line, that the table cannot be had', async () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const handler = createHandlerFrom({ TABLE_NAME: 'table', DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' });
  const event = { command: 'user.read', input: { email: 'ann@example.com' }, operationId: 'op-1' };
  expect(await handler(event)).toMatchObject({ ok: false, error: { code: 'transient', retryable: true } });
  const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)));
  expect(lines).toMatchObject([{ level: 'error', code: 'transient', command: 'user.read' }]);
});

test.each([
  [{}, 'environment variable TABLE_NAME: is required'],
  [{ TABLE_NAME: 'x' }, 'environment variable TABLE_NAME: must have at least 3 characters'],
  [
    { TABLE_NAME: 'table', DYNAMODB_ENDPOINT: 'nowhere' },
    'environment variable DYNAMODB_ENDPOINT: is not a valid URL',
  ],
])('names the variable that is wrong: %j', (env, message) => {
  expect(() => createHandlerFrom(env)).toThrow(message);
});
