import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { createHandlerFrom as createAuthorizerFrom } from '../../authorizer/compose.ts';
import { createHandlerFrom as createProvisioningFrom } from '../../provisioning/compose.ts';

/** Refuses every call and notes for which region it was signed. */
const regions: (string | undefined)[] = [];
const server = createServer((request, response) => {
  regions.push(/Credential=[^/]+\/\d+\/([\w-]+)\/dynamodb/.exec(request.headers.authorization ?? '')?.[1]);
  request.resume();
  response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(
    '{"__type":"com.amazonaws.dynamodb.v20120810#ValidationException","message":"no transactions"}',
  );
});

server.listen(0, '127.0.0.1');
await once(server, 'listening');
const environment: Readonly<Record<string, string>> = {
  TABLE_NAME: 'gatehouse',
  DYNAMODB_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  AWS_REGION: 'us-east-1',
};
beforeEach(() => regions.splice(0));
afterAll(() => void server.close());

test('provisioning writes to the table of TABLE_REGION, wherever it runs; what DynamoDB refuses is no answer', async () => {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const provision = createProvisioningFrom({ ...environment, TABLE_REGION: 'eu-west-1' });
  expect(await provision({ command: 'user.create', input: {} })).toMatchObject({
    ok: false,
    error: { code: 'internal' },
  });
  expect(new Set(regions)).toEqual(new Set(['eu-west-1']));
  errors.mockRestore();
});

test('the authorizer reads the table of TABLE_REGION', async () => {
  createAuthorizerFrom({
    ...environment,
    TABLE_REGION: 'ap-southeast-2',
    RESULT_CACHE: '{"default":{"ttl":0}}',
    TOKEN_ISSUER: 'https://issuer.example',
    TOKEN_AUDIENCE: 'api',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  // It loads the routes when it is made.
  await vi.waitFor(() => expect(regions).toContain('ap-southeast-2'));
});

test.each(['europe', 'eu-west-1.evil.example', 'EU-WEST-1'])('no region is called %s', (region) => {
  expect(() => createProvisioningFrom({ ...environment, TABLE_REGION: region })).toThrow(/TABLE_REGION/);
  expect(() => createAuthorizerFrom({ ...environment, TABLE_REGION: region })).toThrow(/TABLE_REGION/);
});
