import express, { type Request, type RequestHandler } from 'express';
import {
  authorizationOf,
  bearer,
  expressGuard,
  expressPermissions,
  fromEnvironment,
} from 'gatehouse-authz/middleware';

type Permission = 'grades' | 'doors:open:door';

const { engine, reader } = fromEnvironment();
const who = bearer({ issuer: 'https://issuer.example', audience: 'school' });
const guard = expressGuard<Permission>({ engine, who });
const app = express();

// The handler keeps the types that Express infers from the path.
app.get('/grades/:location', guard('grades', 'location:{location}'), (request, response) => {
  const location: string = request.params.location;
  const { permission, subject } = authorizationOf<Permission>(request);
  const known: Permission = permission;
  response.json({ location, subject, known });
});
app.get(
  '/grades2/:location',
  express.json(),
  guard('grades', (request) => `location:${request.params.location}`),
  async (request, response) => void response.json(request.params.location),
);
// A function may ask for Express's own request.
app.get(
  '/own/:location',
  guard('grades', (request: Request) => `location:${request.get('x-location')}`, {
    given: async (request: Request<{ location: string }>) => ({
      resource: { type: 'record', id: request.params.location, properties: { size: 1 } },
    }),
  }),
  (_request, response) => void response.end(),
);
app.use(guard((request) => (request.method === 'GET' ? 'grades' : 'doors:open:door'), 'tenant:school'));
const handler: RequestHandler = guard('grades', 'tenant:school');
app.use('/x', handler);
app.all('/permissions', expressPermissions({ engine, reader, who }));
expressGuard({ engine, who: (request) => (request.headers.cookie === undefined ? undefined : 'user:ann') });
expressGuard<Permission, Request>({ engine, who: async (request) => request.get('x-user') });
expressGuard<Permission>({ engine, who: (request: Request) => request.get('x-user') });

// Functions of routes get what "who" asks for.
const typed = expressGuard({ engine, who: (request: Request) => request.get('x-user') });
typed('grades', (request) => `location:${request.get('x-location')}`);
expressGuard({ engine, who })('grades', (request) => `location:${request.params.location}`);

// @ts-expect-error: not one of the permissions
guard('payroll', 'tenant:school');
// @ts-expect-error: a function of the request answers one of the permissions
guard(() => 'payroll', 'tenant:school');
// @ts-expect-error: a scope is a text
guard('grades', () => 7);
// @ts-expect-error: who is missing
expressGuard({ engine });
