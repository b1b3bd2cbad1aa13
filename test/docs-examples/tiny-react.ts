import * as React from 'react';

/**
 * As much of a renderer as function components with a few hooks take: it renders to a text, and again when a state or a
 * store changes. React itself renders nothing without react-dom.
 */
interface Hook {
  value?: unknown;
  dependencies?: readonly unknown[] | undefined;
  cleanUp?: (() => void) | undefined;
}

interface Element {
  readonly type: unknown;
  readonly props: Readonly<Record<string, unknown>> & { readonly children?: unknown };
}

const INTERNALS = (React as unknown as Record<string, { H: unknown }>)
  .__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE as { H: unknown };

export function render(root: unknown) {
  const hooks = new Map<string, Hook[]>();
  const contexts = new Map<unknown, unknown>();
  let effects: (() => void)[] = [];
  let isStale = true;
  let text = '';

  const again = () => {
    isStale = true;
  };

  function dispatcherFor(path: string) {
    const own = hooks.get(path) ?? [];
    hooks.set(path, own);
    let at = 0;
    const next = (): Hook => {
      own[at] ??= {};
      return own[at++] as Hook;
    };
    const effect = (run: () => unknown, dependencies?: readonly unknown[]) => {
      const hook = next();
      const isSame =
        hook.dependencies !== undefined &&
        dependencies?.every((each, position) => Object.is(each, hook.dependencies?.[position]));
      if (isSame) return;
      hook.dependencies = dependencies ?? [];
      effects.push(() => {
        hook.cleanUp?.();
        hook.cleanUp = run() as Hook['cleanUp'];
      });
    };
    return {
      useContext: (context: { readonly _currentValue: unknown }) =>
        contexts.has(context) ? contexts.get(context) : context._currentValue,
      useEffect: effect,
      useState: (first: unknown) => {
        const hook = next();
        if (!('value' in hook)) hook.value = first;
        const set = (value: unknown) => {
          if (Object.is(value, hook.value)) return;
          hook.value = value;
          again();
        };
        return [hook.value, set];
      },
      useSyncExternalStore: (subscribe: (listener: () => void) => () => void, snapshot: () => unknown) => {
        const value = snapshot();
        if (!Object.is(value, snapshot())) throw new Error('a snapshot that is new each time');
        effect(() => subscribe(again), [subscribe]);
        return value;
      },
    };
  }

  function draw(node: unknown, path: string): string {
    if (node === null || node === undefined || typeof node === 'boolean') return '';
    if (Array.isArray(node)) return node.map((each, position) => draw(each, `${path}.${position}`)).join('');
    if (typeof node !== 'object') return String(node);
    const { type, props } = node as Element;
    if (typeof type === 'function') {
      INTERNALS.H = dispatcherFor(path);
      const inner: unknown = type(props);
      INTERNALS.H = null;
      return draw(inner, `${path}/${type.name}`);
    }
    if (typeof type === 'string') return `<${type}>${draw(props.children, `${path}/${type}`)}</${type}>`;
    contexts.set(type, props.value);
    return draw(props.children, `${path}/context`);
  }

  /** Draws until nothing changes any more, and lets promises end in between. */
  async function drawn(): Promise<string> {
    for (let round = 0; round < 20 && (isStale || effects.length > 0); round++) {
      isStale = false;
      text = draw(root, '');
      const begun = effects;
      effects = [];
      for (const run of begun) run();
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (isStale) throw new Error('it is drawn without end');
    return text;
  }

  return { text: drawn, again };
}
