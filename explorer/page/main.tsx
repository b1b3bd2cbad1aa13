import { render } from 'preact';
import { App } from './app.tsx';
import { ExplorerPage } from './explorer.tsx';

const root = document.getElementById('page');
if (root) {
  if (document.documentElement.dataset.mode === 'playground') {
    const { PlaygroundPage } = await import('./playground/page.tsx');
    render(<App page={PlaygroundPage} />, root);
  } else render(<App page={ExplorerPage} />, root);
}
