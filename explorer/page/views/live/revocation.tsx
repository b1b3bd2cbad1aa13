import { useEffect, useId, useState } from 'preact/hooks';
import { commandsOn } from '../../../../provisioning/index.ts';
import { type Address, type Patch, useAddress } from '../../address.ts';
import { useClient } from '../../client.ts';
import { writeChanges } from '../../commands/changes.ts';
import { useNames } from '../../names.tsx';
import { FileField, TextField } from '../../parts/field.tsx';
import { instantText } from '../../parts/instant.ts';
import { InstantField } from '../../parts/instant-field.tsx';
import { Link } from '../../parts/link.tsx';
import { Named } from '../../parts/named.tsx';
import { Table } from '../../parts/table.tsx';
import { type Span, Timeline } from '../../parts/timeline.tsx';
import { typeOf } from '../../refs.ts';
import { SUBJECT_TYPES } from '../../registry.ts';
import {
  type Chart,
  type Countdown,
  countdownOf,
  DEFAULT_TIMES,
  durationText,
  type LayerBar,
  MOST_SECONDS,
  readReport,
  readSeconds,
  type Time,
} from './layers.ts';

const TICK_MS = 1_000;

/** For how long each cache may still allow what was revoked, running out. */
export function Revocation() {
  const { state } = useAddress();
  const { revoked } = state;
  const since = instantIn(state.since);
  const nameOf = useNames();
  const times = Object.fromEntries(TIMES.map((time) => [time, timeIn(state, time)])) as Record<Time, number>;
  const now = useNow(since !== undefined);
  const countdown = countdownOf(times, since, now);
  return (
    <div class="live-revocation">
      <p>
        A revocation is in the table at once. Caches may allow a little longer, each for its own time: this is
        what <code>gatehouse revoke-user</code> reports.
      </p>
      <section aria-label="Timeline" class="live-timeline">
        <h2>{since === undefined ? 'How long caches may allow' : 'What may still be allowed'}</h2>
        <p class="live-sum">
          {revoked !== undefined && (
            <>
              <Named of={revoked} />
              {nameOf(revoked) !== undefined && <code> {revoked}</code>}:{' '}
            </>
          )}
          {sentence(countdown)}
        </p>
        <Disable revoked={revoked} />
        <Progress of={countdown} />
        {countdown.charts.map((chart) => (
          <Bars key={chart.name} of={chart} during={countdown} />
        ))}
        <LayerTable of={countdown} />
      </section>
      <div class="live-forms">
        <Settings />
        <OpenReport />
      </div>
    </div>
  );
}

/** So that each instant that follows from it has four digits for its year. */
const LATEST = Date.UTC(9900, 0);

/** An instant of the address, in epoch milliseconds. */
function instantIn(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return at >= 0 && at <= LATEST ? at : undefined;
}

const timeIn = (state: Address['state'], time: Time): number =>
  readSeconds(state[time] ?? '') ?? DEFAULT_TIMES[time];

/** The time of the page, in epoch milliseconds, each second. */
function useNow(isOn: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isOn) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isOn]);
  return now;
}

/** For people: `12:00:30`, in UTC as everywhere on this page. */
const timeText = (at: number): string => new Date(at).toISOString().slice(11, 19);

function sentence({ since, elapsed, charts: [requests] }: Countdown): string {
  const most = requests?.seconds ?? 0;
  if (since === undefined || elapsed === undefined)
    return most === 0
      ? 'No request is allowed after a revocation.'
      : `A request may be allowed for ${durationText(most)} after a revocation.`;
  const at = `revoked ${instantText(since)}`;
  const until = timeText(since + most * 1_000);
  return elapsed >= most
    ? `${at}. No request has been allowed since ${until}.`
    : `${at}. The last request is allowed before ${until}, ${durationText(most - elapsed)} from now.`;
}

/** Says when a layer has run out: nothing is said each second. */
function Progress({ of: { charts } }: { readonly of: Countdown }) {
  const used = charts.flatMap(({ layers }) => layers).filter(({ state }) => state !== 'off');
  const over = used.filter(({ state }) => state === 'over');
  return (
    <p class="visually-hidden" role="status">
      {over.length > 0 &&
        `${over.length} of ${used.length} have run out: ${over.map((bar) => bar.layer).join(', ')}`}
    </p>
  );
}

interface BarsProps {
  readonly of: Chart;
  readonly during: Countdown;
}

/** The picture of a chart: a bar for each layer, on one scale. The table below says the same in words. */
function Bars({ of: { name, seconds, layers }, during: { elapsed, since } }: BarsProps) {
  const used = layers.filter(({ state }) => state !== 'off');
  if (used.length === 0) return null;
  const end = since === undefined ? `+ ${durationText(seconds)}` : timeText(since + seconds * 1_000);
  return (
    <figure class="live-chart" aria-label={`${name}: bars that run out; the table has the same`}>
      <figcaption>{name}</figcaption>
      <Timeline
        start={0}
        end={seconds}
        now={elapsed}
        rows={used.map((bar) => ({
          label: bar.layer,
          head: <BarHead of={bar} />,
          spans: spansOf(bar, seconds),
        }))}
        axis={
          new Map([
            [0, since === undefined ? 'revoked' : timeText(since)],
            [seconds, end],
          ])
        }
      />
    </figure>
  );
}

const BarHead = ({ of }: { readonly of: LayerBar }) => (
  <div class="live-layer-head">
    <strong>{of.layer}</strong>
    <span>{stateText(of)}</span>
  </div>
);

/** What is over of a layer, and what is left of it. */
const spansOf = ({ atMost, left = atMost, state }: LayerBar, seconds: number): readonly Span[] =>
  [
    { start: 0, end: atMost - left, class: 'past' },
    { start: atMost - left, end: atMost, class: state },
    { start: atMost, end: seconds, class: 'never' },
  ].filter(({ start, end }) => start < end);

