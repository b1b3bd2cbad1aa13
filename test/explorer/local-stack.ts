import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { ulid } from 'ulid';
import { readConfiguration } from '../../local/configuration.ts';
import { startManifest } from '../../local/manifest/stack.ts';
import { startSample } from '../../local/sample/stack.ts';
import { tokenFrom } from '../local/smoke/visitor.ts';

const CONFIGURATION = readConfiguration({
  PORT: '0',
  LAMBDA_PORT: '0',
  DYNAMODB_PORT: '0',
  CACHE_TTL_SECONDS: '0',
});

export interface Stack {
  /** A link that opens the explorer once, at a view with its state: `live?outcome=refused`. */
  readonly newLink: (at?: string) => Promise<string>;
  /** Sends a request through the gateway, with a token of the user or without one. */
  readonly request: (path: string, user?: string, method?: string) => Promise<number>;
  /** The same with any token. */
  readonly requestBy: (path: string, token: string, method?: string) => Promise<number>;
  /** Sends a command to the provisioning function: its result. */
  readonly command: (name: string, input: object) => Promise<Readonly<Record<string, unknown>>>;
  readonly stop: () => Promise<void>;
}

/** The decisions that the view Live shows. */
export const liveTable = (page: Page) => page.getByRole('table', { name: 'Decisions, newest first' });

/** The newest of those that have all these texts. */
export const rowOf = (page: Page, ...texts: readonly (string | RegExp)[]) =>
  texts
    .reduce<Locator>((rows, hasText) => rows.filter({ hasText }), liveTable(page).getByRole('row'))
    .first();

/** The local stack on the memory table, with the sample tenants or with a manifest. */
export async function startStack(manifest?: string): Promise<Stack> {
  const said: string[] = [];
  const options = { findBinary: () => undefined, say: (line: string) => said.push(line) };
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-live-'));
  const file = join(folder, 'manifest.yaml');
  if (manifest !== undefined) writeFileSync(file, manifest);
  const stack = await (manifest === undefined
    ? startSample(CONFIGURATION, options)
    : startManifest(CONFIGURATION, { ...options, file, watch: () => () => undefined }));

  const send = async (path: string, headers: Record<string, string>, method: string) =>
    (await fetch(stack.url + path, { method, headers })).status;

  return {
    newLink: async (at = '') => {
      // Who asks without a session gets a new link, in the terminal of the stack.
      await fetch(`${stack.url}/_dev/explorer/`);
      return `${/http\S+/.exec(String(said.at(-1)))?.[0]}#${at}`;
    },
    request: async (path, user, method = 'GET') =>
      send(
        path,
        user === undefined ? {} : { authorization: `Bearer ${await tokenFrom(stack.url, user)}` },
        method,
      ),
    requestBy: (path, token, method = 'GET') => send(path, { authorization: `Bearer ${token}` }, method),
    command: async (name, input) => {
      const answer = await fetch(`${stack.lambdaUrl}/2015-03-31/functions/provisioning/invocations`, {
        method: 'POST',
        body: JSON.stringify({ command: name, input, operationId: ulid() }),
      });
      const { result, error } = (await answer.json()) as {
        readonly result?: Readonly<Record<string, unknown>>;
        readonly error?: { readonly message: string };
      };
      if (!result) throw new Error(`${name}: ${error?.message}`);
      return result;
    },
    stop: async () => {
      await stack.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
