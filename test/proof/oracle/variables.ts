import { isIP } from 'node:net';
import type { Value, Variables } from '../../../engine/conditions/declarations.ts';
import type { Model, Properties, Question } from './model.ts';

/**
 * What a condition looks at (SPEC section 8), built from a model and a question. Of the engine it takes
 * only the types of the values.
 */
export function variablesOf(
  model: Model,
  { subject, permission, scope, at, isNow, given = {} }: Question,
): Variables {
  const [who, where] = [partsOf(subject), partsOf(scope)];
  const about = { type: given.resource?.type ?? where.type, id: given.resource?.id ?? where.id };
  // The application's own object at a scope has no properties in the table.
  const kept =
    `${about.type}:${about.id}` === scope ? model.scopes.find(({ ref }) => ref === scope) : undefined;
  const properties = (of: string, stored: Properties = {}, passed: Properties = {}) =>
    propertiesOf(model, of, stored, passed);
  const action = given.action?.name ?? (permission.includes(':') ? permission.split(':')[1] : permission);
  return {
    subject: new Map<string, Value>([
      ['type', who.type],
      ['id', who.id],
      [
        'properties',
        properties(
          `subject:${who.type}`,
          model.subjects.find(({ ref }) => ref === subject)?.properties,
          given.subject?.properties,
        ),
      ],
    ]),
    resource: new Map<string, Value>([
      ['type', about.type],
      ['id', about.id],
      ['properties', properties(`resource:${about.type}`, kept?.properties, given.resource?.properties)],
    ]),
    action: new Map<string, Value>([
      ['name', String(action)],
      ['properties', properties('action', {}, given.action?.properties)],
    ]),
    context: new Map([
      ...properties('context', {}, given.context),
      // The instant that is asked for, unless the caller says another; of now the enforcement point says it, or nobody.
      ...valuesOf(OF_THE_REQUEST, {
        time: isNow ? undefined : new Date(at).toISOString(),
        ...given.context,
      }).filter(([name, value]) => name !== 'ip' || isIP(String(value)) !== 0),
    ]),
  };
}

const partsOf = (ref: string) => {
  const [type = '', ...id] = ref.split(':');
  return { type, id: id.join(':') };
};

/** What is declared of the context from the beginning. */
const OF_THE_REQUEST = [
  { name: 'ip', type: 'string' },
  { name: 'time', type: 'timestamp' },
  { name: 'method', type: 'string' },
  { name: 'path', type: 'string' },
  { name: 'userAgent', type: 'string' },
  { name: 'claims', type: 'map' },
];

/** What is not declared is ignored; of what is declared only the value from its source counts. */
function propertiesOf(model: Model, of: string, stored: Properties, passed: Properties): Map<string, Value> {
  const declared = model.declarations.filter((each) => each.of === of);
  const from = (wanted: string) => declared.filter(({ source }) => source === wanted);
  return new Map([...valuesOf(from('stored'), stored), ...valuesOf(from('passed'), passed)]);
}

function valuesOf(
  declared: readonly { readonly name: string; readonly type: string }[],
  values: Properties,
): [string, Value][] {
  return declared.flatMap(({ name, type }): [string, Value][] => {
    if (!Object.keys(values).includes(name)) return [];
    const value = fitted(values[name], type);
    return value === undefined ? [] : [[name, value]];
  });
}

const MAX_CHARACTERS = 8_192;
const MAX_ENTRIES = 1_000;
const MAX_LEVELS = 4;

/** The value, if it fits the type; undefined if it does not: it then counts as missing. */
function fitted(value: unknown, type: string): Value | undefined {
  switch (type) {
    case 'double':
      return typeof value === 'number' ? value : undefined;
    case 'timestamp':
      return typeof value === 'string' && isInstant(value) ? new Date(value) : undefined;
    case 'int':
      return Number.isSafeInteger(value) ? anything(value, 1) : undefined;
    case 'list<string>':
      return isTexts(value) ? anything(value, 1) : undefined;
    case 'map':
      return isMap(value) ? anything(value, 1) : undefined;
    default:
      return typeof value === (type === 'bool' ? 'boolean' : type) ? anything(value, 1) : undefined;
  }
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
const isMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isInstant = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text.slice(0, 19));

/** A JSON value: whole numbers are `int`, others `double`. */
function anything(value: unknown, level: number): Value | undefined {
  if (typeof value === 'string') return value.length > MAX_CHARACTERS ? undefined : value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object' || level > MAX_LEVELS) return undefined;
  const entries = Object.entries(value).map(([key, each]) => [key, anything(each, level + 1)] as const);
  if (entries.length > MAX_ENTRIES || entries.some(([, each]) => each === undefined)) return undefined;
  const known = entries as (readonly [string, Value])[];
  return Array.isArray(value) ? known.map(([, each]) => each) : new Map(known);
}
