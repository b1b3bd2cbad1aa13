import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Explanation } from '../../../../engine/index.ts';
import { useLoaded } from '../../calls.ts';
import { counted } from '../../parts/counted.ts';
import { DecisionBadge } from '../../parts/decision.tsx';
import { Link } from '../../parts/link.tsx';
import { NodeIcon } from './icons.tsx';
import { endOf, type Layout, layOut, lineThrough } from './layout.ts';
import {
  type Chain,
  chainsOf,
  FEW,
  type PathEdge,
  type PathGraph,
  type PathNode,
  pathGraph,
} from './path-graph.ts';

export interface PictureProps {
  readonly explanation: Explanation;
  readonly label?: string;
}

/** With more paths than these a picture is no help; the list has them all. */
const MOST_DRAWN = 8;

/** Narrower than this, two paths beside each other are what there is room for. */
const NARROW = 560;

/** The path from the subject to the permission, and the same as a list. */
export function Picture({ explanation, label = 'The path as a picture' }: PictureProps) {
  const [isWhole, setIsWhole] = useState(false);
  const [box, room] = useWidth<HTMLElement>();
  const few = room < NARROW ? 2 : FEW;
  const graph = pathGraph(explanation, isWhole ? MOST_DRAWN : few);
  const all = chainsOf(explanation);
  return (
    <figure class="why-picture" ref={box}>
      {room > 0 && <Drawing graph={graph} room={room} explanation={explanation} label={label} />}
      <figcaption>
        {(graph.hidden > 0 || isWhole) && (
          <button type="button" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : `Show ${counted(graph.hidden, 'more path')}`}
          </button>
        )}
        {isWhole && graph.hidden > 0 && (
          <span>
            drawn are {graph.chains.length} of {all.length} paths; the list has them all
          </span>
        )}
        {graph.more > 0 && <span>and {graph.more} more, which the explanation leaves out</span>}
        <Legend graph={graph} />
        <AsList chains={isWhole ? all : graph.chains} allowed={explanation.allowed} isOpen={isWhole} />
      </figcaption>
    </figure>
  );
}

/** What the box around a drawing takes of the width. */
const PADDING = 18;

interface DrawingProps extends Required<PictureProps> {
  readonly graph: PathGraph;
  readonly room: number;
}

function Drawing({ graph, room, explanation, label }: DrawingProps) {
  const id = useId();
  const box = useRef<HTMLElement>(null);
  const fitting = useLoaded(JSON.stringify([graph, room]), () => layOut(graph, room - PADDING));
  const layout = fitting.value;
  useEffect(() => {
    // Where not all fits, what leads to the permission is to be seen first.
    const deciding =
      layout?.nodes.filter(({ isDeciding, kind }) => isDeciding || kind === 'permission') ?? [];
    const shown = box.current;
    if (!shown || !layout) return;
    const middle = (all: readonly number[]) => (Math.min(...all) + Math.max(...all)) / 2;
    const { x, y } = layout.box;
    shown.scrollLeft =
      middle(deciding.map((node) => node.x - x)) - (shown.clientWidth - layout.style.width) / 2;
    shown.scrollTop =
      middle(deciding.map((node) => node.y - y)) - (shown.clientHeight - layout.style.height) / 2;
  }, [layout]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be within reach of the keyboard
    <section class="why-scroll scrolls" ref={box} aria-label={label} tabIndex={0}>
      {layout && (
        <svg
          class="why-drawing"
          width={layout.box.width}
          height={layout.box.height}
          viewBox={`${layout.box.x} ${layout.box.y} ${layout.box.width} ${layout.box.height}`}
          aria-labelledby={`${id}-title`}
        >
          <title id={`${id}-title`}>Subject, grants, roles and effects</title>
          {layout.edges.map((edge) => (
            <Edge key={`${edge.from} ${edge.to}`} edge={edge} />
          ))}
          {layout.nodes.map((node) => (
            <foreignObject
              key={node.id}
              x={node.x}
              y={node.y}
              width={layout.style.width}
              height={layout.style.height}
            >
              <Node node={node} allowed={explanation.allowed} />
            </foreignObject>
          ))}
        </svg>
      )}
    </section>
  );
}

