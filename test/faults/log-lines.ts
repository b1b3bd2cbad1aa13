import { isEmbeddedMetrics } from './cloudwatch/metrics.ts';

interface Line {
  readonly level?: string;
  readonly message?: unknown;
  readonly code?: string;
  readonly causes?: readonly string[];
  readonly errorMessage?: string;
  readonly type?: string;
  readonly record?: { readonly status?: string; readonly errorType?: string };
}

const OF_PLATFORM =
  /Task timed out after [\d.]+ seconds|Runtime exited with error: .+$|Phase: \w+\tStatus: \w+/;
/** What V8 writes before it ends the process. */
const OF_V8 = /JavaScript heap out of memory/;

/** Which of them it is depends on what ended first. */
const TIMED_OUT: ReadonlySet<string> = new Set(['AbortError', 'ETIMEDOUT']);
/** The cause of a time-out of DynamoDB, and of the issuer. */
export const NO_ANSWER = { dynamodb: [...TIMED_OUT].join(' or '), issuer: 'TimeoutError' } as const;

/** The object in a line, by itself or after the columns of the text format. */
function parsed(line: string): Line | undefined {
  const at = line.indexOf('{');
  if (at < 0) return undefined;
  try {
    return JSON.parse(line.slice(at));
  } catch {
    return undefined;
  }
}

/** What readers look for in a line: its level, its text and its codes; undefined for what every request writes. */
function essenceOf(line: string): string | undefined {
  if (isEmbeddedMetrics(line)) return undefined;
  const [, , level, text] = /^(\S*Z)\t\S*\t(\w+)\t([^{]*)/.exec(line) ?? [];
  const object = parsed(line);
  if (object?.type?.startsWith('platform.')) {
    const { status, errorType } = object.record ?? {};
    return status === undefined || status === 'success'
      ? undefined
      : `${object.type} ${status} ${errorType ?? ''}`.trim();
  }
  if (object !== undefined && (object.level !== undefined || level !== undefined)) {
    const codes = [object.code, ...(object.causes ?? [])].flatMap(
      (code) => (code && TIMED_OUT.has(code) ? NO_ANSWER.dynamodb : code) ?? [],
    );
    const said = object.errorMessage ?? String(object.message ?? '');
    const words = [
      (object.level ?? level ?? '').toUpperCase(),
      text?.trim(),
      said,
      codes.length > 0 && `(${codes.join(', ')})`,
    ];
    return words.filter((word) => word).join(' ');
  }
  const [of] = OF_PLATFORM.exec(line) ?? OF_V8.exec(line) ?? [];
  return of?.replace('\t', ' ');
}

/** The lines of a log that say something of a fault, each once, in the order of their first time. */
export const essences = (lines: readonly string[]): readonly string[] => [
  ...new Set(lines.flatMap((line) => essenceOf(line) ?? [])),
];
