import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request } from 'express';
import { authorizationOf, expressGuard } from 'gatehouse-authz/middleware';
import { createWorld } from './world.ts';

const { engine } = await createWorld();
const who = (request: Request) => `user:${request.get('x-user')}`;
const guard = expressGuard<'grades'>({ engine, who });

const app = express();
app.get('/grades/:location', guard('grades', 'location:{location}'), (request, response) => {
  response.json({ location: request.params.location, reason: authorizationOf(request).reason });
});

const server: Server = app.listen(0, '127.0.0.1', async () => {
  const { port } = server.address() as AddressInfo;
  for (const user of ['ann', 'ben']) {
    const url = `http://127.0.0.1:${port}/grades/north`;
    const { status } = await fetch(url, { headers: { 'x-user': user } });
    console.log(user, status);
  }
  server.close();
});
