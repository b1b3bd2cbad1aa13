/** Entry of the table on DynamoDB: the client, the table's definition, reader and writer. */
export { type ClientOptions, createClient, createServiceClient } from './client.ts';
export { createTable } from './definition.ts';
export { createReader, type ReaderOptions } from './reader.ts';
export { createWriter, type WriterOptions } from './writer.ts';
