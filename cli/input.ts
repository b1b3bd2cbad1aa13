import {
  type CommandDescription,
  fieldMeant,
  fieldsOf,
  type Property,
  typeOf,
} from '../provisioning/index.ts';
import { NOT_AN_INSTANT, readInstant } from '../table/instant.ts';
import { isObject, type JsonObject, parseJson } from '../table/json.ts';
import { choiceOf, hint } from '../table/similar-words.ts';
import { type Context, UsageError } from './context.ts';
import { documentIn } from './input-file.ts';

/** The type of a field in a few words. */
export const typeText = (property: Property): string => typeOf(property).replaceAll('`', '');

/** The input of a command from a file and from `FIELD=VALUE`, which goes before it. Throws {@link UsageError}. */
export async function readInput(
  described: CommandDescription,
  pairs: readonly string[],
  file: string | undefined,
  context: Context,
): Promise<JsonObject> {
  const fields = fieldsOf(described);
  const known = fields.map(({ name }) => name);
  const renamed = described.formerly?.field;
  const before: readonly string[] = described.formerly?.before ?? [];
  const input: Record<string, unknown> = {};
  const refuseUnknown = (name: string, where: string): void => {
    if (known.includes(name) || before.includes(name)) return;
    const meant = fieldMeant(described.name, name, known);
    const hinted = meant === undefined ? hint(name, known) : `did you mean ${meant}?`;
    throw new UsageError(`${where}${described.name} has no field ${name}: ${hinted}`);
  };
  const propertyOf = (name: string): Property =>
    fields.find((field) => field.name === name)?.property ?? { type: 'string' };
  if (file !== undefined) {
    for (const [name, value] of Object.entries(await readObject(file, context))) {
      refuseUnknown(name, `${file}: `);
      input[name] = inChoices(value, propertyOf(name));
    }
  }
  const seen = new Set<string>();
  for (const pair of pairs) {
    const [, name, isJson, text] = /^([A-Za-z_]\w*)(:?)=([\s\S]*)$/.exec(pair) ?? [];
    if (name === undefined || text === undefined)
      throw new UsageError(`${pair} is not FIELD=VALUE or FIELD:=JSON`);
    refuseUnknown(name, '');
    if (seen.has(name)) throw new UsageError(`${name} is given twice`);
    seen.add(name);
    input[name] = isJson
      ? inChoices(jsonOf(name, text), propertyOf(name))
      : readValue(name, text, propertyOf(name));
  }
  const isGiven = (name: string): boolean =>
    Object.hasOwn(input, name) || (name === renamed && before.every((each) => Object.hasOwn(input, each)));
  const missing = fields.filter(({ name, isRequired }) => isRequired && !isGiven(name));
  if (missing.length > 0)
    throw new UsageError(
      `${described.name} needs ${missing.map(({ name, property }) => `${name} (${typeText(property)})`).join(', ')}`,
    );
  return input;
}

/** A mapping from a YAML or JSON file, or from the standard input (`-`). Throws {@link UsageError}. */
export async function readObject(file: string, context: Context): Promise<JsonObject> {
  const { data } = await documentIn(file, '--input', context);
  if (!isObject(data)) throw new UsageError(`--input ${file} does not hold a mapping of fields to values`);
  return data;
}

function jsonOf(name: string, text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) throw new UsageError(`${name}: ${text} is not JSON`);
  return value;
}

/** The choice that a text is, in whatever case it is written; undefined where other texts are values too. */
export function choiceIn(text: string, { enum: choices = [], anyOf = [] }: Property): string | undefined {
  if (anyOf.some(({ type, enum: some }) => type === 'string' && !some)) return undefined;
  const all = [...choices, ...anyOf.flatMap((each) => each.enum ?? [])];
  return choiceOf(text, all);
}

/** Data with the choices that its texts are; what fits none stays, and the schema refuses it. */
export function inChoices(value: unknown, property: Property): unknown {
  if (typeof value === 'string') return choiceIn(value, property) ?? value;
  const { items, properties = {} } = property;
  if (Array.isArray(value)) return items ? value.map((each) => inChoices(each, items)) : value;
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, each]) => [
    name,
    Object.hasOwn(properties, name) ? inChoices(each, properties[name] as Property) : each,
  ]);
  return Object.fromEntries(fields);
}

/** Reads a value of the type in its schema. Provisioning checks the rest of the schema. */
function readValue(name: string, text: string, property: Property): unknown {
  if (property.anyOf) {
    if (text === 'null' && property.anyOf.some(({ type }) => type === 'null')) return null;
    const others = property.anyOf.filter(({ type }) => type !== 'null');
    // Of several types, the first that the text fits; a string comes last.
    const isText = ({ type, anyOf }: Property) => type === 'string' && !anyOf;
    for (const each of others.filter((other) => !isText(other))) {
      try {
        return readValue(name, text, each);
      } catch (error) {
        if (!others.some(isText) && each === others.at(-1)) throw error;
      }
    }
    return readValue(name, text, others.find(isText) ?? {});
  }
  switch (property.type) {
    case 'array':
      if (/^\s*\[/.test(text)) return inChoices(jsonOf(name, text), property);
      if (property.items?.type === 'object')
        throw new UsageError(`${name} is a list of objects: give JSON, as ${name}='[{…}]', or --input FILE`);
      if (text === '') return [];
      return text.split(',').map((each) => readValue(name, each.trim(), property.items ?? {}));
    case 'object':
      return jsonOf(name, text);
    case 'boolean':
      if (text !== 'true' && text !== 'false')
        throw new UsageError(`${name}: ${text} is neither true nor false`);
      return text === 'true';
    case 'number':
    case 'integer': {
      const value = Number(text);
      if (text.trim() === '' || !Number.isFinite(value))
        throw new UsageError(`${name}: ${text} is not a number`);
      return value;
    }
    case 'string': {
      if (property.enum) {
        const meant = choiceIn(text, property);
        if (meant === undefined)
          throw new UsageError(`${name}: there is no ${text}: ${hint(text, property.enum)}`);
        return meant;
      }
      if (property.format !== 'date-time') return text;
      // The command reads it: of an end, a day is meant with all of it.
      if (readInstant(text) === undefined) throw new UsageError(`${name}: ${text} ${NOT_AN_INSTANT}`);
      return text;
    }
    default: {
      // The schema allows anything: JSON, otherwise the text itself.
      const value = parseJson(text);
      return value === undefined ? text : value;
    }
  }
}
