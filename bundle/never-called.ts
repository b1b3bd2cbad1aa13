/**
 * Stands in the bundle for two modules of the AWS SDK that the functions never call (bundle/esbuild.yml). Each name that
 * the SDK imports of them is here and throws, so that a call would fail and not do something else.
 */
function refuse(): never {
  throw new Error('this part of the AWS SDK is not in the bundle: bundle/esbuild.yml');
}

/** Of `@aws-sdk/credential-provider-node`: called only for a client that was given no credentials. */
export const defaultProvider = refuse;

/** Of `@smithy/core/event-streams`: imported only for an operation that streams events. DynamoDB has none. */
export const EventStreamSerde = refuse;
export const eventStreamSerdeProvider = refuse;
