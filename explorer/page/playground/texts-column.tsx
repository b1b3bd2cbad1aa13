import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import MANIFEST_SCHEMA from '../../../docs/schemas/manifest.schema.json' with { type: 'json' };
import TESTS_SCHEMA from '../../../docs/schemas/model-test.schema.json' with { type: 'json' };
import type { ModelState, TextProblem, Texts } from '../../playground/model.ts';
import { download } from '../parts/exports.tsx';
import { Wrong } from '../parts/field.tsx';
import type { Place } from './code-editor.ts';
import { completionAt, namesIn, type Schema } from './completion.ts';
import { Editor, type EditorHandle, HINT } from './editor.tsx';
import type { OpenTexts } from './texts.ts';

export type FileName = keyof Texts;

/** The texts as files, which is how they are opened and downloaded. */
const FILES: Readonly<Record<FileName, { readonly name: string; readonly label: string }>> = {
  manifest: { name: 'manifest.yaml', label: 'Manifest' },
  tests: { name: 'tests.yaml', label: 'Model tests' },
};

const FILE_NAMES: readonly FileName[] = ['manifest', 'tests'];

/** What a new manifest begins with. */
export const NEW: Texts = {
  manifest: `# What there is to do, where, and who may do it. Ctrl+Space completes.
pages: [dashboard]
scopes:
  company: { type: tenant }
roles:
  member: { allow: [dashboard] }
users:
  ann: { grants: { company: [member] } }
`,
  tests: `# Questions, each with the decision that is expected.
tests:
  - { subject: ann, permission: dashboard, scope: company, expect: allow }
`,
};

/** A place in one of the texts. */
export interface Target {
  readonly file: FileName;
  readonly place: Place;
}

export interface TextsColumnProps {
  readonly open: OpenTexts;
  readonly texts: Texts;
  readonly model: ModelState | undefined;
  readonly file: FileName;
  readonly setFile: (file: FileName) => void;
  /** Where the editor goes when it becomes another one. */
  readonly target: Target | undefined;
  readonly goTo: (target: Target) => void;
}

/** Both texts, one at a time, with what is wrong with them and what they change. */
export function TextsColumn({ open, texts, model, file, setFile, target, goTo }: TextsColumnProps) {
  const handles = { manifest: useRef<EditorHandle>(null), tests: useRef<EditorHandle>(null) };
  const problems = useMemo(() => {
    const of = (name: FileName) => model?.problems.filter(({ text }) => text === name) ?? [];
    return { manifest: of('manifest'), tests: of('tests') };
  }, [model]);
  // The editor can have the focus once it is shown; what is typed next goes there.
  useLayoutEffect(() => {
    if (target) handles[target.file].current?.goTo(target.place);
  }, [target]);
  const completions = {
    manifest: (text: string, offset: number) => completionAt(text, offset, MANIFEST_SCHEMA as Schema),
    tests: (text: string, offset: number) =>
      completionAt(text, offset, TESTS_SCHEMA as Schema, namesIn(texts.manifest)),
  };
  return (
    <>
      <div class="files">
        <fieldset class="file-names" aria-label="File">
          {FILE_NAMES.map((name) => (
            <button key={name} type="button" aria-pressed={name === file} onClick={() => setFile(name)}>
              {FILES[name].name}
              {problems[name].length > 0 && (
                <span class="count" title={`${problems[name].length} errors`}>
                  ✕ {problems[name].length}
                </span>
              )}
            </button>
          ))}
        </fieldset>
        <OpenFile name={FILES[file].name} onOpen={(text) => open.put({ [file]: text })} />
        <button type="button" onClick={() => download(FILES[file].name, 'application/yaml', texts[file])}>
          Download
        </button>
      </div>
      <Wrong text={open.problem} role="alert" />
      {FILE_NAMES.map((name) => (
        <div key={name} class="file" hidden={name !== file}>
          <Editor
            label={FILES[name].label}
            text={texts[name]}
            loads={open.loads}
            problems={problems[name]}
            completionAt={completions[name]}
            onChange={(text) => open.edit({ [name]: text })}
            handle={handles[name]}
          />
        </div>
      ))}
      <p class="hint">{HINT}</p>
      <Outcome model={model} />
      {model?.warning !== undefined && (
        <p class="outcome warning">
          Warning: <bdi>{model.warning}</bdi>
        </p>
      )}
      <Problems
        problems={[...problems[file], ...problems[file === 'tests' ? 'manifest' : 'tests']]}
        goTo={goTo}
      />
    </>
  );
}

/** What the last edit changed, or that it is not applied. */
function Outcome({ model }: { readonly model: ModelState | undefined }) {
  if (!model) return <p class="outcome">Applying…</p>;
  const { isCurrent, difference, counts } = model;
  if (!isCurrent)
    return (
      <p class="outcome wrong" role="status">
        Not applied: the picture shows the last good manifest.
      </p>
    );
  const { create, change, remove, edits } = difference;
  const entries = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return (
    <details class="outcome">
      <summary>
        <span role="status">
          {create} to create, {change} to change, {remove} to remove · {entries} entries
        </span>
      </summary>
      <ul class="scrolls">
        {edits.slice(0, LISTED).map(({ verb, kind, label }) => (
          <li key={`${verb} ${kind} ${label}`}>
            {verb} {kind} <bdi>{label}</bdi>
          </li>
        ))}
        {edits.length > LISTED && <li>… and {edits.length - LISTED} more</li>}
      </ul>
    </details>
  );
}

/** The most errors or edits that are listed. */
const LISTED = 20;

function Problems({
  problems,
  goTo,
}: {
  readonly problems: readonly TextProblem[];
  readonly goTo: TextsColumnProps['goTo'];
}) {
  return (
    <ul class="plain text-problems scrolls" aria-live="polite" aria-label="Errors">
      {problems.slice(0, LISTED).map((problem) => {
        const { text, line, column, message } = problem;
        return (
          <li key={`${text} ${line} ${column} ${message}`}>
            <button type="button" onClick={() => goTo({ file: text, place: problem })}>
              <span class="place">
                {FILES[text].name}:{line}
              </span>{' '}
              <bdi>{message}</bdi>
            </button>
          </li>
        );
      })}
      {problems.length > LISTED && <li>… and {problems.length - LISTED} more</li>}
    </ul>
  );
}

/** The most bytes of a file that is opened. */
const MAX_FILE = 1_048_576;

function OpenFile({ name, onOpen }: { readonly name: string; readonly onOpen: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" title={`as ${name}`} onClick={() => input.current?.click()}>
        Open file
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".yaml,.yml,.json"
        onChange={async ({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file)
            onOpen(
              await (file.size > MAX_FILE ? `# ${file.name} has more than ${MAX_FILE} bytes` : file.text()),
            );
          currentTarget.value = '';
        }}
      />
    </>
  );
}
