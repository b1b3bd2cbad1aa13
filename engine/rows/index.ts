/** Entry of lists of rows: what a subject may see of an application's own table, page by page. */
export type { Stored } from './codecs.ts';
export type { RowCondition } from './condition.ts';
export {
  bool,
  type Column,
  defineRows,
  double,
  int,
  type OrderColumn,
  type Row,
  type Rows,
  type RowsDefinition,
  type ScopeColumn,
  text,
  texts,
  time,
} from './define-rows.ts';
export { type DynamoDbQuery, type KeyLayout, type KeyPart, rowsInDynamoDb } from './dynamodb.ts';
export type { Place } from './row-place.ts';
export { type SqlOptions, type SqlPage, type SqlTag, sqlPage, taggedPage } from './sql.ts';
export {
  createVisibleRows,
  type RowsPage,
  type RowsQuestion,
  type VisibleRows,
  type VisibleRowsOptions,
} from './visible-rows.ts';
