/**
 * CEL and its library, loaded when a condition is met for the first time: functions without conditions start
 * without them.
 */
type Cel = typeof import('./cel.ts');

let loaded: Cel | undefined;
let loading: Promise<Cel> | undefined;

/**
 * Loads the module, once. It resolves when `cel()` may be called.
 *
 * @throws what the import throws; the next call tries again
 */
export async function loadCel(): Promise<void> {
  if (loaded) return;
  loading ??= import('./cel.ts');
  try {
    loaded = await loading;
  } finally {
    loading = undefined;
  }
}

/**
 * The loaded module.
 *
 * @throws Error if `loadCel` has not resolved: a defect of the caller
 */
export function cel(): Cel {
  if (loaded === undefined) throw new Error('CEL is not loaded: await loadCel() first');
  return loaded;
}
