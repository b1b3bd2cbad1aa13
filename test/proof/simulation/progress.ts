/** After how many histories a line reports how far a run is. */
const EVERY = 10_000;

/**
 * Reports the progress of a long run; of a short one nothing.
 *
 * @param now milliseconds, of a clock that never goes back
 */
export function createProgress(all: number, now: () => number, report: (line: string) => void) {
  const began = now();
  let [played, reported] = [0, 0];
  return {
    /** Notes histories that were played without a violation. */
    add: (histories: number): void => {
      played += histories;
      if (played - reported < EVERY || played >= all) return;
      reported = played - (played % EVERY);
      const seconds = Math.max(1, (now() - began) / 1_000);
      report(`${played} of ${all} histories, ${Math.round(played / seconds)} a second`);
    },
  };
}
