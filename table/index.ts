/** Door of the table: keys, entities, access patterns and the two ports. Behind those: dynamodb/ or memory/. */
export { ENTITIES, type EntityType } from './entities/registry.ts';
export { type ErrorCode, GatehouseError } from './errors.ts';
export { formatRef, isId, parseRef, type Ref } from './identifiers.ts';
export type { Item } from './item.ts';
export * from './keys.ts';
/** The named access patterns: one function each. */
export * as patterns from './patterns/index.ts';
export type { ListQuery, MergedQuery, Page, Range, Reader } from './reader.ts';
export type { Action } from './write/action.ts';
export type { Writer } from './writer.ts';
