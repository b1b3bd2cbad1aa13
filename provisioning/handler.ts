import { startWith } from '../engine/log.ts';
import { unsetEmptyOfSdk } from '../table/environment.ts';
import { createHandlerFrom } from './compose.ts';

unsetEmptyOfSdk(process.env);

/** The provisioning Lambda. Created at cold start, where an invalid configuration fails. */
export const handler = startWith({ service: 'provisioning' }, () => createHandlerFrom(process.env));
