import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, onTestFinished, test } from 'vitest';
import { editorIn, openPage, type } from '../support/browser.ts';
import { serveFolder } from '../support/static-server.ts';

/** The playground is a part of the site of the documents: static files that any host serves, under any path. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const MODEL = (role: string): string => `
pages: [grades]
scopes: { north: { type: location, id: north } }
roles: { teacher: { global: true, allow: [grades] }, guest: { global: true } }
users: { ann: { id: ann, globalRoles: [${role}] } }
`;
const QUESTION = 'why?subject=user:ann&permission=grades&scope=location:north';

beforeAll(async () => {
  await promisify(execFile)('npm', ['run', '--silent', 'docs:build'], { cwd: ROOT });
});

async function serve(base?: string): Promise<string> {
  const served = await serveFolder(`${ROOT}.site/pages`, base);
  onTestFinished(served.close);
  return served.url;
}

test('the front page leads to the playground', async () => {
  const { page } = await openPage({ url: await serve() });
  await page.getByRole('link', { name: 'Playground', exact: true }).last().click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
});

test('an edit changes the decision, wherever the site is', async () => {
  const { page } = await openPage({ url: `${await serve('/some/path/')}playground/#${QUESTION}` });
  const decision = page.getByRole('region', { name: 'Decision' });
  await editorIn(page);
  await type(page, MODEL('teacher'));
  await decision.getByText(/ allowed$/).waitFor();
  await type(page, MODEL('guest'));
  await decision.getByText(/ refused$/).waitFor();
});
