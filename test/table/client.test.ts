import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createServiceClient } from '../../table/dynamodb/client.ts';

/** What the client is made of; that its limits hold is shown in deadline.test.ts. */
const AWS = { region: 'eu-west-1' };

test('two attempts, unless told otherwise', async () => {
  expect(await createServiceClient(AWS).config.maxAttempts()).toBe(2);
  expect(await createServiceClient({ ...AWS, maxAttempts: 5 }).config.maxAttempts()).toBe(5);
});

test('the region is the one that was given', async () => {
  expect(await createServiceClient(AWS).config.region()).toBe('eu-west-1');
  expect(await createServiceClient({ ...AWS, endpoint: 'http://127.0.0.1:8000' }).config.region()).toBe(
    'eu-west-1',
  );
});

describe('credentials for AWS', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('are those of the environment, as it is when they are asked for, and of no other place, where that is said', async () => {
    const { config } = createServiceClient({ ...AWS, credentialsFrom: 'environment' });
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'of-the-role');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('AWS_SESSION_TOKEN', 'session');
    expect(await config.credentials()).toMatchObject({
      accessKeyId: 'of-the-role',
      secretAccessKey: 'secret',
      sessionToken: 'session',
    });
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'])
      vi.stubEnv(name, undefined);
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-client-'));
    writeFileSync(
      join(folder, 'file'),
      '[default]\naws_access_key_id = of-a-profile\naws_secret_access_key = s\n',
    );
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'file'));
    const lambda = createServiceClient({ ...AWS, credentialsFrom: 'environment' });
    await expect(lambda.config.credentials()).rejects.toThrow('environment variable credentials');
    const people = createServiceClient(AWS);
    expect(await people.config.credentials()).toMatchObject({ accessKeyId: 'of-a-profile' });
    rmSync(folder, { recursive: true });
  });
});

describe('credentials that open nothing', () => {
  beforeEach(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'the-real-one');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  });
  afterEach(() => vi.unstubAllEnvs());
  const keyFor = async (endpoint: string) =>
    (await createServiceClient({ ...AWS, endpoint }).config.credentials()).accessKeyId;

  test.each(['http://127.0.0.1:8000', 'http://localhost:8000', 'http://[::1]:8000', 'http://127.1.2.3'])(
    'are sent to this machine: %s',
    async (endpoint) => {
      expect(await keyFor(endpoint)).toBe('local');
    },
  );

  test.each([
    'https://dynamodb.eu-west-1.amazonaws.com',
    'http://127.example.com',
    'http://localhost.example.com',
  ])('are sent nowhere else: %s', async (endpoint) => {
    expect(await keyFor(endpoint)).toBe('the-real-one');
  });
});
