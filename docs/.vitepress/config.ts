import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type MarkdownOptions } from 'vitepress';
import { anchorOf, isExternal, pageOf, targetOf } from './links.ts';
import { withMade } from './made.ts';
import { bar, sections } from './navigation.ts';
import { SEARCH } from './search.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Package {
  readonly description: string;
  readonly repository?: { readonly url: string };
}

const { description, repository }: Package = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** Where files that are no pages are shown; undefined as long as package.json names no repository. */
const source = repository?.url.replace(/^git\+|\.git$/g, '');

/** Turns a link between files of the repository into one between pages, or to the file's source. */
function inSite(document: string, link: string): string | undefined {
  if (isExternal(link) || link.startsWith('#')) return link;
  const { file, anchor } = targetOf(document, link);
  const page = pageOf(file);
  if (page !== undefined) return `/${page}${anchor && `#${anchor}`}`;
  if (!existsSync(join(ROOT, file))) throw new Error(`${document} links to ${file}, which does not exist`);
  return source && `${source}/blob/main/${file}`;
}

const markdown: MarkdownOptions = {
  anchor: { slugify: anchorOf },
  config(md) {
    md.core.ruler.before('normalize', 'made', (state) => {
      state.src = withMade(state.src);
    });
    md.core.ruler.push('links-in-site', ({ tokens, env }) => {
      const document = relative(ROOT, env.realPath ?? env.path);
      for (const token of tokens.flatMap(({ children }) => children ?? [])) {
        const link = token.attrGet('href');
        if (token.type !== 'link_open' || link === null) continue;
        const target = inSite(document, link);
        if (target === undefined) token.attrs = [];
        else token.attrSet('href', target);
      }
    });
  },
};

/** The page of explorer/ in .site/public. VitePress does not know it: the browser itself follows links to it. */
const PLAYGROUND = '/playground/';

export default defineConfig({
  title: 'Gatehouse',
  description,
  lang: 'en',
  head: [['link', { rel: 'icon', href: `${PLAYGROUND}icon.svg` }]],
  srcDir: '..',
  srcExclude: ['README.md', '{bench,test,local,dist,coverage,.site}/**'],
  outDir: '../.site/pages',
  cacheDir: '../.site/cache',
  rewrites: (path) => pageOf(path) ?? path,
  cleanUrls: true,
  markdown,
  vite: {
    // The playground, built there before (package.json).
    publicDir: join(ROOT, '.site/public'),
    // The search's index is one file.
    build: { chunkSizeWarningLimit: 2_000 },
  },
  themeConfig: {
    search: { provider: 'local', options: { miniSearch: SEARCH } },
    outline: [2, 3],
    nav: [...bar(), { text: 'Playground', link: `${PLAYGROUND}index.html`, target: '_self' }],
    sidebar: sections(),
    ...(source && { socialLinks: [{ icon: 'github', link: source }] }),
  },
});
