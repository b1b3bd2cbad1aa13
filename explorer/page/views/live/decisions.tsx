import { useEffect, useRef, useState } from 'preact/hooks';
import type { Decision } from '../../../../engine/index.ts';
import type { LiveEvent } from '../../../service/index.ts';
import { useAddress } from '../../address.ts';
import { useClient } from '../../client.ts';
import { useNames } from '../../names.tsx';
import { Asker, Somebody } from '../../parts/asker.tsx';
import { counted } from '../../parts/counted.ts';
import { Badge, reasonText } from '../../parts/decision.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { FIELDS } from '../../parts/fields.ts';
import { Link } from '../../parts/link.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import {
  FILTERS,
  MOST_EVENTS,
  matching,
  type Outcome,
  outcomeOf,
  reasonOf,
  type Summary,
  summaryOf,
} from './events.ts';
import { type Stream, useStream } from './stream.ts';

/** Milliseconds between two announcements to screen readers: of what has come since, not of each event. */
const ANNOUNCE_MS = 10_000;

/** The decisions of the local stack, newest first. */
export function Decisions() {
  const { state, go } = useAddress();
  const { about } = useClient();
  const stream = useStream(about.isLive);
  const [paused, setPaused] = useState<readonly LiveEvent[]>();
  const events = paused ?? stream.events;
  const nameOf = useNames();
  if (!about.isLive)
    return (
      <Empty title="There are no decisions to watch here">
        Decisions are shown where they are made. Start <code>npx gatehouse-authz dev</code>, open the explorer
        by the link that it prints, and send requests through its gateway.
      </Empty>
    );

  const shown = matching(events, state, nameOf);
  const isFiltered = FILTERS.some((name) => state[name]);
  const clearing = (
    <button type="button" onClick={() => go(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}>
      Clear the filter
    </button>
  );
  return (
    <>
      <Connection stream={stream} />
      <form class="live-filter question" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
        <Select
          label="Outcome"
          value={state.outcome ?? ''}
          options={{ '': 'all', ...OUTCOME_TEXTS }}
          onChoose={(outcome) => go({ outcome })}
        />
        {TEXT_FILTERS.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            type="search"
            value={state[name] ?? ''}
            onType={(text) => go({ [name]: text }, { replace: true })}
          />
        ))}
        <div class="live-actions">
          <button
            type="button"
            aria-pressed={paused !== undefined}
            onClick={() => setPaused(paused === undefined ? stream.events : undefined)}
          >
            {paused === undefined ? 'Pause' : `Resume${newText(stream.events, paused)}`}
          </button>
          {isFiltered && clearing}
        </div>
      </form>
      <SummaryLine
        of={summaryOf(shown)}
        reason={state.reason}
        onChoose={(reason) => go({ reason: reason === state.reason ? undefined : reason })}
      />
      <Announcer events={stream.events} isOn={paused === undefined} />
      {shown.length > 0 ? (
        <Table
          class="live-events stacks"
          rows={shown}
          columns={COLUMNS}
          keyOf={({ id, at }) => `${id} ${at}`}
          caption={<caption class="visually-hidden">Decisions, newest first</caption>}
        />
      ) : events.length > 0 ? (
        <Empty title="Nothing matches the filter">
          {events.length} of the last {MOST_EVENTS} events are hidden. {clearing}
        </Empty>
      ) : (
        stream.state === 'open' && (
          <Empty title="Nothing has been decided yet">
            Send a request through the gateway: the terminal of <code>gatehouse dev</code> shows some to
            paste.
          </Empty>
        )
      )}
    </>
  );
}

function Connection({ stream: { state, missed, reconnect } }: { readonly stream: Stream }) {
  return (
    <div class="live-connection" role="status">
      <span class={`live-state ${state}`}>{STATE_TEXTS[state]}</span>
      {missed > 0 && (
        <span class="live-missed">
          {counted(missed, 'event was', 'events were')} gone before this page could read{' '}
          {missed === 1 ? 'it' : 'them'}.
        </span>
      )}
      {state === 'ended' && (
        <button type="button" onClick={reconnect}>
          Connect again
        </button>
      )}
    </div>
  );
}

