import { startWith } from '../engine/log.ts';
import { createHandlerFrom } from './compose.ts';

const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** The Lambda function `sockets`. Created at cold start, where an invalid configuration fails. */
export const handler = startWith({ service: 'sockets', write }, () => createHandlerFrom(process.env));
