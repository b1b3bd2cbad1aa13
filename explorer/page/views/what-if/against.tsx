import { useState } from 'preact/hooks';
import { askedBy } from '../../../../engine/index.ts';
import type {
  Against as AgainstLog,
  AgainstRow,
  AgainstSide,
  Change,
} from '../../../../provisioning/index.ts';
import { gapLines, said, unknownLines } from '../../../../provisioning/index.ts';
import { useAnswer } from '../../calls.ts';
import { useClient } from '../../client.ts';
import { Asker } from '../../parts/asker.tsx';
import { FileField, Wrong } from '../../parts/field.tsx';
import { FIELDS } from '../../parts/fields.ts';
import { Named } from '../../parts/named.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import type { OpenedLog } from './log-file.ts';

/** What changes would have done to the decisions of a log that is chosen here. */
export function Against({ changes }: { readonly changes: readonly Change[] }) {
  const { send } = useClient();
  // Logs are told apart by when they were chosen: one may be long.
  const [log, setLog] = useState<{ readonly number: number; readonly opened: OpenedLog }>();
  const logged = log && 'logged' in log.opened ? log.opened : undefined;
  const asked = changes.map(({ command, input, verb }) => ({ command, input, verb }));
  const { value, error, isLoading, retry } = useAnswer(logged && JSON.stringify([log?.number, asked]), () =>
    send('against', { changes: asked, logged: (logged as Opened).logged }),
  );
  return (
    <section class="against">
      <FileField
        label="What would it have done to the decisions of last week? Choose a decision log (JSON Lines, or .gz)"
        onOpen={async (file) => {
          const { readLog } = await import('./log-file.ts');
          const opened = await readLog(file);
          setLog((before) => ({ number: (before?.number ?? 0) + 1, opened }));
        }}
      />
      {log && 'problem' in log.opened && <Wrong text={log.opened.problem} role="alert" />}
      {error && <Problem of={error} retry={retry} />}
      <div role="status">{isLoading && <p class="loading">Deciding…</p>}</div>
      {value && logged && !isLoading && <Said of={value} log={logged} />}
    </section>
  );
}

type Opened = Extract<OpenedLog, { readonly logged: unknown }>;

function Said({ of, log: { name, coverage } }: { readonly of: AgainstLog; readonly log: Opened }) {
  const { now, elsewhere } = of;
  return (
    <>
      <p>
        Of {said(of.decisions)} in <bdi>{name}</bdi>:
      </p>
      <Side title="Would be refused" of={of.refused} />
      <Side title="Would be allowed" of={of.allowed} />
      <ul>
        {unknownLines(of.unknown).map((line) => (
          <li key={line}>{line}</li>
        ))}
        {elsewhere.lines > 0 && <li>about scopes that are not in this table: {said(elsewhere)}</li>}
        {gapLines(coverage, of.others).map((line) => (
          <li key={line}>
            <bdi>{line}</bdi>
          </li>
        ))}
      </ul>
      <Side title="Refused now, without this change" of={now.refused} />
      <Side title="Allowed now, without this change" of={now.allowed} />
    </>
  );
}

function Side({ title, of }: { readonly title: string; readonly of: AgainstSide }) {
  return (
    <>
      <h3>
        {title}: {said(of.decisions)}
      </h3>
      {of.rows.length > 0 && (
        <div class="scrolled">
          <Table rows={of.rows} columns={COLUMNS} keyOf={keyOf} />
        </div>
      )}
      {of.moreRows > 0 && <p>… and {of.moreRows.toLocaleString('en')} more rows like these.</p>}
    </>
  );
}

const keyOf = ({ permission, scope, ...by }: AgainstRow): string => `${askedBy(by)} ${permission} ${scope}`;

const COLUMNS: readonly TableColumn<AgainstRow>[] = [
  {
    title: FIELDS.subject,
    show: ({ subject, actor }) => <Asker subject={subject} actor={actor} />,
  },
  { title: FIELDS.permission, show: ({ permission }) => <code>{permission}</code> },
  { title: FIELDS.scope, show: ({ scope }) => <Named of={scope} /> },
  { title: 'Decisions', show: ({ decisions }) => said(decisions, 'time') },
];
