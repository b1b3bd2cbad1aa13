import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserServer, chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { buildExplorerIfOlder } from '../../deploy/bundle/explorer-if-older.ts';
import { BUILT } from '../../local/explorer/page-files.ts';
import { serveFolder } from './static-server.ts';

/** The one without a screen first: the same engine, at half of the processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Nothing here goes to the network by itself. Without a sandbox, as root has none: tests open pages of ours only. */
const ARGUMENTS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/**
 * The file of the Chromium to use: the variable CHROMIUM, or the first of its usual names on the PATH.
 *
 * @throws Error that says what to install
 */
function findChromium({ CHROMIUM, PATH = '' }: NodeJS.ProcessEnv): string {
  const files = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const found = CHROMIUM || files.find(isExecutable);
  if (found) return found;
  throw new Error(
    `no Chromium (${NAMES.join(', ')} on the PATH): run apt-get install chromium, or set CHROMIUM to the file of one`,
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a Chromium without a screen, to which `chromium.connect` connects. */
export const launchChromium = (): Promise<BrowserServer> =>
  chromium.launchServer({ executablePath: findChromium(process.env), args: ARGUMENTS, timeout: 300_000 });

/** One Chromium and one playground for all files of the tier. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Other tests may be serving the page that is there.
  await buildExplorerIfOlder();
  const playground = await serveFolder(fileURLToPath(BUILT));
  project.provide('playground', playground.url);
  const server = await launchChromium();
  project.provide('chromium', server.wsEndpoint());
  return async () => {
    await server.close();
    await playground.close();
  };
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The endpoint of the running Chromium. Only in the browser tier. */
    chromium: string;
    /** The address of the built playground, which ends with a slash. Only in the browser tier. */
    playground: string;
  }
}
