import type { Row } from './rows.ts';

/**
 * Completion scripts. Each holds all rows as one text, from which the same awk program takes the candidates, so
 * pressing Tab starts no Node.js; a shell adds only how it asks and how it shows them. Where there are no candidates,
 * each completes files.
 */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The script for a shell. @param name of the program */
export const completionScript = (shell: Shell, name: string, rows: readonly Row[]): string =>
  SCRIPTS[shell](name, `'${rows.map(lineOf).join('\n')}' | awk -F '\\t' '${CANDIDATES}'`);

/**
 * The text stands in single quotes, which all shells read alike if it has no quote and no backslash. Of a description
 * the first sentence is shown.
 */
const lineOf = ({ path, word, description }: Row): string => {
  const [sentence = ''] = description
    .replaceAll("'", '’')
    .replaceAll(/[\\\s]+/g, ' ')
    .split(/\. |\.$|;/);
  return [path, word, sentence.length > LONGEST ? `${sentence.slice(0, LONGEST)}…` : sentence].join('\t');
};

/** Characters of a description: it stands beside the word on one line of a terminal. */
const LONGEST = 80;

/**
 * Reads the words before the cursor (line 1), the word at the cursor (line 2) and the rows; prints candidates with
 * their descriptions. An option of a subcommand stands after all words below it too.
 */
const CANDIDATES = `
NR == 1 { count = split($0, given, " "); next }
NR == 2 { current = $0; next }
{
  rows[NR] = $0
  if ($2 ~ /^-.*=$/) takes[substr($2, 1, length($2) - 1)] = 1
  else if ($2 !~ /^-/) follows[$1, $2] = 1
}
END {
  for (i = 2; i <= count; i++) {
    if (option != "") option = ""
    else if (given[i] in takes) option = given[i]
    else if ((path, given[i]) in follows) path = path (path == "" ? "" : " ") given[i]
  }
  for (i = 3; i <= NR; i++) {
    split(rows[i], row, "\\t")
    above = row[1] == "" || index(path " ", row[1] " ") == 1
    equals = index(row[2], "=")
    if (option != "") {
      if (above && index(row[2], option "=") == 1 && equals < length(row[2]))
        print substr(row[2], equals + 1) "\\t" row[3]
    } else if (row[2] ~ /^-/) {
      if (above && current ~ /^-/ && (!equals || equals == length(row[2]))) {
        sub(/=$/, "", row[2])
        print row[2] "\\t" row[3]
      }
    } else if (row[1] == path && current !~ /^-/) print row[2] "\\t" row[3]
  }
}`;

/** `candidates` goes after the words before the cursor and the word at the cursor. */
const SCRIPTS: Readonly<Record<Shell, (name: string, candidates: string) => string>> = {
  bash: (name, candidates) => `# Completion of ${name} for bash.
_${name}_candidates() {
  printf '%s\\n' "$1" "$2" ${candidates}
}
_${name}() {
  local IFS=$'\\n' line=\${COMP_LINE:0:COMP_POINT}
  local current=\${line##* }
  local found=$(_${name}_candidates "\${line%"$current"}" "$current" | cut -f 1)
  COMPREPLY=($(compgen -W "$found" -- "$current"))
  if [[ \${COMPREPLY[0]-} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _${name} ${name}
`,
  zsh: (name, candidates) => `#compdef ${name}
_${name}_candidates() {
  printf '%s\\n' "$1" "$2" ${candidates}
}
_${name}() {
  local row word
  local -a candidates shown end
  for row in \${(f)"$(_${name}_candidates "\${(j: :)words[1,CURRENT-1]}" "$PREFIX")"}; do
    word=\${row%%$'\\t'*}
    candidates+=("$word")
    shown+=("$word\${(l:28-$#word:)} \${row#*$'\\t'}")
    if [[ $word == *= ]]; then end=(-S ''); fi
  done
  if (( $#candidates )); then compadd -l "\${end[@]}" -d shown -a candidates; else _files; fi
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`,
  fish: (name, candidates) => `# Completion of ${name} for fish.
function __${name}_candidates
    printf '%s\\n' (string join ' ' -- (commandline -opc)) (commandline -ct | string collect --allow-empty) ${candidates}
end
function __${name}
    set -l found (__${name}_candidates)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c ${name} -k -f -a '(__${name})'
`,
};
