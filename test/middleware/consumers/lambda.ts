import middy from '@middy/core';
import type {
  ALBHandler,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  APIGatewayProxyResult,
} from 'aws-lambda';
import {
  authorizationOf,
  fromEnvironment,
  lambdaGuard,
  lambdaPermissions,
  powertoolsGuard,
} from 'gatehouse-authz/middleware';

const access = fromEnvironment();
const guard = lambdaGuard<'grades'>(access);
const grades = guard('grades', 'location:{location}');

export const http: APIGatewayProxyHandlerV2 = grades.wrap(async (event: APIGatewayProxyEventV2) => ({
  statusCode: 200,
  body: `${authorizationOf(event).subject} ${event.rawPath}`,
}));
export const rest: APIGatewayProxyHandler = guard(
  'grades',
  (event) => `location:${event.pathParameters?.location}`,
).wrap(async (event: APIGatewayProxyEvent, context) => ({
  statusCode: 200,
  body: `${event.path} ${context}`,
}));
export const balanced: ALBHandler = grades.wrap(async () => ({ statusCode: 200 }));
export const own = guard('grades', (event: APIGatewayProxyEvent) => event.requestContext.apiId);
export const withMiddy: APIGatewayProxyHandler = middy(
  async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => ({
    statusCode: 200,
    body: authorizationOf(event).subject,
  }),
).use(grades);
export const permissions: APIGatewayProxyHandlerV2 = lambdaPermissions(access);
export const powertools = powertoolsGuard<'grades'>(access)(
  'grades',
  ({ params }) => `location:${params.id}`,
);
// @ts-expect-error: not one of the permissions
guard('payroll', 'tenant:school');
