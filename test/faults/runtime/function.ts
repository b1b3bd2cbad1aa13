import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Lambda on this machine: the service's side of the Lambda Runtime API, version 2018-06-01 (Lambda runtimes-api), and
 * the sandbox around it. The function is the packaged file in a process of its own, with a limited heap. What the
 * platform does is here: the 10 s of the INIT phase, the time-out, the lines START, END and REPORT, the report of a
 * process that ended, a new sandbox after each of these, and the metrics of AWS/Lambda.
 */
export interface FunctionOptions {
  /** The folder that holds the packaged file. */
  readonly folder: string;
  /** As `handler.handler`. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The function's own time-out: that is what lines and metrics say. */
  readonly timeoutMs: number;
  /** How long an invocation may really take; as long as the time-out unless given. */
  readonly cutOffMs?: number;
  readonly memoryMb: number;
  /** The heap of V8; half of the memory unless given. */
  readonly heapMb?: number;
  readonly logFormat?: 'Text' | 'JSON';
  /** How many invocations may run at once; 0 throttles all. */
  readonly reservedConcurrency?: number;
}

/** What the caller of the Invoke API gets. */
export type Outcome =
  | { readonly kind: 'answer'; readonly payload: unknown }
  | { readonly kind: 'error'; readonly type: string; readonly message: string }
  | { readonly kind: 'throttled' };

/** One invocation, as the metrics of AWS/Lambda count it. */
export interface Counted {
  readonly isError: boolean;
  readonly isThrottled: boolean;
  /** As the platform reports it. */
  readonly durationMs: number;
}

interface Ran {
  readonly outcome: Outcome | 'late';
  /** Without the INIT phase, which is no part of the duration. */
  readonly tookMs: number;
}

/** Where the process is: the file of this folder, or an installed runtime interface client. */
const CLIENT = process.env.RUNTIME_CLIENT ?? fileURLToPath(new URL('bootstrap.mjs', import.meta.url));
/** Of the INIT phase (Lambda lambda-runtime-environment). */
const INIT_MS = 10_000;

interface Sandbox {
  readonly child: ChildProcess;
  /** Resolves with the request for the next event; undefined when the process has ended. */
  readonly next: () => Promise<ServerResponse | undefined>;
  initError: Outcome | undefined;
  /** Takes what the function answers, or how its process ended. */
  settle: (outcome: Outcome) => void;
}

