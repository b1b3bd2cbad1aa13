import type { EdgeLabel, GraphLabel, NodeLabel, Point } from '@dagrejs/dagre';
import type { PathGraph } from './path-graph.ts';

/** How a picture is drawn, in CSS pixels: the direction, the size of every node, and the space between layers. */
type Style = (typeof STYLES)[number];

/** From the best to the narrowest. */
const STYLES = [
  { direction: 'LR', width: 176, height: 66, space: 36 },
  { direction: 'LR', width: 148, height: 66, space: 26 },
  { direction: 'TB', width: 176, height: 66, space: 30 },
  { direction: 'TB', width: 144, height: 66, space: 30 },
] as const;

/** For the lines of borders. */
const MARGIN = 4;
const LABEL_HEIGHT = 18;
/** Of a label's characters, about. */
const CHARACTER = 6.6;

/** A graph with places, in CSS pixels. */
export type Layout = ReturnType<typeof placed>;

/**
 * Places a graph's nodes in layers: from left to right where there is room, else from top to bottom. The library is
 * loaded when the first picture is drawn.
 *
 * @param room the width that there is, in CSS pixels; the narrowest layout may be wider
 */
export async function layOut(graph: PathGraph, room: number): Promise<Layout> {
  const dagre = await import('@dagrejs/dagre');
  const [first, ...others] = STYLES;
  let layout = placed(dagre, graph, first);
  for (const style of others) {
    if (layout.box.width <= room) break;
    layout = placed(dagre, graph, style);
  }
  return layout;
}

function placed({ Graph, layout }: typeof import('@dagrejs/dagre'), graph: PathGraph, style: Style) {
  const { direction, width: nodeWidth, height: nodeHeight, space } = style;
  const drawn = new Graph<GraphLabel, NodeLabel, EdgeLabel>();
  drawn.setGraph({ rankdir: direction, nodesep: 20, ranksep: space, edgesep: 12 });
  for (const { id } of graph.nodes) drawn.setNode(id, { width: nodeWidth, height: nodeHeight });
  for (const { from, to, label, isDeciding } of graph.edges)
    drawn.setEdge(from, to, {
      width: label === undefined ? 0 : label.length * CHARACTER + 12,
      height: label === undefined ? 0 : LABEL_HEIGHT,
      labelpos: 'c',
      // What decides goes straight; the others go around it.
      weight: isDeciding ? 8 : 1,
    });
  layout(drawn);
  const edges = graph.edges.map((edge) => {
    const { points = [], x, y } = drawn.edge(edge.from, edge.to) ?? {};
    const at = edge.label !== undefined && x !== undefined && y !== undefined ? { x, y } : undefined;
    return { ...edge, points, at };
  });
  const { width = 0, height = 0 } = drawn.graph();
  // A line may bend beyond the nodes.
  const points = edges.flatMap((edge) => edge.points);
  const [left, top] = [Math.min(0, ...points.map(({ x }) => x)), Math.min(0, ...points.map(({ y }) => y))];
  const right = Math.max(width, ...points.map(({ x }) => x));
  const bottom = Math.max(height, ...points.map(({ y }) => y));
  const box = { x: left - MARGIN, y: top - MARGIN };
  return {
    style,
    box: {
      ...box,
      width: Math.ceil(right - left) + 2 * MARGIN,
      height: Math.ceil(bottom - top) + 2 * MARGIN,
    },
    /** With their upper left corners. */
    nodes: graph.nodes.map((node) => {
      const { x = 0, y = 0 } = drawn.node(node.id) ?? {};
      return { ...node, x: x - nodeWidth / 2, y: y - nodeHeight / 2 };
    }),
    /** With the points from border to border, and the middle of the label. */
    edges,
  };
}

/** A soft line through points. */
export function lineThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (!first || !last) return '';
  const bends = rest.slice(0, -1).map((point, position) => {
    const next = rest[position + 1] ?? last;
    const isLast = position === rest.length - 2;
    const to = isLast ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${show(point)} ${show(to)}`;
  });
  return `M${show(first)}${bends.length > 0 ? bends.join('') : `L${show(last)}`}`;
}

const show = ({ x, y }: Point): string => `${x.toFixed(1)},${y.toFixed(1)}`;

/** What a line ends in: an arrow for what counts or allows, a bar across it for a DENY. */
export function endOf(points: readonly Point[], isBar: boolean): string {
  const tip = points.at(-1);
  const before = points.at(-2);
  if (!tip || !before) return '';
  const length = Math.hypot(tip.x - before.x, tip.y - before.y) || 1;
  const [dx, dy] = [(tip.x - before.x) / length, (tip.y - before.y) / length];
  const at = (back: number, aside: number): string =>
    show({ x: tip.x - dx * back - dy * aside, y: tip.y - dy * back + dx * aside });
  return isBar ? `M${at(2, 8)}L${at(2, -8)}` : `M${at(8, 5)}L${at(0, 0)}L${at(8, -5)}`;
}
