import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { Entity } from 'electrodb';
import { defineRows, rowsInDynamoDb, text, type VisibleRows } from '../../engine/rows/index.ts';

/**
 * A list of an entity of ElectroDB, which makes the keys and reads the items (docs/lists.md).
 *
 * In your own code import from `gatehouse-authz/rows`.
 */
export function createInvoices(client: DynamoDBDocumentClient, table: string, visibleRows: VisibleRows) {
  const entity = new Entity(
    {
      model: { entity: 'invoice', version: '1', service: 'billing' },
      attributes: {
        id: { type: 'string', required: true },
        project: { type: 'string', required: true },
        createdAt: { type: 'string', required: true },
        owner: { type: 'string' },
      },
      indexes: {
        byProject: {
          pk: { field: 'pk', composite: ['project'], casing: 'none' },
          sk: { field: 'sk', composite: ['createdAt', 'id'], casing: 'none' },
        },
      },
    },
    { client, table },
  );
  /** The partition key of a project, and what the sort keys of all invoices begin with. */
  const keysOf = (project: string): Record<':pk' | ':sk1', string> =>
    entity.query
      .byProject({ project })
      .params<{ ExpressionAttributeValues: Record<':pk' | ':sk1', string> }>().ExpressionAttributeValues;

  const invoices = defineRows({
    type: 'invoice',
    id: 'id',
    scope: { column: 'project', type: 'project' },
    properties: { owner: text('owner') },
    order: [{ column: 'sk', direction: 'desc' }],
    key: ['pk', 'sk'],
  });
  const fetch = rowsInDynamoDb(
    invoices,
    {
      table,
      partition: { attribute: 'pk', column: 'project', keys: (project) => keysOf(project)[':pk'] },
      sort: { attribute: 'sk', prefix: keysOf('any')[':sk1'] },
    },
    (input) => client.send(new QueryCommand(input)),
  );

  /** The invoices that a subject may read, newest first. */
  async function list(subject: string, after?: string) {
    const page = await visibleRows({
      subject,
      permission: 'billing:read:invoice',
      rows: invoices,
      after,
      fetch,
    });
    return { invoices: entity.parse({ Items: [...page.rows] }).data, cursor: page.cursor };
  }
  return { entity, list };
}
