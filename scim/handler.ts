import { createLambdaHandler } from '../authorizer/service/lambda.ts';
import { startWith } from '../engine/log.ts';
import { unsetEmptyOfSdk } from '../table/environment.ts';
import { createHandleFrom } from './compose.ts';

unsetEmptyOfSdk(process.env);

/** The Lambda function `scim`. Created at cold start, where an invalid configuration fails. */
export const handler = createLambdaHandler(
  startWith({ service: 'scim' }, () => createHandleFrom(process.env)),
);
