import { startWith } from '../engine/log.ts';
import { unsetEmptyOfSdk } from '../table/environment.ts';
import { createHandlerFrom } from './compose.ts';

const write = (line: string): void => void process.stdout.write(`${line}\n`);
unsetEmptyOfSdk(process.env);

/** The provisioning Lambda. Created at cold start, where an invalid configuration fails. */
export const handler = startWith({ service: 'provisioning', write }, () => createHandlerFrom(process.env));
