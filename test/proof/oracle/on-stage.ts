import { startEmbeddedEngine } from '../../../local/embedded-engine.ts';
import { createStage, type Stage } from './stage.ts';

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/** Plays on the DynamoDB at DYNAMODB_ENDPOINT, or on an embedded engine that comes and goes with it. */
export async function onStage<T>(play: (stage: Stage) => Promise<T>): Promise<T> {
  const given = process.env.DYNAMODB_ENDPOINT;
  const engine = given ? undefined : await startEmbeddedEngine();
  try {
    return await play(createStage(given ?? engine?.endpoint ?? ''));
  } finally {
    await engine?.stop();
  }
}
