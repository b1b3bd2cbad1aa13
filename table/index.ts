/** Door of the table: keys, entities, decision items, reading and writing. */
export { type ClientOptions, createClient, createServiceClient } from './client.ts';
export { createTable, type TableDefinition } from './definition.ts';
export { ENTITIES, type EntityType } from './entities/registry.ts';
export { type ErrorCode, GatehouseError } from './errors.ts';
export { formatRef, isId, parseRef, type Ref } from './identifiers.ts';
export type { Item } from './item.ts';
export * from './keys.ts';
/** The named access patterns: one function each. */
export * as patterns from './patterns/index.ts';
export { createReader, type Reader, type ReaderOptions } from './read/reader.ts';
export { createWriter, type Writer, type WriterOptions } from './write/writer.ts';
