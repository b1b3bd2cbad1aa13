import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { send } from '../local/explorer/support.ts';

const MAIN = join(inject('installed'), 'node_modules/gatehouse-authz/dist/cli/main.js');
const FREE = ['--port', '0', '--lambda-port', '0', '--dynamodb-port', '0'];

test('the explorer of the package has its page: every file that it names is served', async () => {
  const dev = spawn(process.execPath, [MAIN, 'dev', ...FREE], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DYNAMODB_ENDPOINT: '', TABLE_NAME: '' },
  });
  const ended = new Promise((resolve) => dev.once('exit', resolve));
  onTestFinished(async () => {
    dev.kill('SIGINT');
    expect(await ended).toBe(0);
  });
  const link = await new Promise<string>((resolve, reject) => {
    let text = '';
    dev.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [found] = /http\S+\/_dev\/explorer\/open\?\S+(?=\s)/.exec(text) ?? [];
      if (found) resolve(found);
    });
    void ended.then(() => reject(new Error(`it ended: ${text}`)));
  });
  const cookie = String((await send(link)).headers['set-cookie']?.[0]).replace(/;.*$/, '');
  const get = (name: string) => send(new URL(name, link).href, { headers: { cookie } });
  const page = await get('.');
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);

  const seen = new Set<string>();
  const wanted = [...page.body.matchAll(/(?:href|src)="(?!data:)([^"]+)"/g)].map(([, name = '']) => name);
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const { status, body } = await get(name);
    expect([name, status]).toEqual([name, 200]);
    wanted.push(...[...body.matchAll(/["']\.\/([\w-]+\.js)["']/g)].map(([, imported = '']) => imported));
  }
  expect([...seen]).toEqual(expect.arrayContaining(['main.js', 'main.css']));
  expect(seen.size).toBeGreaterThan(4);
});
