import fastify, { type FastifyRequest } from 'fastify';
import {
  authorizationOf,
  fastifyGuard,
  fastifyPermissions,
  fromEnvironment,
} from 'gatehouse-authz/middleware';

const access = fromEnvironment();
const guard = fastifyGuard<'grades'>(access);
const app = fastify();

app.get('/grades/:location', { onRequest: guard('grades', 'location:{location}') }, async (request) => {
  const subject: string = authorizationOf(request).subject;
  return { subject };
});
app.get<{ Params: { location: string } }>(
  '/typed/:location',
  { preHandler: [guard('grades', (request) => `location:${request.params.location}`)] },
  async (request) => request.params.location.length,
);
app.get(
  '/own/:location',
  {
    preHandler: guard(
      'grades',
      (request: FastifyRequest<{ Params: { location: string } }>) => `location:${request.params.location}`,
    ),
  },
  async () => 1,
);
app.addHook('onRequest', guard('grades', 'tenant:school'));
app.route({ method: ['GET', 'POST'], url: '/permissions', handler: fastifyPermissions(access) });
// @ts-expect-error: not one of the permissions
guard('payroll', 'tenant:school');
