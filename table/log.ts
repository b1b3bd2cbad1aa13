/** From the least to the most severe. At `SILENT` no line is written. */
export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'SILENT'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Codes, ids and fixed texts; never a token, a secret, an email or the name of a person. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Writes log lines. `message` is a fixed text that metric filters match (docs/observability.md); what varies is in the
 * fields. `createLog` of engine/log.ts makes one, and Powertools' Logger is one.
 */
export interface Log {
  readonly error: (message: string, fields: LogFields) => void;
  readonly warn: (message: string, fields: LogFields) => void;
  readonly info: (message: string, fields: LogFields) => void;
}
