import { createHandlerFrom } from './compose.ts';

/** The Lambda function `authorizer`. Wired once, at cold start; wrong configuration fails there. */
export const handler = createHandlerFrom(process.env);
