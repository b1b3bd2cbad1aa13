export { parseJson } from '../table/json.ts';

/** A JSON object or a YAML mapping. */
export type Mapping = Readonly<Record<string, unknown>>;

export const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
