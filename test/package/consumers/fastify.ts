import fastify from 'fastify';
import { authorizationOf, fastifyGuard } from 'gatehouse-authz/middleware';
import { createWorld } from './world.ts';

const { engine } = await createWorld();
const guard = fastifyGuard<'grades'>({ engine, who: ({ headers }) => `user:${headers['x-user']}` });

const app = fastify();
app.get('/grades/:location', { onRequest: guard('grades', 'location:{location}') }, async (request) => ({
  reason: authorizationOf(request).reason,
}));

for (const user of ['ann', 'ben']) {
  const { statusCode } = await app.inject({ url: '/grades/north', headers: { 'x-user': user } });
  console.log(user, statusCode);
}
