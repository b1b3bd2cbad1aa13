/**
 * Does something that takes time with each item, several at once, and yields what came of them in the order of the
 * items. What has come of an item does not wait for the next item.
 *
 * @param most how many items are taken before the first of them is done with
 */
export async function* aheadOf<T, R>(
  items: AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const taken: Promise<R>[] = [];
  let isClosed = false;
  let wake: () => void = () => {};
  let makeRoom: () => void = () => {};

  const taking = (async () => {
    for await (const item of items) {
      while (taken.length >= most && !isClosed)
        await new Promise<void>((resolve) => {
          makeRoom = resolve;
        });
      if (isClosed) return;
      const working = work(item);
      // Whoever waits for it hears of its error.
      working.catch(() => {});
      taken.push(working);
      wake();
    }
  })();
  let hasEnded = false;
  const ended = taking.finally(() => {
    hasEnded = true;
    wake();
  });
  ended.catch(() => {});

  try {
    for (;;) {
      const first = taken[0];
      if (first) {
        const done = await first;
        taken.shift();
        makeRoom();
        yield done;
      } else if (hasEnded) {
        await ended;
        return;
      } else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    isClosed = true;
    makeRoom();
  }
}
