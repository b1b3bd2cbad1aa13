import { createHandleFrom } from './compose.ts';
import { createLambdaHandler } from './lambda.ts';

/** The Lambda function `authzen`. Created at cold start, where an invalid configuration fails. */
export const handler = createLambdaHandler(createHandleFrom(process.env));
