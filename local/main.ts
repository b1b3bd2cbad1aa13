import { readConfiguration } from './configuration.ts';
import { messageOf } from './message-of.ts';
import { describeStack } from './screen.ts';
import { type Stack, startStack } from './stack.ts';

/** `npm start`: the whole request path on this machine, until Ctrl-C. */
async function main(): Promise<void> {
  const configuration = readConfiguration(process.env);
  let stack: Stack | undefined;
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    await stack?.stop();
    process.exit(0);
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  stack = await startStack(configuration);
  if (ending) return void (await stack.stop());
  console.log(describeStack(stack, configuration.CACHE_TTL_SECONDS, 'Ctrl-C ends everything.'));
  console.log(`ready ${stack.url}`);
}

main().catch((error: unknown) => {
  console.error(`gatehouse: ${messageOf(error)}`);
  process.exit(1);
});
