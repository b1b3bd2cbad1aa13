import { useEffect, useState } from 'preact/hooks';
import type { LiveEvent } from '../../../service/index.ts';
import { withEvents } from './events.ts';

/** Milliseconds for which events are collected before they are drawn. */
const DRAW_MS = 200;

export type Stream = ReturnType<typeof useStream>;

interface Received {
  /** Newest first. */
  readonly events: readonly LiveEvent[];
  /** How many events were gone before they could be read. */
  readonly missed: number;
}

const NOTHING: Received = { events: [], missed: 0 };

/** The event stream of the local stack. The browser connects again by itself, and gets what it has missed. */
export function useStream(isLive: boolean) {
  const [attempt, setAttempt] = useState(0);
  // While it is `waiting`, the browser tries again by itself; after `ended` it does not.
  const [state, setState] = useState<'waiting' | 'open' | 'ended'>('waiting');
  const [received, setReceived] = useState(NOTHING);

  useEffect(() => {
    if (!isLive) return;
    setState('waiting');
    // A new stream begins with all events that are kept.
    setReceived(NOTHING);
    const source = new EventSource('live');
    let arrived: LiveEvent[] = [];
    let missed = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = (): void => {
      timer = undefined;
      const [events, count] = [arrived, missed];
      arrived = [];
      missed = 0;
      setReceived((before) => ({
        events: withEvents(before.events, events),
        missed: before.missed + count,
      }));
    };
    const drawSoon = (): void => {
      timer ??= setTimeout(draw, DRAW_MS);
    };
    source.onopen = () => setState('open');
    source.onerror = () => setState(source.readyState === EventSource.CLOSED ? 'ended' : 'waiting');
    source.onmessage = ({ data }: MessageEvent<string>) => {
      arrived.push(JSON.parse(data) as LiveEvent);
      drawSoon();
    };
    source.addEventListener('missed', ({ data }: MessageEvent<string>) => {
      missed += (JSON.parse(data) as { readonly count: number }).count;
      drawSoon();
    });
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [isLive, attempt]);

  return { ...received, state, reconnect: () => setAttempt((before) => before + 1) };
}
