import { expect, test } from 'vitest';
import { createHandlerFrom } from '../../provisioning/compose.ts';
import { createLogged } from '../support/log.ts';

/** The Lambda's handler as it is put together from its environment. */
test('logs in one line that the table cannot be had', async () => {
  const { write, take } = createLogged();
  const handler = createHandlerFrom(
    { TABLE_NAME: 'table', DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' },
    { log: write },
  );
  const event = { command: 'user.read', input: { email: 'ann@example.com' }, operationId: 'op-1' };
  expect(await handler(event)).toMatchObject({ ok: false, error: { code: 'transient', retryable: true } });
  expect(take()).toMatchObject([
    { level: 'ERROR', message: 'command failed', code: 'transient', command: 'user.read' },
  ]);
});

test.each([
  [{}, 'TABLE_NAME is required'],
  [{ TABLE_NAME: 'x' }, 'TABLE_NAME must have at least 3 characters'],
  [{ TABLE_NAME: 'table', DYNAMODB_ENDPOINT: 'nowhere' }, 'DYNAMODB_ENDPOINT is not a valid URL'],
])('names the variable that is wrong: %j', (env, message) => {
  expect(() => createHandlerFrom(env)).toThrow(message);
});
