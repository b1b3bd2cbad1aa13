import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalConfiguration } from '../../../local/configuration.ts';
import type { ExampleRequest } from '../../../local/manifest/examples.ts';
import { startManifest } from '../../../local/manifest/stack.ts';
import { type Check, tokenFrom } from './visitor.ts';

const MANIFEST = (managers: string) => `
pages: [reports]
scopes: { acme: { type: tenant, id: acme } }
roles: { manager: { allow: [reports] } }
users:
  ann@acme.example: { tenant: acme, grants: { acme: [${managers}] } }
  ben@acme.example: { tenant: acme }
routes:
  - { method: GET, path: "/tenants/{tenant}/reports", permission: reports, scope: "tenant:{tenant}" }
`;

/** Runs a manifest in front of a service, sends the requests that the screen shows, and changes the file. */
export async function walkManifest(configuration: LocalConfiguration, check: Check): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-smoke-'));
  const file = join(folder, 'manifest.yaml');
  await writeFile(file, MANIFEST('manager'));
  const service = createServer((request, response) => response.end(String(request.headers['x-subject'])));
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as { readonly port: number };
  let applied: () => void = () => undefined;
  const isApplied = new Promise<void>((resolve) => {
    applied = resolve;
  });
  const backend = new URL(`http://127.0.0.1:${port}`);
  const stack = await startManifest(configuration, { file, backend, say: () => applied() });
  try {
    const { allowed, refused } = stack.examples;
    const ask = async ({ caller, path }: ExampleRequest) => {
      const headers = { authorization: `Bearer ${await tokenFrom(stack.url, caller)}` };
      const answer = await fetch(`${stack.url}${path}`, { headers });
      return { status: answer.status, body: await answer.text() };
    };
    check(
      'a manifest has a request that is allowed and one that is refused',
      allowed !== undefined && refused !== undefined,
    );
    if (!allowed || !refused) return;
    const yes = await ask(allowed);
    check('the allowed one reaches the service, with its caller', yes.body === allowed.subjectRef, yes);
    const no = await ask(refused);
    check('the refused one does not', no.status === 403, no);
    await writeFile(file, MANIFEST(''));
    await isApplied;
    const changed = await ask(allowed);
    check('a change of the file takes effect', changed.status === 403, changed);
    service.closeAllConnections();
  } finally {
    await stack.stop();
    service.close();
    await rm(folder, { recursive: true });
  }
}
