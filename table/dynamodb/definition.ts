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
 * Creates the table at an endpoint unless it is there already. Not for production: there the stack does it, from
 * the same definition: `definition.json` is in CloudFormation's form, and serverless.yml includes it.
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
