/** The pages that people read, from the project's folder. */
export const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...[
    'architecture',
    'glossary',
    'integrate',
    'link',
    'moderate',
    'operate',
    'scoring',
    'where',
  ].map((name) => `docs/${name}.md`),
];

/** How the program is called: itself, by its path, through npm, or in a container of that name. */
const CALL = /(?:^|[ /])fathom(?: --)? (?!fathom |\/)(.+)$/;

/** Arguments of each call of `fathom` in blocks of a shell's commands, in order. */
export function shownCommands(text: string): string[][] {
  return shellLines(text).flatMap((line) => {
    const call = CALL.exec(line.replace(/^[$#] /, ''))?.[1];
    return call === undefined || isOther(line) ? [] : [splitShell(call)];
  });
}

/** Lines of blocks of a shell's commands; one that goes on in the next is one. */
export function shellLines(text: string): string[] {
  const blocks = [...text.matchAll(/^```(?:sh|console)\n([\s\S]*?)^```/gm)];
  return blocks.flatMap(([, block = '']) =>
    block
      .replaceAll(/\\\n\s*/g, ' ')
      .trimEnd()
      .split('\n'),
  );
}

/** Other programs have a file, a user or an image of that name. */
function isOther(line: string): boolean {
  return /^(?:sudo )?(?:systemctl|useradd|git|install|cp|cd|tar|docker build|docker compose exec|docker stop|docker start|docker run -d)\b/.test(
    line,
  );
}

/** The same in the text: names of commands, and options without their values. */
export function inlineCommands(text: string): string[][] {
  const spans = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)];
  return spans.flatMap(([, span = '']) => {
    const call = /^(?:npm run (?:-s )?fathom --|(?:bin\/)?fathom) (.+)$/.exec(span)?.[1];
    if (call === undefined) return [];
    const plain = call.replaceAll(/[[\]]/g, '').replaceAll('…', '');
    return [splitShell(plain)];
  });
}

/** The words of a command up to a redirection or the next one. */
export function splitShell(command: string): string[] {
  const words: string[] = [];
  for (const [word] of command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)) {
    if (/^(?:<|>|\||&&|;|#)/.test(word)) break;
    words.push(word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
  }
  return words;
}
