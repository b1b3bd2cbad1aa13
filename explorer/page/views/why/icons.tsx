import { Icon } from '../../parts/icon.tsx';
import type { NodeKind } from './path-graph.ts';

/** By what a node stands for. */
const ICONS: Readonly<Record<NodeKind, string>> = {
  subject: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14.5a5.5 5.5 0 0 1 11 0',
  group:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5a4.5 4.5 0 0 1 9 0M11 2.8a2.4 2.4 0 0 1 0 4.6M12 9.3a4.5 4.5 0 0 1 2.5 4.2',
  everyone:
    'M8 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM4.5 13.5a3.5 3.5 0 0 1 7 0M3 8.5a1.5 1.5 0 1 0 0-3M13 8.5a1.5 1.5 0 1 1 0-3M1 12.5a3 3 0 0 1 2-2M15 12.5a3 3 0 0 0-2-2',
  assignment: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5 1.8v3M11 1.8v3M5.5 10l1.8 1.8L10.8 8.5',
  grant: 'M2.5 14.5v-12h7v12M9.5 6.5h4v8M1 14.5h14M5 5.5h2M5 8.5h2M5 11.5h2',
  token_group: 'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5a4.5 4.5 0 0 1 9 0M11 4.5h3.5v4h-3.5z',
  global_role:
    'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM1.5 8h13M8 1.5c4 4 4 9 0 13M8 1.5c-4 4-4 9 0 13',
  administrator: 'M8 1.5l5.5 2v4c0 3.5-2.3 5.8-5.5 7-3.2-1.2-5.5-3.5-5.5-7v-4zM5.5 8l1.8 1.8L10.6 6',
  role: 'M5 11.5a3.5 3.5 0 1 1 3.2-4.9H14.5v2.6h-1.6v1.9h-2.5V9.2H8.2A3.5 3.5 0 0 1 5 11.5ZM4.6 8h.1',
  effect: 'M3 8l3.5 3.5L13 5',
  obstacle: 'M4 7.5v-2a4 4 0 0 1 8 0v2M2.5 7.5h11v7h-11zM8 10v2',
  permission: 'M3.5 14.5v-13h9v13M1.5 14.5h13M10 8.2h.1',
};

const CROSS = 'M4 4l8 8M12 4l-8 8';

interface NodeIconProps {
  readonly kind: NodeKind;
  readonly effect?: string | undefined;
}

/** What a node stands for; a DENY has a cross instead of a tick. */
export const NodeIcon = ({ kind, effect }: NodeIconProps) => (
  <Icon path={effect === 'DENY' ? CROSS : ICONS[kind]} />
);