const STATE_TEXTS: Readonly<Record<Stream['state'], string>> = {
  open: '● connected: decisions appear as they are made',
  waiting: '○ not connected: the page keeps trying, and gets what it has missed',
  ended: '✕ the stream has ended: is the stack running? Start it, and open the link that it prints',
};

const OUTCOME_TEXTS: Readonly<Record<Outcome, string>> = {
  allowed: 'allowed',
  refused: 'refused',
  fault: 'faults',
  none: 'without a decision',
};

/** How many events have come while the list was held up. */
function newText(events: readonly LiveEvent[], paused: readonly LiveEvent[]): string {
  const [last] = paused;
  const position = events.findIndex(({ id, at }) => id === last?.id && at === last.at);
  const count = position < 0 ? events.length : position;
  return count === 0 ? '' : ` (${count} new)`;
}

/** Fields that filter the list: the name in the address, and the label. */
const TEXT_FILTERS = [
  ['who', FIELDS.subject],
  ['what', FIELDS.permission],
  ['text', 'Any text'],
] as const;

interface SummaryProps {
  readonly of: Summary;
  readonly reason: string | undefined;
  readonly onChoose: (reason: string) => void;
}

/** How many events have which reason, and how long decisions took. A reason that is chosen is the filter. */
function SummaryLine({ of: { reasons, time, calls, decisions }, reason: chosen, onChoose }: SummaryProps) {
  if (reasons.length === 0) return null;
  return (
    <div class="live-summary">
      <ul class="plain" aria-label="Reasons">
        {reasons.map(({ reason, outcome, count }) => (
          <li key={`${outcome} ${reason}`}>
            <button
              type="button"
              class="live-reason"
              aria-pressed={reason === chosen}
              title={meaningOf(outcome, reason)}
              onClick={() => onChoose(reason)}
            >
              <span class={`live-mark ${outcome}`} aria-hidden="true">
                {MARKS[outcome]}
              </span>{' '}
              <bdi>{reason}</bdi> <strong>{count}</strong>
            </button>
          </li>
        ))}
      </ul>
      {time && (
        <p>
          {counted(decisions, 'decision')}: median <strong>{milliseconds(time.median)}</strong>, worst{' '}
          <strong>{milliseconds(time.worst)}</strong>, {counted(calls, 'call')} to the table
        </p>
      )}
    </div>
  );
}

const MARKS: Readonly<Record<Outcome, string>> = { allowed: '✓', refused: '✕', fault: '!', none: '–' };

const milliseconds = (time: number): string => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;

function meaningOf(outcome: Outcome, reason: string): string {
  if (outcome === 'none') return `answered with status ${reason}, without a decision of its own`;
  if (outcome === 'fault') return `nothing was decided: ${reason}`;
  return OF_USES[reason] ?? reasonText(reason as Decision['reason']);
}

/** What becomes of the use of a mandate with a budget. */
const OF_USES: Readonly<Record<string, string>> = {
  counted: 'it was allowed, and counted',
  budget_spent: 'the budget of the mandate does not hold that much any more',
  budget_amount: 'the amount is missing, or none',
};

const COLUMNS: readonly TableColumn<LiveEvent>[] = [
  { title: 'Time (UTC)', class: 'time', show: EventTime },
  { title: 'Decision', class: 'decision', show: (event) => <Outcomes event={event} /> },
  {
    title: 'Subject, permission, scope',
    class: 'asked',
    show: (event) =>
      event.kind === 'decision' ? <Question event={event} /> : <span class="help">{withoutText(event)}</span>,
  },
  { title: 'Request', class: 'request', show: (event) => <RequestLine event={event} /> },
  {
    title: 'Calls',
    class: 'number calls',
    show: (event) =>
      event.kind === 'decision' && (
        <span title={event.units === undefined ? undefined : `${event.units} read units`}>
          {event.calls}
          {event.calls !== undefined && (
            <span class="live-unit"> {event.calls === 1 ? 'call' : 'calls'}</span>
          )}
          <Notes event={event} />
        </span>
      ),
  },
  {
    title: 'Took',
    class: 'number took',
    show: (event) => event.kind === 'decision' && milliseconds(event.milliseconds),
  },
];

