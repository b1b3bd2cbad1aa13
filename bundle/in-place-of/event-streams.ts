/** Loaded by the SDK for operations that stream events, of which DynamoDB has none. */
const refuse = (): never => {
  throw new Error('this bundle holds no event streams (bundle/esbuild.yml)');
};

export class EventStreamSerde {
  constructor() {
    refuse();
  }
}

export const eventStreamSerdeProvider = refuse;
