import { createHandlerFrom } from './compose.ts';

/** The provisioning Lambda: its only composition root. */
export const handler = createHandlerFrom(process.env);