function EventTime({ at }: LiveEvent) {
  const text = new Date(at).toISOString();
  return (
    <time dateTime={text} title={text}>
      {text.slice(11, 23)}
    </time>
  );
}

function RequestLine({ event }: { readonly event: LiveEvent }) {
  const line = event.kind === 'request' ? event : event.request;
  return (
    <>
      <bdi class="live-source">{event.source}</bdi>{' '}
      {line && (
        <code title={`${line.method} ${line.path}`}>
          {line.method} <bdi>{line.path}</bdi>
        </code>
      )}
    </>
  );
}

/** Why a request was answered without a decision. */
function withoutText({ authorizer, decisions, status }: LiveEvent & { readonly kind: 'request' }): string {
  if (authorizer === undefined) return 'no route of the API matched';
  if (authorizer === 'hit') return "API Gateway's cached answer";
  if (authorizer === 'skipped') return 'no credential: the authorizer was not asked';
  if (status === 401) return 'the credential is refused';
  if (status >= 500) return 'the authorizer or the service failed';
  if (decisions > 0)
    return `a policy of ${counted(decisions, 'decision')} ${status === 403 ? 'refuses' : 'allows'} it`;
  return status === 403 ? 'no route, or none in a kept policy' : 'by a policy that the authorizer had kept';
}

function Outcomes({ event }: { readonly event: LiveEvent }) {
  const outcome = outcomeOf(event);
  const reason = reasonOf(event);
  const { error = undefined, decisions } = event.kind === 'request' ? event : { decisions: 0 };
  const text = outcome !== 'none' ? outcome : decisions > 0 ? 'by a policy' : 'no decision';
  return (
    <>
      <Badge kind={outcome} sign={MARKS[outcome]} text={text} />{' '}
      <code title={meaningOf(outcome, reason)}>{reason}</code>
      {error !== undefined && (
        <span class="live-error">
          <bdi>{error}</bdi>
        </span>
      )}
    </>
  );
}

interface QuestionProps {
  readonly event: LiveEvent & { readonly kind: 'decision' };
}

/** What was asked, which leads to why. */
function Question({ event: { at, subject, actor, permission, scope } }: QuestionProps) {
  const acting = { actor: actor?.subject, mandate: actor?.mandate };
  const asked = { subject, ...acting, permission, scope, at: new Date(at).toISOString(), given: undefined };
  const content = (
    <>
      <span>
        <Asker subject={subject} actor={actor} />
      </span>{' '}
      <span>{<bdi>{permission}</bdi>}</span>{' '}
      <span>
        <Somebody of={scope} />
      </span>
    </>
  );
  if (subject === '') return <span class="live-asked">{content}</span>;
  return (
    <Link class="live-asked" to="why" ask={asked}>
      <span class="visually-hidden">Why: </span>
      {content}
    </Link>
  );
}

/** What made a decision cost more than others, or rest on older items. */
function Notes({ event: { isFirst, isStale, consistency } }: Pick<QuestionProps, 'event'>) {
  const notes = [
    ...(isFirst ? ['first'] : []),
    ...(isStale ? ['stale'] : []),
    ...(consistency === 'cached' ? [] : [consistency]),
  ];
  return <>{notes.length > 0 && <span class="help"> {notes.join(', ')}</span>}</>;
}

/** Says now and then what has come, for who does not see the table. */
function Announcer({ events, isOn }: { readonly events: readonly LiveEvent[]; readonly isOn: boolean }) {
  const latest = useRef(events);
  latest.current = events;
  const [text, setText] = useState('');
  useEffect(() => {
    if (!isOn) return;
    let [last] = latest.current;
    const timer = setInterval(() => {
      const arrived = latest.current.filter(({ id }) => id > (last?.id ?? 0));
      [last] = latest.current;
      if (arrived.length === 0) return;
      const count = (outcome: Outcome) => arrived.filter((event) => outcomeOf(event) === outcome).length;
      setText(
        `${arrived.length} new: ${count('allowed')} allowed, ${count('refused')} refused, ${count('fault')} faults`,
      );
    }, ANNOUNCE_MS);
    return () => clearInterval(timer);
  }, [isOn]);
  return (
    <p class="visually-hidden" role="status">
      {text}
    </p>
  );
}
