export type OnStarted = (stop: () => Promise<void>) => void;

/**
 * Starts a whole of parts, each of which is registered with how to stop it.
 *
 * @returns what was started; `stop` stops the parts in reverse order
 * @throws what a part throws, after those before it were stopped
 */
export async function startParts<Parts extends object>(
  start: (onStarted: OnStarted) => Promise<Parts>,
): Promise<Parts & { readonly stop: () => Promise<void> }> {
  const started: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of started.reverse().splice(0)) await end();
  };
  try {
    return { ...(await start((end) => started.push(end))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
