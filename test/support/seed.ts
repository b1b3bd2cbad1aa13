/**
 * Where random worlds begin: the same in every run, unless SEED names another or is `new`. Tests name it where
 * they fail.
 */
export const SEED =
  process.env.SEED === 'new' ? Date.now() % 1_000_000_000 : Number(process.env.SEED ?? 20_260_115);

/** What a failure says, so that it can be repeated. */
export const again = (seed: number = SEED): string => `SEED=${seed}`;
