/** Entry of the table: keys, entities and the two ports. Behind them: dynamodb/ or memory/. */
export { fromBase64Url, toBase64Url } from './bytes.ts';
export { statusesOf } from './entities/registry.ts';
export { isBuiltIn, SCOPE_TYPES, typesBelow } from './entities/scope-types.ts';
export { type ErrorCode, GatehouseError } from './errors.ts';
export { defused } from './formulas.ts';
export { BUILT_IN_SUBJECTS, formatRef, isId, isRef, parseRef, type Ref } from './identifiers.ts';
export { readInstant } from './instant.ts';
export type { Item } from './item.ts';
export * from './keys.ts';
export { isInForce, originsOf, readOrigins } from './membership-origins.ts';
export type { ListQuery, MergedQuery, Page, Range, Reader } from './reader.ts';
export { formatPathTemplate, formatTemplate } from './route-template.ts';
export { withInvisible } from './visible-text.ts';
export type { Action } from './write/action.ts';
export type { Writer } from './writer.ts';
