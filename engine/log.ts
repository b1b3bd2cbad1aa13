import { codesOf, GatehouseError } from '../table/errors.ts';
import { LOG_LEVELS, type Log, type LogFields, type LogLevel } from '../table/log.ts';

export interface LogOptions {
  /** The `service` of each line: the function that writes it. */
  readonly service: string;
  /** Lines of lower levels are not written. Default: INFO. */
  readonly level?: LogLevel | undefined;
  /** Epoch milliseconds. Default: the wall clock. */
  readonly now?: (() => number) | undefined;
  /** Writes one line. Default: standard output. */
  readonly write?: (line: string) => void;
}

/** Not `console.log`: Lambda adds a prefix to its lines, and a filter finds no JSON then. */
export const writeLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** Levels of Lambda's logging configuration that have other names here (Lambda monitoring-cloudwatchlogs-log-level). */
const OF_LAMBDA: Readonly<Record<string, LogLevel>> = { TRACE: 'DEBUG', FATAL: 'SILENT' };

/** The level that the function's logging configuration sets; undefined elsewhere. */
function levelOfLambda(): LogLevel | undefined {
  const name = process.env.AWS_LAMBDA_LOG_LEVEL?.toUpperCase() ?? '';
  return OF_LAMBDA[name] ?? LOG_LEVELS.find((level) => level === name);
}

/** The id of the invocation's trace, which Lambda sets anew for each. */
function traceId(): string | undefined {
  const header = process.env._X_AMZN_TRACE_ID;
  return header === undefined ? undefined : /(?:^|;)Root=([^;]+)/.exec(header)?.[1];
}

/**
 * Log lines of JSON: `level`, `message`, `timestamp` (ISO 8601, UTC), `service` and the fields, without those that
 * have no value. No state is kept between lines, so requests that are served at the same time do not mix. On Lambda
 * the level of the function's logging configuration holds before `level`.
 */
export function createLog({ service, level = 'INFO', write = writeLine, now = Date.now }: LogOptions): Log {
  const least = LOG_LEVELS.indexOf(levelOfLambda() ?? level);
  const at = (name: LogLevel) => (message: string, fields: LogFields) => {
    if (LOG_LEVELS.indexOf(name) < least) return;
    const timestamp = new Date(now()).toISOString();
    write(JSON.stringify({ level: name, message, timestamp, service, traceId: traceId(), ...fields }));
  };
  return { error: at('ERROR'), warn: at('WARN'), info: at('INFO') };
}

/**
 * Starts a function. If it cannot start, because its configuration is wrong, this is logged and thrown again:
 * Lambda writes the error by itself too, as text.
 */
export function startWith<T>(options: LogOptions, start: () => T): T {
  try {
    return start();
  } catch (error) {
    // Our messages name variables without their values; another one may quote anything.
    const reason = error instanceof GatehouseError ? error.message : undefined;
    createLog(options).error('start failed', { ...codesOf(error), reason });
    throw error;
  }
}
