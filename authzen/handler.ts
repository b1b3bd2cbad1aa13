import { startWith } from '../engine/log.ts';
import { createHandleFrom } from './compose.ts';
import { createLambdaHandler } from './lambda.ts';

const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** The Lambda function `authzen`. Created at cold start, where an invalid configuration fails. */
export const handler = startWith({ service: 'authzen', write }, () =>
  createLambdaHandler(createHandleFrom(process.env)),
);
