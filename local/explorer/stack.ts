import type { RequestListener } from 'node:http';
import { createService, type LiveEvent } from '../../explorer/service/index.ts';
import type { LocalTable } from '../table.ts';
import { createExplorer, linkTo } from './listener.ts';
import type { EventRing } from './live/event-ring.ts';
import { BUILT, pageIn } from './page-files.ts';
import { createSessions } from './sessions.ts';

const BASE_PATH = '/_dev/explorer';

export interface StackExplorerOptions {
  readonly table: LocalTable;
  /** Origin of the gateway. */
  readonly url: string;
  readonly events: EventRing<LiveEvent>;
  /** Takes a line for the person at the screen. */
  readonly say: (line: string) => void;
  /** The names of the APIs that have routes now. */
  readonly apis?: (() => readonly string[]) | undefined;
}

/**
 * The explorer over the table of the local stack, at `/_dev/explorer`. It may write:
 * the table is for trying things out. Who asks for the page without a session gets a new link, on the screen of the stack
 * and never in the answer.
 */
export function createStackExplorer({ table, url, events, say, apis }: StackExplorerOptions): {
  readonly listener: RequestListener;
  readonly newLink: () => string;
} {
  const clock = { now: Date.now };
  const sessions = createSessions(clock);
  const newLink = () => `${url}${linkTo(BASE_PATH, sessions.newTicket())}`;
  const listener = createExplorer({
    basePath: BASE_PATH,
    sessions,
    events,
    readPage: pageIn(BUILT),
    service: createService({
      reader: table.reader,
      provisioning: table.provisioning,
      clock,
      actor: 'explorer',
      about: {
        place: `the local table ${table.name}`,
        canWrite: true,
        isLive: true,
        // Read whenever the page asks: a manifest changes while it is served.
        get apis() {
          return apis?.();
        },
      },
    }),
    howToOpen: 'gatehouse dev has just printed a new one in its terminal',
    onClosed: () => say(explorerLine(newLink())),
  });
  return { newLink, listener };
}

/** The line of the explorer: a link that opens it once. */
export const explorerLine = (link: string): string =>
  `  explorer           ${link}   works once, for 5 minutes`;
