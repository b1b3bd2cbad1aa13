import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { startServer } from '../../../bench/peers/server-process.ts';
import { freePort } from '../../../local/embedded-engine.ts';
import { answersOf, exampleText, textOf } from '../coming-from.ts';

/**
 * Whether OpenFGA gives the answers of docs/coming-from/openfga.md: its own parser reads the model, its own server
 * answers. It needs Go and the server, so it is no test:
 *
 *     go install github.com/openfga/openfga/cmd/openfga@v1.22.1
 *     OPENFGA="$(go env GOPATH)/bin/openfga" node --import tsx test/docs-examples/openfga/run.ts
 */
const HERE = fileURLToPath(new URL('.', import.meta.url));

/** The model as JSON, by main.go. */
const toJson = (model: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile('go', ['run', '.'], { cwd: HERE }, (error, out) =>
      error ? reject(error) : resolve(out),
    );
    child.stdin?.end(model);
  });

const model = JSON.parse(await toJson(exampleText('openfga.fga')));
const [http, grpc] = [await freePort(), await freePort()];
const url = `http://127.0.0.1:${http}`;
const server = await startServer({
  command: process.env.OPENFGA ?? 'openfga',
  words: [
    ...['run', '--datastore-engine=memory', '--playground-enabled=false', '--metrics-enabled=false'],
    ...[`--http-addr=127.0.0.1:${http}`, `--grpc-addr=127.0.0.1:${grpc}`],
  ],
  hint: 'install it with: go install github.com/openfga/openfga/cmd/openfga@v1.22.1',
  isServing: async () => (await fetch(new URL('/healthz', url))).ok,
});

async function post(path: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`OpenFGA refused ${path}: ${text}`);
  return JSON.parse(text);
}

let differing = 0;
try {
  const { id: store } = await post('/stores', { name: 'coming from' });
  await post(`/stores/${store}/authorization-models`, model);
  await post(`/stores/${store}/write`, { writes: { tuple_keys: parse(exampleText('openfga.tuples.yaml')) } });
  for (const [question, allowed] of await answersOf('openfga')) {
    const relation = `can_${question.permission.split(':')[1]}`;
    const tuple = { user: `user:${question.subject}`, relation, object: `document:${question.scope}` };
    const answer = await post(`/stores/${store}/check`, { tuple_key: tuple });
    const isSame = answer.allowed === allowed;
    if (!isSame) differing += 1;
    console.log(`${isSame ? 'same   ' : 'DIFFERS'}  ${textOf(question)}: ${allowed ? 'allow' : 'deny'}`);
  }
} finally {
  await server.stop();
}
console.log(`${differing} answers differ`);
process.exitCode = differing === 0 ? 0 : 1;
