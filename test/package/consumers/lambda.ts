import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyResultV2, Context } from 'aws-lambda';
import { authorizationOf, lambdaGuard } from 'gatehouse-authz/middleware';
import { createWorld } from './world.ts';

const { engine } = await createWorld();
const guard = lambdaGuard<'grades'>({ engine, who: ({ headers }) => `user:${headers?.['x-user']}` });

export const handler = middy(
  async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyResultV2> => ({
    statusCode: 200,
    body: authorizationOf(event).reason,
  }),
).use(guard('grades', 'location:{location}'));

for (const user of ['ann', 'ben']) {
  const event = { headers: { 'x-user': user }, pathParameters: { location: 'north' }, rawPath: '/' };
  const context = { getRemainingTimeInMillis: () => 1_000 } as Context;
  const answer = await handler(event as unknown as APIGatewayProxyEventV2, context);
  console.log(user, typeof answer === 'object' ? answer.statusCode : answer);
}
