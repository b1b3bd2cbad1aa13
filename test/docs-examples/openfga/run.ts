import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '../../../bench/peers/server-process.ts';
import { compared } from '../../../cli/import/imported.ts';
import { importOpenFga } from '../../../cli/import/openfga.ts';
import { freePort } from '../../../local/embedded-engine.ts';
import { createRandom } from '../../proof/oracle/random.ts';

/**
 * Whether an import agrees with OpenFGA itself: of the model of docs/coming-from/openfga.md, and of random models of trees.
 * It needs the server, so it is no test:
 *
 *     go install github.com/openfga/openfga/cmd/openfga@v1.22.1
 *     OPENFGA="$(go env GOPATH)/bin/openfga" npm run proof -- openfga [SEED] [MODELS]
 */
const [seed = 1, models = 60] = process.argv.slice(2).map(Number);
const random = createRandom(seed);
const some = <T>(all: readonly T[], of = 2): readonly T[] => all.filter(() => random.below(of) > 0);
const pick = <T>(all: readonly T[]): T => all[random.below(all.length)] as T;

function randomRelation(type: string, at: number): string {
  const earlier = ['a', 'b'].slice(0, at);
  const direct = some(['user', 'user:*', 'group#member']);
  const parts = [
    ...(direct.length > 0 ? [`[${direct.join(', ')}]`] : []),
    ...some(earlier),
    ...(type === 'org' ? [] : some(['a', 'b', 'c']).map((each) => `${each} from parent`)),
  ];
  const whole = parts.join(' or ') || '[user]';
  return at > 0 && random.oneIn(5) ? `(${whole}) ${pick(['and', 'but not'])} ${pick(earlier)}` : whole;
}

function randomModel() {
  const relations = new Map<string, string>();
  const typeOf = (type: string) => {
    const lines = ['a', 'b', 'c'].map((name, at) => {
      relations.set(`${type} ${name}`, randomRelation(type, at));
      return `    define ${name}: ${relations.get(`${type} ${name}`)}`;
    });
    const parent = type === 'org' ? [] : ['    define parent: [org, folder]'];
    return [`type ${type}`, '  relations', ...parent, ...lines].join('\n');
  };
  const groups = 'type user\ntype group\n  relations\n    define member: [user, group#member]';
  const text = ['model\n  schema 1.1', groups, ...['org', 'folder', 'doc'].map(typeOf)].join('\n');
  const tree = [
    ['org:acme', 'parent', 'folder:x'],
    ['folder:x', 'parent', 'folder:y'],
    ['folder:y', 'parent', 'doc:1'],
    ['org:acme', 'parent', 'doc:2'],
    ['folder:x', 'parent', 'doc:2'],
  ];
  const members = [
    ['user:ann', 'member', 'group:one'],
    ['user:ben', 'member', 'group:two'],
    ['group:two#member', 'member', 'group:one'],
  ];
  const granted = Array.from({ length: 8 }, () => [
    pick(['user:ann', 'user:ben', 'user:*', 'group:one#member']),
    pick(['a', 'b', 'c']),
    pick(['org:acme', 'folder:x', 'folder:y', 'doc:1', 'doc:2']),
  ]).filter(([user = '', relation = '', object = '']) => {
    // The server refuses tuples of other types.
    const [, direct = ''] =
      /\[(.*?)\]/.exec(relations.get(`${object.split(':')[0]} ${relation}`) ?? '') ?? [];
    const type = user === 'user:*' ? user : user.includes('#') ? 'group#member' : 'user';
    return direct.split(', ').includes(type);
  });
  const tuples = [...some(tree, 4), ...some(members), ...granted];
  return { text, tuples: tuples.map(([user, relation, object]) => ({ user, relation, object })) };
}

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-openfga-'));
const [http, grpc] = [await freePort(), await freePort()];
const server = `http://127.0.0.1:${http}`;
const running = await startServer({
  command: process.env.OPENFGA ?? 'openfga',
  words: [
    ...['run', '--datastore-engine=memory', '--playground-enabled=false', '--metrics-enabled=false'],
    ...[`--http-addr=127.0.0.1:${http}`, `--grpc-addr=127.0.0.1:${grpc}`],
  ],
  hint: 'install it with: go install github.com/openfga/openfga/cmd/openfga@v1.22.1',
  isServing: async () => (await fetch(new URL('/healthz', server))).ok,
});

const total = { models: 0, asked: 0, narrower: 0, wider: 0, unsaid: 0 };
async function compare(files: readonly string[]): Promise<void> {
  const imported = await importOpenFga(files, { tenant: 'main', server });
  const { asked = 0, narrower = [], wider = [] } = (await compared(imported).finally(imported.close)) ?? {};
  total.models += 1;
  total.asked += asked;
  total.narrower += narrower.length;
  total.wider += wider.length;
  // Refused here, and not a word about it.
  if (imported.left.length === 0) total.unsaid += narrower.length;
}

try {
  const guide = (name: string) =>
    fileURLToPath(new URL(`../../../docs/examples/coming-from/${name}`, import.meta.url));
  await compare([guide('openfga.fga'), guide('openfga.tuples.yaml')]);
  for (let model = 0; model < models; model++) {
    const { text, tuples } = randomModel();
    const files = ['model.fga', 'tuples.json'].map((name) => join(folder, name));
    writeFileSync(files[0] as string, text);
    writeFileSync(files[1] as string, JSON.stringify(tuples));
    await compare(files);
  }
} finally {
  await running.stop();
  rmSync(folder, { recursive: true });
}
console.log({ seed, ...total });
process.exitCode = total.wider + total.unsaid === 0 ? 0 : 1;
