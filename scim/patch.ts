import { badRequest } from './errors.ts';
import { type Path, readPath } from './filter.ts';
import { type AttributePlace, isLeftOut, type ResourceType } from './schema.ts';
import { membersOf } from './values.ts';

/** Operations of one request. */
const MAX_OPERATIONS = 1_000;

const OPS = ['add', 'replace', 'remove'] as const;

/** One operation on one attribute. */
export interface Operation {
  readonly op: (typeof OPS)[number];
  readonly place: AttributePlace;
  /** Which values of the attribute: undefined for all. */
  readonly filter: Path['filter'];
  readonly value: unknown;
}

/**
 * The operations of a PATCH (RFC 7644 section 3.5.2), each on one attribute: one without a path is one for each member of
 * its value. Those on attributes that are not held are left out.
 *
 * @throws ScimError `invalidSyntax`, `invalidPath`, `noTarget`
 */
export function readPatch(body: unknown, type: ResourceType): readonly Operation[] {
  const operations = membersOf(body, 'the body').get('operations')?.value;
  if (!Array.isArray(operations) || operations.length === 0)
    throw badRequest('invalidSyntax', 'Operations is no list, or empty');
  if (operations.length > MAX_OPERATIONS)
    throw badRequest('invalidSyntax', `there are more than ${MAX_OPERATIONS} operations`);
  return operations.flatMap((each) => operationsOf(each, type));
}

function operationsOf(given: unknown, type: ResourceType): readonly Operation[] {
  const members = membersOf(given, 'an operation');
  // Entra ID begins them with a capital letter.
  const named = String(members.get('op')?.value).toLowerCase();
  const op = OPS.find((each) => each === named);
  if (op === undefined) throw badRequest('invalidSyntax', `op is none of ${OPS.join(', ')}`);
  const path = members.get('path')?.value;
  const value = members.get('value')?.value;
  if (path !== undefined && path !== null && path !== '') {
    if (typeof path !== 'string') throw badRequest('invalidPath', 'path is no text');
    if (op !== 'remove' && value === undefined) throw badRequest('invalidValue', 'an operation has no value');
    return at(op, path, value, type);
  }
  if (op === 'remove') throw badRequest('noTarget', 'remove has no path');
  return [...membersOf(value, 'value').values()].flatMap((each) => at(op, each.name, each.value, type));
}

function at(op: Operation['op'], text: string, value: unknown, type: ResourceType): readonly Operation[] {
  if (isLeftOut(text)) return [];
  const { attribute, filter } = readPath(text);
  const place = type.find(attribute);
  if (place === undefined || (filter && !type.find(place.at[0])?.attribute.multiValued))
    throw badRequest('invalidPath', `${type.name} has no such attribute`);
  return partsOf({ op, place, filter, value }, type);
}

/** A complex attribute with one value, as its parts: without a value all of them. */
function partsOf(of: Operation, type: ResourceType): readonly Operation[] {
  const { op, value } = of;
  const { name, type: form, multiValued, mutability, subAttributes = [] } = of.place.attribute;
  if (form !== 'complex' || multiValued || mutability === 'readOnly') return [of];
  const within = (sub: string, own: unknown) =>
    at(op, `${name}${name.startsWith('urn:') ? ':' : '.'}${sub}`, own, type);
  if (value === null || value === undefined) return subAttributes.flatMap((sub) => within(sub.name, null));
  // What it is an object of, may be said within it.
  const members = [...membersOf(value, name)].filter(([key]) => key !== 'schemas');
  return members.flatMap(([, each]) => within(each.name, each.value));
}

/**
 * Whether an operation says something new of an attribute.
 *
 * @param name of the attribute, for errors
 * @param id of the resource, which may be said again
 * @throws ScimError `mutability` for what cannot be written, or taken away
 */
export function isChange({ op, place: { attribute }, value }: Operation, name: string, id?: string): boolean {
  if (name === 'schemas' || (name === 'id' && op !== 'remove' && value === id)) return false;
  if (attribute.mutability === 'readOnly') throw badRequest('mutability', `${name} cannot be written`);
  if (attribute.required && op === 'remove') throw badRequest('mutability', `${name} cannot be taken away`);
  return true;
}

/**
 * The attributes of a whole resource, each by its path. Those that are not known, or cannot be written, are left out (RFC
 * 7644 section 3.3).
 *
 * @throws ScimError `invalidSyntax`
 */
export const attributesOf = (body: unknown, type: ResourceType): readonly Operation[] =>
  [...membersOf(body, 'the body').values()].flatMap(({ name, value }) => {
    const place = type.find(name);
    if (place === undefined || place.at[1] !== undefined || place.attribute.mutability === 'readOnly')
      return [];
    const { attribute } = place;
    if (attribute.type !== 'complex' || attribute.multiValued || typeof value !== 'object' || value === null)
      return partsOf({ op: 'replace', place, filter: undefined, value }, type);
    const known = [...membersOf(value, name).values()].filter(({ name: sub }) =>
      attribute.subAttributes?.some((each) => each.name.toLowerCase() === sub.toLowerCase()),
    );
    const own = Object.fromEntries(known.map((each) => [each.name, each.value]));
    return partsOf({ op: 'replace', place, filter: undefined, value: own }, type);
  });
