import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { freePort } from '../../local/embedded-engine.ts';
import { stepsOf } from './document.ts';
import { ofNewcomer } from './terminal.ts';
import { walk } from './walk.ts';

/**
 * A newcomer follows docs/tutorial.md line by line: in an empty folder, with the package as it is published, real
 * processes and the registry. Only ports and the package's place are others than the document's.
 */
const TUTORIAL = new URL('../../docs/tutorial.md', import.meta.url);

test('every line of the tutorial does what the tutorial says', async () => {
  const steps = stepsOf(readFileSync(TUTORIAL, 'utf8'));
  const ports: Record<string, number> = {};
  for (const port of ['3000', '3001', '3002', '4000']) ports[port] = await freePort();
  const flags = `--port ${ports[3000]} --dynamodb-port ${ports[3001]} --lambda-port ${ports[3002]}`;
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-newcomer-'));
  try {
    const broken = await walk(steps, {
      folder,
      env: { ...ofNewcomer(process.env), NO_COLOR: '1' },
      replace: (text) =>
        text
          .replace('npm install ../gatehouse-authz-0.1.0.tgz', `npm install ${inject('tarball')}`)
          .replace('npm run authz:dev', `npm run authz:dev -- ${flags}`)
          .replaceAll(/127\.0\.0\.1:(\d+)/g, (all, port) => all.replace(port, String(ports[port] ?? port)))
          .replaceAll('.listen(4000', `.listen(${ports[4000]}`),
      goesOn: (command) => /^(?:npm run authz:dev|node server\.js)/.test(command),
      hasStarted: (printed) => /^[a-z ]+ http:/m.test(printed),
    });
    expect(broken).toBeUndefined();
    expect(steps.filter(({ kind }) => kind === 'command').length).toBeGreaterThan(20);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
