/**
 * How the site's search finds sections by a question. VitePress hands both parts to MiniSearch, at build and in the
 * browser. A function gets there as its text, so it may use nothing from outside of itself.
 */
export const SEARCH = {
  options: {
    /** A word as it is indexed and looked for. Words that every question has would find every section. */
    processTerm: (term: string): string | null => {
      const word = term.toLowerCase();
      const common =
        ' a an and any are as at be by can could do does for from have how i if in is it may me must my of on or our should so that the then there they this to until was we what when where which while who why will with would you your ';
      return common.includes(` ${word} `) ? null : word;
    },
  },
  searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
};
