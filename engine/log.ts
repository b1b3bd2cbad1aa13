import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';
import { codesOf, GatehouseError } from '../table/errors.ts';
import type { Log, LogLevel } from '../table/log.ts';

export interface LogOptions {
  /** The `service` of each line: the function that writes it. */
  readonly service: string;
  /** Lines of lower levels are not written. Default: INFO. */
  readonly level?: LogLevel | undefined;
  /** Writes one line. Not `console.log`: Lambda adds a prefix to its lines, and a filter finds no JSON then. */
  readonly write: (line: string) => void;
}

/** The fields of each line. Those without a value are left out. */
class Formatter extends LogFormatter {
  override formatAttributes(base: UnformattedAttributes, fields: LogAttributes): LogItem {
    return new LogItem({
      attributes: {
        level: base.logLevel,
        message: base.message,
        timestamp: base.timestamp.toISOString(),
        service: base.serviceName,
        traceId: base.xRayTraceId,
        ...fields,
      },
    });
  }
}

/**
 * Log lines of JSON, by Powertools' Logger: `level`, `message`, `timestamp` (ISO 8601, UTC), `service` and the
 * fields. It keeps no state between lines, so requests that are served at the same time do not mix. On Lambda it
 * obeys the level of the function's logging configuration before `level` (Lambda monitoring-cloudwatchlogs-log-level).
 */
export function createLog({ service, level = 'INFO', write }: LogOptions): Log {
  class LineLogger extends Logger {
    protected override printLog(_: number, item: LogItem): void {
      item.prepareForPrint();
      write(JSON.stringify(item.getAttributes(), this.getJsonReplacer()));
    }
  }
  return new LineLogger({ serviceName: service, logLevel: level, logFormatter: new Formatter() });
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
