/** Whether a log event matches. */
export type Matches = (line: string) => boolean;

/**
 * A filter pattern of CloudWatch Logs (CWL FilterAndPatternSyntax) of the only form that a stack's metrics have:
 * `{ $.message = "text" }`, for events that are JSON.
 *
 * @throws Error for any other
 */
export function filterPattern(pattern: string): Matches {
  const [, name = '', text] = /^\{ \$\.(\w+) = "([^"\\*]*)" \}$/.exec(pattern) ?? [];
  if (text === undefined) throw new Error(`filter pattern ${pattern}`);
  return (line) => parsed(line)?.[name] === text;
}

/** An event that is a JSON object; undefined for any other. */
function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.trim().startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
