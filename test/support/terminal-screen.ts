/** A letter with the class of its look; the class is empty for plain text. */
interface Cell {
  readonly letter: string;
  readonly look: string;
}

/** Looks by the numbers that select them (ECMA-48, SGR); others aren't shown. */
const LOOKS: ReadonlyMap<number, string> = new Map([
  [2, 'dim'],
  [32, 'green'],
  [33, 'yellow'],
  [35, 'magenta'],
  [36, 'cyan'],
  [90, 'dim'],
]);
const ESCAPE = '\u001b';
const CONTROL = new RegExp(String.raw`${ESCAPE}\[(\??[\d;]*)([A-Za-z])|\r|\n|[^${ESCAPE}]`, 'gu');

/** What a terminal shows of a program's output, all of it: nothing scrolls away. */
export class TerminalScreen {
  readonly #columns: number;
  readonly #rows: Cell[][] = [[]];
  #row = 0;
  #column = 0;
  #look = '';

  constructor(columns: number) {
    this.#columns = columns;
  }

  write(output: string): void {
    for (const [all, text = '', final] of output.matchAll(CONTROL)) {
      if (final !== undefined) this.#control(final, text);
      else if (all === '\r') this.#column = 0;
      else if (all === '\n') this.#moveTo(this.#row + 1);
      else this.#put(all);
    }
  }

  /** Its rows as HTML, each with spans for what isn't plain; without the empty ones at the end. */
  get html(): string {
    const rows = this.#rows.map((cells) =>
      cells.map(({ letter, look }) => `<span class="${look}">${escaped(letter)}</span>`).join(''),
    );
    return rows.join('\n').trimEnd();
  }

  get text(): string {
    const rows = this.#rows.map((cells) =>
      cells
        .map(({ letter }) => letter)
        .join('')
        .trimEnd(),
    );
    return rows.join('\n').trimEnd();
  }

  #put(letter: string): void {
    if (letter < ' ') return;
    if (this.#column >= this.#columns) {
      this.#moveTo(this.#row + 1);
      this.#column = 0;
    }
    const cells = this.#rows[this.#row] ?? [];
    while (cells.length < this.#column) cells.push({ letter: ' ', look: '' });
    cells[this.#column] = { letter, look: this.#look };
    this.#column += 1;
  }

  #control(final: string, text: string): void {
    const number = Number(text.split(';')[0] || 0);
    const steps = Math.max(1, number);
    if (final === 'A') this.#moveTo(Math.max(0, this.#row - steps));
    else if (final === 'B') this.#moveTo(this.#row + steps);
    else if (final === 'C') this.#column += steps;
    else if (final === 'D') this.#column = Math.max(0, this.#column - steps);
    else if (final === 'G') this.#column = steps - 1;
    else if (final === 'K') this.#erase(number);
    else if (final === 'J') {
      this.#erase(number);
      if (number === 0) this.#rows.length = this.#row + 1;
    } else if (final === 'm') this.#look = LOOKS.get(number) ?? '';
  }

  /** @param how 0 from the cursor on, 2 the whole row */
  #erase(how: number): void {
    const cells = this.#rows[this.#row] ?? [];
    cells.length = how === 2 ? 0 : Math.min(cells.length, this.#column);
  }

  #moveTo(row: number): void {
    while (this.#rows.length <= row) this.#rows.push([]);
    this.#row = row;
  }
}

function escaped(letter: string): string {
  return letter.replace('&', '&amp;').replace('<', '&lt;');
}
