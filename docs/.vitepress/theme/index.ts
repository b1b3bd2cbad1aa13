/** The usual theme with the fonts of the reader's system. */
export { default } from 'vitepress/theme-without-fonts';
