import { useEffect, useState } from 'preact/hooks';
import type { Reply } from '../service/index.ts';
import type { ModeProps } from './app.tsx';
import { ClientContext, sendOverHttp } from './client.ts';
import { Names } from './names.tsx';
import { Header } from './parts/header.tsx';
import { Problem } from './parts/problem.tsx';

/** The page over a real table, which the process that serves it reads. */
export function ExplorerPage({ children }: ModeProps) {
  const [about, setAbout] = useState<Reply<'about'>>();
  const [revision, setRevision] = useState(0);
  const load = () => {
    sendOverHttp('about', {}).then(setAbout);
  };
  useEffect(load, []);
  if (!about) return <p class="loading">Loading…</p>;
  if (!about.ok)
    return (
      <main class="view">
        <h1>Gatehouse explorer</h1>
        <Problem of={about.error} retry={load} />
      </main>
    );
  const client = {
    send: sendOverHttp,
    revision,
    changed: () => setRevision((before) => before + 1),
    about: about.result,
  };
  const { place, canWrite } = about.result;
  return (
    <ClientContext.Provider value={client}>
      <Header title="Gatehouse explorer" place={`${place}${canWrite ? '' : ' (read-only)'}`} />
      <Names>{children}</Names>
    </ClientContext.Provider>
  );
}
