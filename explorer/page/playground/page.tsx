import { useEffect, useState } from 'preact/hooks';
import type { ModelState } from '../../playground/model.ts';
import type { ModeProps } from '../app.tsx';
import { type Client, ClientContext } from '../client.ts';
import { Header } from '../parts/header.tsx';
import { startWorker } from './worker-client.ts';

const worker = startWorker();

/** The page over a manifest: the text beside the picture, in a table in this page. */
export function PlaygroundPage({ children }: ModeProps) {
  const [manifest, setManifest] = useState('gatehouse: 1\n');
  const [model, setModel] = useState<ModelState>();
  const [revision, setRevision] = useState(0);
  useEffect(() => {
    worker.update({ manifest, tests: '' }).then((next) => {
      setModel(next);
      setRevision((before) => before + 1);
    });
  }, [manifest]);
  const client: Client = {
    send: worker.send,
    manifest,
    revision,
    changed: () => setRevision((before) => before + 1),
    about: { place: 'in this page', canWrite: true, isLive: false, now: Date.now() },
  };
  return (
    <ClientContext.Provider value={client}>
      <Header title="Gatehouse playground" place="a table in this page" />
      <section class="texts" aria-label="Manifest">
        <textarea
          aria-label="Manifest"
          value={manifest}
          onInput={({ currentTarget }) => setManifest(currentTarget.value)}
        />
        {model?.problems.map(({ line, message }) => (
          <p key={`${line} ${message}`} class="wrong">
            {line}: {message}
          </p>
        ))}
      </section>
      {children}
    </ClientContext.Provider>
  );
}
