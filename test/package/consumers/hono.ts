import { authorizationOf, honoGuard } from 'gatehouse-authz/middleware';
import { Hono } from 'hono';
import { createWorld } from './world.ts';

const { engine } = await createWorld();
const guard = honoGuard<'grades'>({ engine, who: ({ req }) => `user:${req.header('x-user')}` });

const app = new Hono();
app.get('/grades/:location', guard('grades', 'location:{location}'), (context) =>
  context.json({ location: context.req.param('location'), reason: authorizationOf(context).reason }),
);

for (const user of ['ann', 'ben']) {
  const { status } = await app.request('/grades/north', { headers: { 'x-user': user } });
  console.log(user, status);
}