/** A deployed function; nothing of it runs before its first invocation. */
export async function createFunction(options: FunctionOptions) {
  const { folder, handler, environment, timeoutMs, memoryMb, logFormat = 'Text' } = options;
  const { cutOffMs = timeoutMs, heapMb = Math.floor(memoryMb / 2) } = options;
  const own = mkdtempSync(join(tmpdir(), 'gatehouse-lambda-'));
  const logFile = join(own, 'log');
  // The function and the platform write to one file; pipes might bring a line after the answer.
  const log = openSync(logFile, 'a');
  const counted: Counted[] = [];
  let sandbox: Sandbox | undefined;

  const write = (line: string): void => appendFileSync(log, `${line}\n`);
  /** A line of the platform in the log's format. */
  const report = (type: string, text: string, record: Readonly<Record<string, unknown>>): void =>
    write(
      logFormat === 'JSON'
        ? JSON.stringify({ time: new Date().toISOString(), type: `platform.${type}`, record })
        : text,
    );

  let waiting: ((response: ServerResponse) => void) | undefined;
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = (incoming.url ?? '').replace('/2018-06-01/runtime', '');
    if (path === '/invocation/next') return waiting?.(outgoing);
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    const settled: Outcome = path.endsWith('/error')
      ? { kind: 'error', type: JSON.parse(body).errorType, message: JSON.parse(body).errorMessage }
      : { kind: 'answer', payload: JSON.parse(body) };
    outgoing.writeHead(202).end();
    if (sandbox && path === '/init/error') sandbox.initError = settled;
    else sandbox?.settle(settled);
  }

  function start(): Sandbox {
    const child = spawn(
      'sh',
      // An aborted process leaves no core dump here.
      [
        '-c',
        'ulimit -c 0; exec "$0" "$@"',
        process.execPath,
        `--max-old-space-size=${heapMb}`,
        CLIENT,
        handler,
      ],
      {
        stdio: ['ignore', log, log],
        env: {
          AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${(server.address() as AddressInfo).port}`,
          AWS_LAMBDA_FUNCTION_NAME: 'function',
          AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
          AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
          AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/function',
          AWS_LAMBDA_LOG_STREAM_NAME: 'stream',
          AWS_LAMBDA_LOG_FORMAT: logFormat,
          AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
          AWS_REGION: 'eu-central-1',
          LAMBDA_TASK_ROOT: folder,
          _HANDLER: handler,
          ...environment,
        },
      },
    );
    let asked: ServerResponse | undefined;
    let resolveNext: ((response: ServerResponse | undefined) => void) | undefined;
    const give = (response: ServerResponse | undefined): void => {
      const resolve = resolveNext;
      resolveNext = undefined;
      if (resolve) resolve(response);
      else asked = response;
    };
    waiting = give;
    let hasEnded = false;
    const made: Sandbox = {
      child,
      initError: undefined,
      settle: () => undefined,
      next: () =>
        new Promise((resolve) => {
          if (hasEnded) return resolve(undefined);
          if (asked === undefined) resolveNext = resolve;
          else resolve(asked);
          asked = undefined;
        }),
    };
    child.once('exit', (code, signal) => {
      hasEnded = true;
      give(undefined);
      const how = signal ? `signal: ${SIGNALS[signal] ?? signal}` : `exit status ${code}`;
      made.settle({
        kind: 'error',
        type: 'Runtime.ExitError',
        message: `Error: Runtime exited with error: ${how}`,
      });
    });
    return made;
  }

  async function stopSandbox(): Promise<void> {
    const { child } = sandbox ?? {};
    sandbox = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** The sandbox with its handler loaded; or what came of loading it. */
  async function load(phase: 'init' | 'invoke', limitMs: number): Promise<ServerResponse | Outcome> {
    sandbox = start();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), limitMs);
    });
    const began = Date.now();
    const next = await Promise.race([sandbox.next(), late]);
    clearTimeout(timer);
    if (next !== undefined && next !== 'late') return next;
    const took = next === 'late' ? limitMs : Date.now() - began;
    const { initError } = sandbox;
    const status = next === 'late' ? 'timeout' : 'error';
    await stopSandbox();
    const type = initError?.kind === 'error' ? initError.type : 'Runtime.ExitError';
    report(
      'initReport',
      `INIT_REPORT Init Duration: ${took.toFixed(2)} ms\tPhase: ${phase}\tStatus: ${status}\tError Type: ${type}`,
      { initializationType: 'on-demand', phase, status, errorType: type, metrics: { durationMs: took } },
    );
    return (
      initError ?? { kind: 'error', type, message: 'Error: Runtime exited before the handler was loaded' }
    );
  }

  async function run(event: unknown, requestId: string, aheadMs: number): Promise<Ran> {
    let next = sandbox === undefined ? await load('init', INIT_MS) : await sandbox.next();
    // A sandbox that ended between two invocations, or an INIT phase that failed: once more, in the invocation.
    if (next === undefined || 'kind' in next) next = await load('invoke', cutOffMs);
    report('start', `START RequestId: ${requestId} Version: $LATEST`, { requestId, version: '$LATEST' });
    const began = performance.now();
    const ended = (outcome: Ran['outcome']): Ran => ({ outcome, tookMs: performance.now() - began });
    if ('kind' in next) return ended(next);
    const answer = new Promise<Outcome>((resolve) => {
      if (sandbox) sandbox.settle = resolve;
    });
    next.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': requestId,
      'lambda-runtime-deadline-ms': String(Date.now() + cutOffMs),
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:eu-central-1:123456789012:function:function',
      'lambda-runtime-trace-id': `Root=1-${requestId.slice(0, 8)}-${requestId.replaceAll('-', '').slice(0, 24)}`,
      'lambda-runtime-clock-ahead-ms': String(aheadMs),
    });
    next.end(JSON.stringify(event));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), cutOffMs);
    });
    const outcome = await Promise.race([answer, late]);
    clearTimeout(timer);
    return ended(outcome);
  }

  /**
   * Invokes the function as the Invoke API does; one invocation at a time.
   *
   * @param aheadMs how long the clock of the function is ahead: what expires need not be waited for
   */
  async function invoke(event: unknown, aheadMs = 0): Promise<Outcome> {
    if (options.reservedConcurrency === 0) {
      counted.push({ isError: false, isThrottled: true, durationMs: 0 });
      return { kind: 'throttled' };
    }
    const requestId = randomUUID();
    const { outcome: ran, tookMs } = await run(event, requestId, aheadMs);
    const isLate = ran === 'late';
    const durationMs = isLate ? timeoutMs : tookMs;
    let outcome: Outcome;
    if (ran !== 'late') outcome = ran;
    else {
      const message = `Task timed out after ${(timeoutMs / 1_000).toFixed(2)} seconds`;
      write(`${new Date().toISOString()} ${requestId} ${message}\n`);
      outcome = {
        kind: 'error',
        type: 'Sandbox.Timedout',
        message: `RequestId: ${requestId} Error: ${message}`,
      };
    }
    const hasExited = outcome.kind === 'error' && outcome.type === 'Runtime.ExitError';
    if (hasExited && outcome.kind === 'error')
      write(`RequestId: ${requestId} ${outcome.message}\n${outcome.type}`);
    // The process may hold what is left of this invocation.
    if (isLate || hasExited) await stopSandbox();
    const status = outcome.kind === 'answer' ? 'success' : isLate ? 'timeout' : 'error';
    report('runtimeDone', `END RequestId: ${requestId}`, { requestId, status });
    report(
      'report',
      `REPORT RequestId: ${requestId}\tDuration: ${durationMs.toFixed(2)} ms\tBilled Duration: ${Math.ceil(durationMs)} ms\tMemory Size: ${memoryMb} MB\tMax Memory Used: ${memoryMb} MB${status === 'success' ? '' : `\tStatus: ${status}`}`,
      {
        requestId,
        status,
        metrics: { durationMs, billedDurationMs: Math.ceil(durationMs), memorySizeMB: memoryMb },
      },
    );
    counted.push({ isError: outcome.kind === 'error', isThrottled: false, durationMs });
    return outcome;
  }

  return {
    invoke,
    /** The lines of its log group so far. */
    lines: (): readonly string[] =>
      readFileSync(logFile, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    counted: (): readonly Counted[] => counted,
    stop: async (): Promise<void> => {
      await stopSandbox();
      server.closeAllConnections();
      server.close();
      rmSync(own, { recursive: true, force: true });
    },
  };
}

/** As Lambda writes them (Go's names of signals). */
const SIGNALS: Readonly<Record<string, string>> = {
  SIGABRT: 'aborted',
  SIGKILL: 'killed',
  SIGTRAP: 'trace/breakpoint trap',
  SIGSEGV: 'segmentation fault',
};
