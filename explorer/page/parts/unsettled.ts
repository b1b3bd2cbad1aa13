import { useLayoutEffect } from 'preact/hooks';

/** What a field is given that says whether it is unsettled: what is in it is not yet its value, which is the one before. */
export interface Settling {
  readonly onUnsettled?: ((isUnsettled: boolean) => void) | undefined;
}

/** Says that a field is unsettled, and that it is so no more; of one that is taken off the page too. */
export function useUnsettled(isUnsettled: boolean, onUnsettled: Settling['onUnsettled']): void {
  useLayoutEffect(() => {
    if (!isUnsettled) return;
    onUnsettled?.(true);
    return () => onUnsettled?.(false);
  }, [isUnsettled]);
}
