import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import definition from './definition.json' with { type: 'json' };

/**
 * The table as it is: `definition.json` is in CloudFormation's form and stands once. `serverless.yml`
 * includes it as it is; the local stack and the tests create the table from it here.
 */
export type TableDefinition = typeof definition;

/**
 * Creates the table at an endpoint unless it is there already. Not for production: there the stack does it.
 *
 * @returns whether it was created
 */
export async function createTable(client: DynamoDBClient, table: string): Promise<boolean> {
  const { TimeToLiveSpecification, ...schema } = definition;
  try {
    await client.send(new CreateTableCommand({ TableName: table, ...schema } as CreateTableCommandInput));
  } catch (error) {
    if (error instanceof ResourceInUseException) return false;
    throw error;
  }
  await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName: table });
  await client.send(new UpdateTimeToLiveCommand({ TableName: table, TimeToLiveSpecification }));
  return true;
}
