import { useEffect, useRef, useState } from 'preact/hooks';
import type { ModelState, Texts } from '../../playground/model.ts';
import { type Patch, useAddress } from '../address.ts';
import type { ModeProps } from '../app.tsx';
import { type Client, ClientContext, unreachable } from '../client.ts';
import { Names } from '../names.tsx';
import { QUESTION } from '../parts/fields.ts';
import { Header } from '../parts/header.tsx';
import { Problem } from '../parts/problem.tsx';
import { Actions } from './actions.tsx';
import { type Column, ColumnTabs, columnOf, hiddenIn, useNarrow } from './columns.tsx';
import { questionOfOther, stateOf } from './model-question.ts';
import { Question } from './question.tsx';
import { Results } from './results.tsx';
import { useTexts } from './texts.ts';
import { type FileName, NEW, type Target, TextsColumn } from './texts-column.tsx';
import { startWorker } from './worker-client.ts';

const worker = startWorker();

const NO_QUESTION: Patch = Object.fromEntries(QUESTION.map((name) => [name, undefined]));

/** The page over a manifest: its text beside the picture, and questions and tests; the table is in this page. */
export function PlaygroundPage({ children }: ModeProps) {
  const { state, go } = useAddress();
  const open = useTexts(state, go);
  const { texts } = open;
  const [applied, setApplied] = useState<{ readonly texts: Texts; readonly model: ModelState }>();
  const [revision, setRevision] = useState(0);
  const [broken, setBroken] = useState<string>();
  const [file, setFile] = useState<FileName>('manifest');
  const [target, setTarget] = useState<Target>();
  /** Whether the texts have just been opened, by no link: then the first question of their tests is asked. */
  const isNew = useRef(location.hash === '');
  const model = applied?.model;
  /** The last model without errors, and what the address asks by the time that the next one has come. */
  const good = useRef<ModelState | undefined>(undefined);
  const latest = useRef(state);
  latest.current = state;

  useEffect(() => {
    if (!texts) return undefined;
    let isCurrent = true;
    worker.update(texts).then(
      (next) => {
        if (!isCurrent) return;
        setApplied({ texts, model: next });
        setBroken(undefined);
        setRevision((before) => before + 1);
        const question = isNew.current ? undefined : questionOfOther(latest.current, good.current, next);
        if (next.isCurrent) good.current = next;
        if (question) go(question, { replace: true });
      },
      (error: Error) => isCurrent && setBroken(error.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [texts]);

  useEffect(() => {
    if (!isNew.current || !applied || applied.texts !== texts || !open.isWritten) return;
    isNew.current = false;
    const [first] = applied.model.tests[0]?.answers ?? [];
    if (first) go(stateOf(first, applied.model), { view: 'why', replace: true });
  }, [applied, texts, open.isWritten]);

  const openExample = (example: string): void => {
    isNew.current = true;
    go({ ...NO_QUESTION, example, model: undefined });
  };

  const startAnew = (): void => {
    setFile('manifest');
    isNew.current = open.put(NEW);
  };

  const client: Client = {
    send: worker.send,
    ...(texts && { manifest: texts.manifest }),
    revision,
    changed: () => setRevision((before) => before + 1),
    about: { place: 'in this page', canWrite: true, isLive: false },
  };
  const hidden = hiddenIn(state);
  const shown = columnOf(state);
  const goTo = (next: Target): void => {
    setFile(next.file);
    go({ column: 'manifest', hide: hidden.has('tests') ? 'tests' : undefined }, { replace: true });
    setTarget(next);
  };
  const isNarrow = useNarrow();
  const column = (name: Column) => ({
    ...(isNarrow && name === shown && name !== 'picture' ? { role: 'main' as const } : {}),
    class: [
      'column',
      name,
      name !== 'manifest' && 'scrolls',
      shown === name && 'shown',
      hidden.has(name) && 'hidden-when-wide',
    ]
      .filter(Boolean)
      .join(' '),
  });
  return (
    <ClientContext.Provider value={client}>
      <Names>
        <Header title="Gatehouse playground" place="Everything stays in this page">
          <Actions problem={open.problem} onOpen={openExample} onStart={startAnew} />
        </Header>
        <ColumnTabs />
        <div class="playground">
          <section {...column('manifest')} aria-label="Texts">
            {isNarrow && <h1 class="visually-hidden">Texts</h1>}
            {texts && (
              <TextsColumn
                open={open}
                texts={texts}
                model={model}
                file={file}
                setFile={setFile}
                target={target}
                goTo={goTo}
              />
            )}
          </section>
          <div {...column('picture')}>
            {broken !== undefined && <Problem of={unreachable(broken).error} />}
            {model ? children : <p class="loading">Loading…</p>}
          </div>
          <section {...column('tests')} aria-label="Questions and tests">
            {isNarrow && <h1 class="visually-hidden">Questions and tests</h1>}
            {texts && model && (
              <>
                <Question
                  tests={texts.tests}
                  model={model}
                  onAdd={(tests) => {
                    open.put({ tests });
                    setFile('tests');
                  }}
                />
                <Results model={model} goTo={(place) => goTo({ file: 'tests', place })} />
              </>
            )}
          </section>
        </div>
      </Names>
    </ClientContext.Provider>
  );
}
