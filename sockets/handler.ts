import { createHandlerFrom } from './compose.ts';

/** The Lambda function `sockets`. Created at cold start, where an invalid configuration fails. */
export const handler = createHandlerFrom(process.env);
