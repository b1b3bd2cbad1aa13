const NAMES = `check cold handler traces policy lists startup command-line scale load servers memory
  provisioning administration cost fleet`;

/** All topics in the order in which they run: each is the file of its name, which is loaded when it runs. */
export const TOPICS: readonly string[] = NAMES.split(/\s+/);
