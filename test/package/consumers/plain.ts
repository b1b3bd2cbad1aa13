import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createExplainer, createLists, systemClock } from 'gatehouse-authz/engine';
import { createWorld } from './world.ts';

const { engine, location } = await createWorld();
export const imported = [createExplainer, createLists, systemClock];
// @ts-expect-error a check names a scope: the types are not `any`
export const withoutScope = () => engine.check('user:ann', 'grades');

const server = createServer(async (request, response) => {
  const { allowed } = await engine.check(`user:${request.headers['x-user']}`, 'grades', location);
  response.writeHead(allowed ? 200 : 403).end();
});
server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address() as AddressInfo;
  for (const user of ['ann', 'ben']) {
    const { status } = await fetch(`http://127.0.0.1:${port}`, { headers: { 'x-user': user } });
    console.log(user, status);
  }
  server.close();
});
