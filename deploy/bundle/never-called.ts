/**
 * Replaces two modules of the AWS SDK that the functions never call (deploy/bundle/esbuild.yml). It has each name
 * that the SDK imports from them; a call throws.
 */
function refuse(): never {
  throw new Error('this part of the AWS SDK is not in the bundle: deploy/bundle/esbuild.yml');
}

/** Of `@aws-sdk/credential-provider-node`: called only for a client without credentials. */
export const defaultProvider = refuse;

/** Of `@smithy/core/event-streams`: imported only for an operation that streams events. DynamoDB has none. */
export const EventStreamSerde = refuse;
export const eventStreamSerdeProvider = refuse;
