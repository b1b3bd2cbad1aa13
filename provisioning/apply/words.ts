/** Fields of commands that manifests call otherwise, by their names in commands. */
export const WORDS: Readonly<Record<string, string>> = {
  startsAt: 'from',
  endsAt: 'until',
  startDate: 'from',
  endDate: 'until',
  soldBySubscription: 'sold',
  isDangerous: 'dangerous',
  isOverridable: 'overridable',
  customTemplateId: 'template',
};
