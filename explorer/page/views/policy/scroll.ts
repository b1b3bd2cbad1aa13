import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Scrolls a list, and nothing around it, to its current element whenever that becomes another one. */
export function useScrollToCurrent(list: RefObject<HTMLElement | null>, current: string | undefined): void {
  useEffect(() => {
    const element = list.current?.querySelector('[aria-current="true"]');
    if (!list.current || !element || current === undefined) return;
    const [inside, outside] = [element.getBoundingClientRect(), list.current.getBoundingClientRect()];
    if (inside.top >= outside.top && inside.bottom <= outside.bottom) return;
    list.current.scrollTop += inside.top - outside.top - outside.height / 2;
  }, [current]);
}
