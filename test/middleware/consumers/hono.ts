import { authorizationOf, fromEnvironment, honoGuard, honoPermissions } from 'gatehouse-authz/middleware';
import { type Context, Hono } from 'hono';

interface Variables {
  readonly user: string;
}

const access = fromEnvironment();
const guard = honoGuard<'grades'>({ ...access, ip: (c) => c.req.header('x-real-ip') });
const app = new Hono<{ Variables: Variables }>();

// The handler keeps the types that Hono infers from the path and of its variables.
app.get('/grades/:location', guard('grades', 'location:{location}'), (c) => {
  const location: string = c.req.param('location');
  const user: string = c.get('user');
  return c.json({ location, user, subject: authorizationOf(c).subject });
});
app.get(
  '/typed/:location',
  guard('grades', (c) => `location:${c.req.param('location')}`),
  (c) => c.text(c.req.param('location')),
);
app.get(
  '/own/:location',
  guard('grades', (c: Context<{ Variables: Variables }>) => `location:${c.get('user').length}`),
  (c) => c.text('own'),
);
app.use('*', guard('grades', 'tenant:school'));
app.all('/permissions', honoPermissions(access));
honoGuard({ engine: access.engine, who: (c: Context<{ Variables: Variables }>) => c.get('user') });
// @ts-expect-error: not one of the permissions
guard('payroll', 'tenant:school');
