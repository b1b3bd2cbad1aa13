/**
 * The runtime's side of the Lambda Runtime API, as the Node.js runtime has it: it loads the handler, takes one event
 * after the other, and writes the lines that the runtime interface client (`aws-lambda-ric` 4.0.2) writes. That
 * package takes a native module, which has to be compiled; RUNTIME_CLIENT names an installed one to run in place of
 * this file.
 */
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { format } from 'node:util';

const require = createRequire(import.meta.url);
const { AWS_LAMBDA_RUNTIME_API, LAMBDA_TASK_ROOT, _HANDLER } = process.env;
const API = `http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;
const NO_REQUEST = '-';
const isJson = process.env.AWS_LAMBDA_LOG_FORMAT?.toUpperCase() === 'JSON';
const PRIORITIES = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];
const least = Math.max(0, PRIORITIES.indexOf(process.env.AWS_LAMBDA_LOG_LEVEL?.toUpperCase() ?? 'TRACE'));

let requestId = NO_REQUEST;

/** How long the clock of this process is ahead, so that a test need not wait for what expires. */
let ahead = 0;
const realNow = Date.now;
Date.now = () => realNow() + ahead;

const described = (error) => ({
  errorType: error.constructor?.name ?? 'UnknownError',
  errorMessage: error.message,
  stackTrace: typeof error.stack === 'string' ? error.stack.split('\n') : [],
});

function jsonLine(level, message, params) {
  const line = { timestamp: new Date().toISOString(), level, requestId };
  if (params.length === 0)
    return JSON.stringify({ ...line, message }, (_, value) =>
      value instanceof Error ? { ...described(value), ...value } : value,
    );
  const error = params.find((param) => param instanceof Error);
  return JSON.stringify({ ...line, message: format(message, ...params), ...(error && described(error)) });
}

const textLine = (level, message, params) =>
  [new Date().toISOString(), requestId, level, format(message, ...params)].join('\t');

/** The runtime puts its own functions in the place of those of `console`. */
const log =
  (level) =>
  (message, ...params) => {
    if (PRIORITIES.indexOf(level) < least) return;
    const line = (isJson ? jsonLine : textLine)(level, message, params);
    process.stdout.write(`${line.replaceAll('\n', '\r')}\n`);
  };
for (const level of PRIORITIES) console[level.toLowerCase()] = log(level);
console.log = console.info;

function logError(what, error) {
  if (isJson) return console.error(error);
  const { errorType, errorMessage } = described(error);
  console.error(
    what,
    `\t${JSON.stringify({ errorType, errorMessage, code: error.code, ...error, stack: error.stack?.split('\n') })}`,
  );
}

const asError = (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const send = (path, { method = 'GET', headers = {}, body } = {}) =>
  new Promise((resolve, reject) => {
    const sent = request(`${API}${path}`, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ headers: response.headers, text }));
    });
    sent.on('error', reject).end(body);
  });

function sendError(path, error) {
  const { name: errorType, message: errorMessage, stack = '' } = error;
  const body = JSON.stringify({ errorType, errorMessage, trace: stack.split('\n') });
  return send(path, { method: 'POST', headers: { 'lambda-runtime-function-error-type': errorType }, body });
}

async function next() {
  const { headers, text } = await send('/invocation/next');
  requestId = headers['lambda-runtime-aws-request-id'];
  ahead = Number(headers['lambda-runtime-clock-ahead-ms'] ?? 0);
  const deadline = Number(headers['lambda-runtime-deadline-ms']);
  const context = {
    awsRequestId: requestId,
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    getRemainingTimeInMillis: () => deadline - realNow(),
  };
  return { event: JSON.parse(text), context };
}

async function loadHandler() {
  const [module, name] = _HANDLER.split('.');
  try {
    return (await require(join(LAMBDA_TASK_ROOT, `${module}.js`)))[name];
  } catch (thrown) {
    const error = asError(thrown);
    logError('Init Error', error);
    await sendError('/init/error', error);
    throw error;
  }
}

const handler = await loadHandler();
for (;;) {
  const { event, context } = await next();
  try {
    const body = JSON.stringify((await handler(event, context)) ?? null);
    await send(`/invocation/${requestId}/response`, { method: 'POST', body });
  } catch (thrown) {
    const error = asError(thrown);
    logError('Invoke Error', error);
    await sendError(`/invocation/${requestId}/error`, error);
  }
}
