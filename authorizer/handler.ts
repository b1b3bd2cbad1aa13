import { createHandlerFrom } from './compose.ts';

/** The Lambda function `authorizer`. Created at cold start, where an invalid configuration fails. */
export const handler = createHandlerFrom(process.env);
