import type { ServerResponse } from 'node:http';
import type { EventRing } from './event-ring.ts';

/** Milliseconds after which a browser connects again. */
const RETRY_MS = 1_000;

/**
 * Sends events as an event stream (HTML, server-sent events), the ones that are kept first. A slow reader holds no
 * memory: it has a position among the events that are kept, and an event `missed` says how many of them were gone
 * before it read them.
 *
 * @param lastEventId what a reader that connects again got last
 */
export function streamEvents<Event extends { readonly id: number }>(
  ring: EventRing<Event>,
  outgoing: ServerResponse,
  lastEventId: string | undefined,
): void {
  const known = /^\d{1,15}$/.test(lastEventId ?? '') ? Number(lastEventId) : undefined;
  let at = Math.min(known ?? (ring.after(0)?.id ?? 1) - 1, ring.newest());
  let isFull = false;
  const send = (text: string): void => {
    if (outgoing.write(text)) return;
    isFull = true;
    outgoing.once('drain', () => {
      isFull = false;
      sendRest();
    });
  };
  const sendRest = (): void => {
    for (let next = ring.after(at); next && !isFull; next = ring.after(at)) {
      const missed = next.id - at - 1;
      at = next.id;
      send(
        `${missed > 0 ? `event: missed\ndata: {"count":${missed}}\n\n` : ''}` +
          `id: ${next.id}\ndata: ${JSON.stringify(next)}\n\n`,
      );
    }
  };
  outgoing.once('close', ring.subscribe(sendRest));
  send(`retry: ${RETRY_MS}\n\n`);
  sendRest();
}
