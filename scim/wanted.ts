import { badRequest } from './errors.ts';
import type { ResourceType } from './schema.ts';

export type Resource = Readonly<Record<string, unknown>> & { readonly id: string };

/** Which attributes an answer shows (RFC 7644 section 3.9). */
export interface Wanted {
  /** Whether it shows something of an attribute. */
  readonly has: (name: string) => boolean;
  /** Whether the request says anything of it. */
  readonly isSaid: boolean;
  readonly of: (resource: Resource) => Resource;
}

/** The sub-attributes of each attribute that a parameter names; true for the whole attribute. */
type Named = ReadonlyMap<string, true | ReadonlySet<string>>;

/** @throws ScimError `invalidValue` for both parameters at once */
export function readWanted(query: URLSearchParams, type: ResourceType): Wanted {
  const [only, without] = [query.get('attributes'), query.get('excludedAttributes')];
  if (only && without) throw badRequest('invalidValue', 'give attributes or excludedAttributes, not both');
  const attributes = only ? namedIn(only, type) : undefined;
  const excluded = without ? namedIn(without, type) : undefined;
  const returned = (name: string) => type.find(name)?.attribute.returned ?? 'always';
  const has = (name: string): boolean => {
    if (returned(name) === 'always') return true;
    if (attributes) return attributes.has(name);
    return returned(name) === 'default' && excluded?.get(name) !== true;
  };
  const partOf = (name: string, value: unknown): unknown => {
    const [kept, dropped] = [attributes?.get(name), excluded?.get(name)];
    if (kept !== undefined && kept !== true) return each(value, (sub) => kept.has(sub));
    if (dropped !== undefined && dropped !== true) return each(value, (sub) => !dropped.has(sub));
    return value;
  };
  return {
    has,
    isSaid: Boolean(only || without),
    of: (resource) =>
      Object.fromEntries(
        Object.entries(resource)
          .filter(([name]) => has(name))
          .map(([name, value]) => [name, returned(name) === 'always' ? value : partOf(name, value)]),
      ) as Resource,
  };
}

/** The value, or each of several values, with some of its members. */
function each(value: unknown, isShown: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => each(one, isShown));
  return Object.fromEntries(Object.entries(value as object).filter(([name]) => isShown(name)));
}

/** What is no attribute is left out. */
function namedIn(list: string, type: ResourceType): Named {
  const named = new Map<string, true | Set<string>>();
  for (const text of list.split(',')) {
    const [name, sub] = type.find(text.trim())?.at ?? [];
    if (name === undefined) continue;
    const before = named.get(name);
    if (sub === undefined || before === true) named.set(name, true);
    else named.set(name, (before ?? new Set()).add(sub));
  }
  return named;
}
