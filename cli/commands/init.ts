import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Argument } from 'commander';
import { type Asker, createAsker } from '../ask.ts';
import { type Context, NothingDoneError, UsageError } from '../context.ts';
import { type Answers, FIELDS, QUESTIONS } from '../init/answers.ts';
import { firstManifest, firstTests } from '../init/documents.ts';
import { withScripts } from '../init/package-scripts.ts';
import { flag, type GlobalOptions, type Positional, text, type ValuesOf } from '../options.ts';
import { columns } from '../print.ts';
import { subcommand } from '../subcommand.ts';
import { readVersion } from '../version.ts';

const MANIFEST = 'authz/manifest.yaml';
const TESTS = 'authz/model.test.yaml';
const PACKAGE = 'package.json';
const CLONE = new URL('../..', import.meta.url);
const SCRIPTS = {
  'authz:dev': `gatehouse dev ${MANIFEST}`,
  'authz:test': `gatehouse test ${TESTS}`,
};

const OPTIONS = {
  root: text('<type>', 'what a customer of your product is called: tenant, company, school, …'),
  protect: text('<permission>', 'what to protect first: a page, or module:action:resource'),
  email: text('<email>', 'the email of the first user'),
  yes: flag(`do not ask; without options, use ${FIELDS.map((field) => QUESTIONS[field].usual).join(', ')}`),
};
type InitOptions = ValuesOf<typeof OPTIONS> & GlobalOptions;

/** `gatehouse init`: a first manifest, its tests, and scripts. */
export const addInit = subcommand({
  name: 'init',
  summary: 'write a first manifest and its tests: start here',
  description: 'Writes a first manifest, model tests for it, and scripts that run both.',
  arguments: [new Argument('[folder]', 'the folder of your project').default('.') as Positional<string>],
  options: OPTIONS,
  examples: `  gatehouse init
  gatehouse init --yes
  gatehouse init --root company --protect orders:read:order --email ann@example.com`,
  notes: `It asks three questions and writes ${MANIFEST},
${TESTS} and two scripts in package.json. It overwrites no file.`,
  run: async ([folder], options, context) => {
    const at = (name: string) => join(folder, name);
    if (!existsSync(folder)) throw new UsageError(`${folder}: there is no such folder`);
    const there = [MANIFEST, TESTS].filter((name) => existsSync(at(name)));
    if (there.length > 0)
      throw new NothingDoneError(
        'exists',
        `${there.map(at).join(' and ')} ${there.length > 1 ? 'exist' : 'exists'} already; nothing was written. Next: npx gatehouse-authz test ${TESTS}`,
        { exists: there },
      );
    const before = existsSync(at(PACKAGE)) ? readFileSync(at(PACKAGE), 'utf8') : undefined;
    const packageText = scriptsIn(at(PACKAGE), before);
    const answers = await answersOf(options, context);
    const written: (readonly [string, string, string])[] = [
      [MANIFEST, 'who may do what, and where', firstManifest(answers)],
      [TESTS, 'questions about it, with the answers that you expect', firstTests(answers)],
    ];
    if (packageText !== undefined)
      written.push([PACKAGE, `scripts ${Object.keys(SCRIPTS).join(', ')}`, packageText]);
    try {
      mkdirSync(at('authz'), { recursive: true });
      for (const [name, , text] of written)
        writeFileSync(at(name), text, name === PACKAGE ? {} : { flag: 'wx' });
    } catch (error) {
      throw new UsageError(`it cannot be written: ${(error as Error).message}`);
    }
    const next = [
      ...(isInstalled(before) ? [] : installLines()),
      `npx gatehouse-authz test ${TESTS}`,
      'npm run authz:dev',
    ];
    const lines = columns(written.map(([name, what]) => [`wrote ${at(name)}`, what]));
    return {
      data: { written: written.map(([name]) => name), next, ...answers },
      text: `${[...lines, '', 'Next:', ...next.map((line) => `  ${line}`)].join('\n')}\n`,
    };
  },
});

/** Throws {@link UsageError} for a package.json that is none. */
function scriptsIn(path: string, text: string | undefined): string | undefined {
  try {
    return withScripts(text, SCRIPTS);
  } catch (error) {
    throw new UsageError(`${path} cannot be changed: ${(error as Error).message}; nothing was written`);
  }
}

/** How a project gets the package that runs here: from the registry, or from the clone whose sources run. */
const installLines = (): readonly string[] =>
  import.meta.url.endsWith('.ts')
    ? [`npm pack ${fileURLToPath(CLONE)}`, `npm install ./gatehouse-authz-${readVersion()}.tgz`]
    : ['npm install gatehouse-authz'];

/** Whether the project has the package, so that its scripts find the command. */
const isInstalled = (packageText: string | undefined): boolean => {
  const { dependencies, devDependencies } = JSON.parse(
    (packageText ?? '{}').replace(/^\uFEFF/, ''),
  ) as Readonly<Record<string, object | undefined>>;
  return 'gatehouse-authz' in { ...dependencies, ...devDependencies };
};

/** The answers by options, by the usual ones with `--yes`, and else by asking. */
async function answersOf(options: InitOptions, { terminal }: Context): Promise<Answers> {
  const given: Partial<Record<keyof Answers, string>> = {};
  for (const field of FIELDS) {
    const text = options[field] ?? (options.yes ? QUESTIONS[field].usual : undefined);
    if (text === undefined) continue;
    const { problem, tidy } = QUESTIONS[field];
    const wrong = problem(tidy(text));
    if (wrong !== undefined) throw new UsageError(`--${field}: ${wrong}`);
    given[field] = tidy(text);
  }
  const open = FIELDS.filter((field) => given[field] === undefined);
  if (open.length > 0) {
    if (!terminal || options.json)
      throw new UsageError(
        `nobody can be asked here: give ${open.map((field) => `--${field}`).join(', ')}, or --yes for ` +
          open.map((field) => QUESTIONS[field].usual).join(', '),
      );
    const asker = createAsker(terminal);
    try {
      for (const field of open) given[field] = await answerTo(asker, field);
    } finally {
      asker.close();
    }
  }
  return given as Answers;
}

/** Asks until the answer is right. Throws {@link NothingDoneError} where nobody answers any more. */
async function answerTo(asker: Asker, field: keyof Answers): Promise<string> {
  const { text, usual, tidy, problem } = QUESTIONS[field];
  for (;;) {
    const answer = await asker.ask(`${text} [${usual}] `);
    if (answer === undefined) throw new NothingDoneError('not_agreed', 'nothing was written: no answer');
    const tidied = tidy(answer === '' ? usual : answer);
    const wrong = problem(tidied);
    if (wrong === undefined) return tidied;
    asker.say(wrong);
  }
}
