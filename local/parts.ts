export type OnStarted = (stop: () => Promise<void>) => void;

/**
 * Starts several parts. Each part that has started registers its stop function.
 *
 * @returns the parts; `stop` stops them in reverse order
 * @throws the error of a part that fails, after stopping those before it
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