function stateText({ state, left = 0, atMost }: LayerBar): string {
  if (state === 'off') return 'off';
  if (state === 'planned') return `for ${durationText(atMost)}`;
  return state === 'over' ? '✓ over' : `▸ ${durationText(left)} left`;
}

function LayerTable({ of: { charts, since } }: { readonly of: Countdown }) {
  const isPlanned = since === undefined;
  return (
    <Table
      class="live-layers stacks"
      caption={<caption>Layers that may still allow</caption>}
      rows={charts.flatMap(({ layers }) => layers)}
      keyOf={({ layer }) => layer}
      columns={[
        { title: 'Layer', isHeading: true, show: ({ layer }) => layer },
        { title: 'Adds', label: 'adds', show: ({ adds }) => (adds === 0 ? 'nothing' : durationText(adds)) },
        {
          title: isPlanned ? 'At most' : 'Until',
          label: isPlanned ? 'at most' : 'until',
          show: ({ state, atMost }) =>
            state === 'off' ? '–' : isPlanned ? durationText(atMost) : instantText(since + atMost * 1_000),
        },
        {
          title: 'State',
          label: 'state',
          show: (bar) => (bar.state === 'planned' ? 'nothing is revoked yet' : stateText(bar)),
        },
        {
          title: 'Ended at once by',
          label: 'ended at once by',
          show: ({ state, end }) => (state === 'off' ? '–' : end),
        },
      ]}
    />
  );
}

const SETTINGS: Readonly<Record<Time, { readonly label: string; readonly hint: string }>> = {
  cacheTtl: { label: 'Cache TTL of the authorizer', hint: 'CACHE_TTL_SECONDS' },
  outageTtl: { label: 'Outage TTL of the authorizer', hint: 'CACHE_OUTAGE_TTL_SECONDS; 0: off' },
  resultTtl: { label: "API Gateway's result cache", hint: 'authorizerResultTtlInSeconds; 0: off' },
  jwtLife: { label: 'Life of a JWT', hint: 'only where REVOCATION is not set; 0 otherwise' },
  webSocket: { label: 'Life of a WebSocket', hint: '2 hours on AWS; 0: there are none' },
};
const TIMES = Object.keys(SETTINGS) as readonly Time[];

/** What was revoked, when, and how the stack is set. All of it is in the address. */
function Settings() {
  const { state, go } = useAddress();
  const id = useId();
  const since = instantIn(state.since);
  return (
    <section aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>What was revoked, and the settings</h2>
      <div class="live-fields">
        <TextField
          label="Revoked"
          hint="a reference, such as user:ID, tenant:ID, session:ID"
          maxLength={1_024}
          value={state.revoked ?? ''}
          onCommit={(text) => go({ revoked: text.trim() })}
        />
        <InstantField
          label="Since"
          hint="in UTC"
          step={1}
          value={since === undefined ? '' : new Date(since).toISOString().slice(0, 19)}
          onChange={(typed) => {
            const at = instantIn(`${typed}Z`);
            go({ since: at === undefined ? undefined : new Date(at).toISOString() }, { replace: true });
          }}
        >
          <button type="button" onClick={() => go({ since: new Date().toISOString() })}>
            Now
          </button>
        </InstantField>
        {TIMES.map((time) => (
          <TextField
            key={time}
            label={`${SETTINGS[time].label} (seconds)`}
            hint={SETTINGS[time].hint}
            problem={
              state[time] !== undefined && readSeconds(state[time]) === undefined ? NO_SECONDS : undefined
            }
            inputMode="numeric"
            placeholder={String(DEFAULT_TIMES[time])}
            value={state[time] ?? ''}
            onType={(text) => go({ [time]: text.trim() }, { replace: true })}
          />
        ))}
      </div>
    </section>
  );
}

const NO_SECONDS = `this is not a whole number of seconds up to ${MOST_SECONDS}: the default is shown`;

/** Takes the report of a revocation, pasted or from a file. */
function OpenReport() {
  const { go } = useAddress();
  const id = useId();
  const [problem, setProblem] = useState<string>();
  const open = (text: string): void => {
    const report = readReport(text);
    setProblem('problem' in report ? report.problem : undefined);
    if ('problem' in report) return;
    const { revoked, since, times } = report;
    const patch: Patch = Object.fromEntries(
      TIMES.map((time) => [time, times[time] === DEFAULT_TIMES[time] ? undefined : String(times[time])]),
    );
    go({ ...patch, revoked, since: new Date(since).toISOString() });
  };
  return (
    <section aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Open a report</h2>
      <TextField
        label={
          <span>
            What <code>npx gatehouse-authz revoke-user … --json</code> printed
          </span>
        }
        rows={3}
        placeholder='{ "revoked": "user:…", "at": "…", "layers": […] }'
        problem={problem}
        isAlert
        onType={(text) => {
          if (text.trim() === '') setProblem(undefined);
          else open(text);
        }}
      />
      <FileField
        label="or a file with it"
        accept=".json,application/json,text/plain"
        onOpen={(file) => file.text().then(open)}
      />
    </section>
  );
}

/** Leads to what a revocation would change, before it is made. */
function Disable({ revoked = '' }: { readonly revoked: string | undefined }) {
  const { about } = useClient();
  if (!about.canWrite || !SUBJECT_TYPES.includes(typeOf(revoked))) return null;
  const change = writeChanges([commandsOn(revoked, 'subject').close]);
  return (
    <p>
      <Link to="what-if" ask={{ change }}>
        See in What if who loses what when <bdi>{revoked}</bdi> is disabled
      </Link>
    </p>
  );
}
