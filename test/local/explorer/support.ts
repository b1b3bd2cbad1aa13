import { request } from 'node:http';
import { createExplorer, type ExplorerOptions, linkTo } from '../../../local/explorer/listener.ts';
import { createSessions, type Sessions } from '../../../local/explorer/sessions.ts';
import { listen } from '../../support/listening.ts';
import { frozenClock } from '../support.ts';

/** What a browser or a program sends, as it is: fetch() would set some headers itself. */
export interface Sent {
  readonly method?: string;
  /** Several values of a header are sent as several headers. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: string;
}

export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export const send = (url: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    outgoing.once('upgrade', ({ statusCode: status = 0, headers }, socket) => {
      socket.destroy();
      resolve({ status, headers, body: '' });
    });
    outgoing.once('error', reject).end(body);
  });

const FILES: Readonly<Record<string, string>> = {
  'explorer.html': '<!doctype html><title>page</title>',
  'main.js': 'export {}',
};

export const BASE = '/_explorer';
/** What the page's script sends with a call. */
export const OF_PAGE = { 'content-type': 'application/json', 'x-gatehouse-explorer': '1' };

/** An explorer over a service that answers what it was asked, with a page of two files. */
export async function openExplorer(changes: Partial<ExplorerOptions> = {}) {
  const clock = frozenClock();
  let secrets = 0;
  const newSecret = () => `secret-${++secrets}`;
  const sessions: Sessions = createSessions({ now: clock.now, newSecret });
  const origin = await listen(
    createExplorer({
      basePath: BASE,
      sessions,
      service: async (method, input) => ({ ok: true, result: { method, input } as never }),
      readPage: async (name) => {
        const text = FILES[name];
        return text === undefined ? undefined : { type: 'text/html', bytes: Buffer.from(text) };
      },
      howToOpen: 'start it again',
      ...changes,
    }),
  );
  const newLink = () => `${origin}${linkTo(BASE, sessions.newTicket())}`;
  /** The cookie that opening a link sets, as it is sent back. */
  const openSession = async (): Promise<string> => {
    const { headers } = await send(newLink());
    return String(headers['set-cookie']?.[0]).replace(/;.*$/, '');
  };
  return { origin, url: `${origin}${BASE}`, port: new URL(origin).port, clock, newLink, openSession };
}
