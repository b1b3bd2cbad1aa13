import { Icon } from '../../parts/icon.tsx';
import { MARK_ICONS, type Mark } from './marks.ts';

const TYPES: Readonly<Record<string, string>> = {
  tenant: 'M2 14h12M3 14V6l5-4 5 4v8M6.5 14v-4h3v4',
  location:
    'M8 14.5C5 11 3.5 8.7 3.5 6.5a4.5 4.5 0 0 1 9 0c0 2.2-1.5 4.5-4.5 8ZM8 8a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z',
  client: 'M2.5 5.5h11v8h-11zM6 5.5v-2h4v2M2.5 9h11',
  project: 'M2 13V3.5h4.5L8 5.5h6V13z',
  building: 'M3.5 14.5v-12h9v12M1.5 14.5h13M6 5.5h1M9 5.5h1M6 8.5h1M9 8.5h1M7 14.5v-3h2v3',
  zone: 'M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z',
  device:
    'M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14',
  account:
    'M2 4h12v9H2zM8.5 7h3M8.5 10h3M6 8.2a1.2 1.2 0 1 0-2.4 0 1.2 1.2 0 0 0 2.4 0ZM3.3 11.2c.6-1.4 2.4-1.4 3 0',
  enterprise: 'M2 14.5v-8l4 2.2V6.5l4 2.2V2.5h3v12zM1 14.5h14',
  workstream: 'M3 4.5h5.5a2.5 2.5 0 0 1 0 5H6a2 2 0 0 0 0 4h7M11 11.5l2 2-2 2',
};
/** Of types that were added. */
const OTHER = 'M8 1.8 13.5 5v6L8 14.2 2.5 11V5z';

export function TypeIcon({ type }: { readonly type: string }) {
  return <Icon path={Object.hasOwn(TYPES, type) ? (TYPES[type] ?? OTHER) : OTHER} />;
}

export function Marks({ of }: { readonly of: readonly Mark[] }) {
  return (
    <>
      {of.map(({ kind, text, title }) => (
        <span key={`${kind} ${text}`} class={`mark ${kind}`} title={title}>
          <Icon path={MARK_ICONS[kind]} /> <bdi>{text}</bdi>
        </span>
      ))}
    </>
  );
}
