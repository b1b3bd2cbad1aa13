import { render } from 'preact';
import * as z from 'zod';
import { App } from './app.tsx';
import { ExplorerPage } from './explorer.tsx';

// Zod would try whether it may compile code, which the content security policy forbids.
z.config({ jitless: true });

const root = document.getElementById('page');
if (root) {
  if (document.documentElement.dataset.mode === 'playground') {
    const { PlaygroundPage } = await import('./playground/page.tsx');
    render(<App page={PlaygroundPage} />, root);
  } else render(<App page={ExplorerPage} />, root);
}
