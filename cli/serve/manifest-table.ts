import { EVALUATE } from '../../authzen/questions.ts';
import type { Provisioning } from '../../provisioning/index.ts';
import type { ClientOptions } from '../../table/dynamodb/client.ts';
import { assertNone } from '../../testing/document.ts';
import { applyManifest, prepareManifest } from '../../testing/manifest.ts';
import { readFileAsDocument } from '../../testing/text-file.ts';
import { throwAwayTables } from '../model-tests/throw-away.ts';
import { accepted, RefusedError } from '../provisioning.ts';

/**
 * Makes a table from a manifest: at the endpoint that is given, else on the embedded engine, else, where none is installed,
 * in memory. The caller that it makes may evaluate everywhere.
 *
 * @throws ProblemsError for what is wrong with the manifest
 */
export async function createManifestTable(path: string, at: ClientOptions, now: () => number) {
  const source = await readFileAsDocument(path);
  const manifest = await prepareManifest(source.data);
  assertNone(source, manifest.problems);
  const tables = throwAwayTables(at, now);
  try {
    const { reader, provisioning } = await tables.create();
    assertNone(source, await applyManifest(manifest, provisioning));
    return {
      reader,
      /** The caller's API token. */
      token: await createCaller(provisioning),
      isInMemory: tables.isInMemory,
      close: tables.close,
    };
  } catch (error) {
    await tables.close();
    throw error;
  }
}

/** Creates a technical user with a global role that may evaluate, and returns its API token. */
async function createCaller(provisioning: Provisioning): Promise<string> {
  const run = async (command: string, input: Readonly<Record<string, unknown>>) =>
    accepted(await provisioning({ command, input })).result;
  const create = async (...command: Parameters<typeof run>) => String((await run(...command)).id);
  const registered = await provisioning({ command: 'permission.create', input: { name: EVALUATE } });
  if (!registered.ok && registered.error.code !== 'conflict') throw new RefusedError(registered.error);
  const name = 'gatehouse serve';
  const account = `account:${await create('account.create', { name })}`;
  const user = `technical-user:${await create('technical-user.create', { account, name })}`;
  const role = await create('role.create', { name, scope: 'global' });
  await create('role-permission.create', { role, permission: EVALUATE, effect: 'ALLOW' });
  await create('global-role.create', { user, role });
  return String((await run('token.create', { user, tokenType: 'api' })).token);
}
