/** An object of JSON, or a mapping of YAML. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object, which is neither null nor a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a JSON text; undefined if it is malformed. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