/** A reference for an element, and its width in CSS pixels: 0 until it is known. */
function useWidth<E extends HTMLElement>() {
  const box = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width] as const;
}

const classOf = (...names: readonly (string | false | undefined)[]): string =>
  names.filter(Boolean).join(' ');

function Edge({ edge }: { readonly edge: Layout['edges'][number] }) {
  const { points, state, effect, isDeciding, label, at } = edge;
  return (
    <g class={classOf('why-edge', state, isDeciding && 'deciding', effect)}>
      <path class="line" d={lineThrough(points)} />
      <path class="end" d={endOf(points, effect === 'DENY')} />
      {label !== undefined && at && (
        <text x={at.x} y={at.y} class="label">
          {label}
        </text>
      )}
    </g>
  );
}

interface NodeProps {
  readonly node: PathNode;
  readonly allowed: boolean;
}

function Node({ node, allowed }: NodeProps) {
  const { kind, title, name, detail, ref, effect, link, counts, isDeciding } = node;
  const whole = [`${title}: ${name}`, ref, detail, link?.does].filter(Boolean).join('\n');
  const classes = classOf('why-node', kind, effect, !counts && 'unused', isDeciding && 'deciding');
  const content = (
    <>
      <span class="kind">
        <NodeIcon kind={kind} effect={effect} />
        <span>{title}</span>
      </span>
      <bdi class="called">{name}</bdi>
      {link && <span class="visually-hidden">{link.does}</span>}
      {kind === 'permission' ? (
        <span class="detail">
          <DecisionBadge allowed={allowed} /> <bdi>{detail}</bdi>
        </span>
      ) : (
        detail !== undefined && <bdi class="detail">{detail}</bdi>
      )}
    </>
  );
  return link ? (
    <Link class={classes} title={whole} to="what-if" ask={{ change: link.change }}>
      {content}
    </Link>
  ) : (
    <div class={classes} title={whole}>
      {content}
    </div>
  );
}

/** The kinds of lines: how each is called and drawn, and which edges it is of. */
const LINES: readonly (readonly [text: string, classes: string, isOf: (edge: PathEdge) => boolean])[] = [
  ['decides', 'deciding', ({ isDeciding }) => isDeciding],
  ['counts', 'counts', ({ state, isDeciding }) => state === 'counts' && !isDeciding],
  ['does not count', 'does_not_count', ({ state }) => state === 'does_not_count'],
  ['missing', 'missing', ({ state }) => state === 'missing'],
];

/** Only of what is in the picture. */
function Legend({ graph: { edges } }: { readonly graph: PathGraph }) {
  return (
    <ul class="plain why-legend" aria-label="Lines">
      {LINES.filter(([, , isOf]) => edges.some(isOf)).map(([text, classes]) => (
        <li key={text}>
          <svg width="28" height="10" aria-hidden="true">
            <g class={`why-edge ${classes}`}>
              <path class="line" d="M1,5L27,5" />
            </g>
          </svg>
          {text}
        </li>
      ))}
    </ul>
  );
}

interface ListProps {
  readonly chains: readonly Chain[];
  readonly allowed: boolean;
  /** Whether it is open without a click. */
  readonly isOpen: boolean;
}

/** The same paths in words, for those who do not see the picture. */
function AsList({ chains, allowed, isOpen }: ListProps) {
  return (
    <details class="why-list" open={isOpen}>
      <summary>The picture as a list</summary>
      <ol>
        {chains.map(({ nodes, edges, isDeciding }) => (
          <li key={nodes.map(({ id }) => id).join(' ')}>
            {isDeciding && <strong>Decides: </strong>}
            {nodes.map(({ id, title, name, detail }, position) => (
              <span key={id}>
                {position > 0 && ` → ${edgeText(edges[position - 1])}`}
                {title} <bdi class="name">{name}</bdi>
                {detail !== undefined && (
                  <>
                    {' '}
                    (<bdi class="name">{detail}</bdi>)
                  </>
                )}
              </span>
            ))}
            {isDeciding && `: ${allowed ? 'allowed' : 'refused'}`}
          </li>
        ))}
      </ol>
    </details>
  );
}

const edgeText = (edge: PathEdge | undefined): string =>
  edge?.label === undefined ? '' : `[${edge.label}] → `;
