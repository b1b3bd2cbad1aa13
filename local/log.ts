/** Where log lines of the functions go: not among what the stack prints for its user. */
export const writeLog = (line: string): void => console.error(line);
