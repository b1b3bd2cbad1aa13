import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { EVALUATE } from '../../authzen/questions.ts';
import { findBinary } from '../../local/embedded-engine.ts';
import { createProvisioning, type Provisioning } from '../../provisioning/index.ts';
import type { ClientOptions } from '../../table/dynamodb/client.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import type { Reader } from '../../table/reader.ts';
import { readDocument } from '../document.ts';
import { readText } from '../files.ts';
import { readManifest } from '../manifest/file.ts';
import { throwAwayTables } from '../model-tests/throw-away.ts';
import { type Provisioned, RefusedError } from '../provisioning.ts';

/** A table of its own that holds a manifest, and a caller that may evaluate everywhere in it. */
export interface ManifestTable {
  readonly reader: Reader;
  /** The caller's API token. */
  readonly token: string;
  readonly isInMemory: boolean;
  /** Removes the table. */
  readonly close: () => Promise<void>;
}

/**
 * Makes a table from a manifest: at the endpoint that is given, else on the embedded engine, else, where none is
 * published for this platform, in memory.
 *
 * @throws ProblemsError, RefusedError for what is wrong with the manifest
 */
export async function createManifestTable(
  path: string,
  at: ClientOptions,
  now: () => number,
): Promise<ManifestTable> {
  const { source } = readManifest(readDocument(path, await readText(path)));
  const isInMemory = at.endpoint === undefined && findBinary() === undefined;
  const tables = throwAwayTables(at, now);
  try {
    const { reader, provisioning } = isInMemory ? inMemory(now) : await tables.create();
    await run(provisioning, 'tenant.apply', { manifest: source.data });
    return { reader, token: await createCaller(provisioning), isInMemory, close: tables.close };
  } catch (error) {
    await tables.close();
    throw error;
  }
}

function inMemory(now: () => number): Provisioned {
  const { reader, writer } = createMemoryTable();
  const newSecret = () => randomBytes(32).toString('base64url');
  const provisioning = createProvisioning({ reader, writer, newSecret, clock: { now }, newId: () => ulid() });
  return { reader, provisioning };
}

/** Creates a technical user with a global role that may evaluate, and returns its API token. */
async function createCaller(provisioning: Provisioning): Promise<string> {
  const create = async (command: string, input: Readonly<Record<string, unknown>>) =>
    String((await run(provisioning, command, input)).id);
  const registered = await provisioning({ command: 'permission.create', input: { name: EVALUATE } });
  if (!registered.ok && registered.error.code !== 'conflict') throw new RefusedError(registered.error);
  const name = 'gatehouse serve';
  const account = `account:${await create('account.create', { name })}`;
  const user = `technical-user:${await create('technical-user.create', { account, name })}`;
  const role = await create('role.create', { name, scope: 'global' });
  await create('role-permission.create', { role, permission: EVALUATE, effect: 'ALLOW' });
  await create('global-role.create', { user, role });
  return String((await run(provisioning, 'token.create', { user, tokenType: 'api' })).token);
}

async function run(
  provisioning: Provisioning,
  command: string,
  input: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await provisioning({ command, input });
  if (!answer.ok) throw new RefusedError(answer.error);
  return answer.result;
}
