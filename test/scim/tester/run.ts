import { spawn } from 'node:child_process';
import { createNodeServer } from '../../../authorizer/service/node-server.ts';
import { throwAwayTables } from '../../../cli/model-tests/throw-away.ts';
import { accepted } from '../../../cli/provisioning.ts';
import { createPort } from '../../../scim/compose.ts';
import { createHandle } from '../../../scim/http.ts';
import { NO_LOG } from '../../support/log.ts';

/**
 * Serves SCIM from a table of its own, on the embedded engine, and runs a program with the address and a credential in its
 * environment: `run.ts COMMAND …` (`npm run proof -- scim`). Ends with the program's status.
 */
const clock = { now: () => Date.now() };
const tables = throwAwayTables({}, clock.now);
try {
  const { reader, provisioning } = await tables.create();
  const run = async (command: string, input: Readonly<Record<string, unknown>>) =>
    accepted(await provisioning({ command, input })).result;
  const { id } = await run('tenant.create', { name: 'Tester' });
  const scope = `tenant:${id}`;
  await run('domain.create', { name: 'example.com', tenant: scope });
  const issuer = 'https://login.example.com';
  const { id: connection } = await run('scim-connection.create', { scope, name: 'tester', issuer });
  const { token } = await run('scim-credential.create', { connection });

  let publicUrl = '';
  const port = createPort(reader, clock, provisioning);
  const server = createNodeServer({
    handle: (request) => createHandle({ port, publicUrl, clock, log: NO_LOG })(request),
    isReachable: async () => true,
    maxRequests: 100,
    graceMs: 0,
    log: NO_LOG,
    clock,
  });
  publicUrl = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
  const [program = '', ...parameters] = process.argv.slice(2);
  const environment = { SCIM_URL: `${publicUrl}/scim/v2`, SCIM_TOKEN: String(token) };
  const child = spawn(program, parameters, { stdio: 'inherit', env: { ...process.env, ...environment } });
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
  await server.stop();
} finally {
  await tables.close();
}
