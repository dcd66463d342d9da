/** A line without its text. */
interface Place {
  readonly file: string;
  readonly number: number;
}

/**
 * Where the lines stood that were staged and are not committed yet, in their order. Of their texts
 * nothing is kept: there are too many of them.
 */
export class StagedLines {
  #numbers: number[] = [];
  #files: string[] = [];

  push({ file, number }: Place): void {
    this.#numbers.push(number);
    this.#files.push(file);
  }

  /** Takes the first ones out. @returns each by its place among them */
  take(count: number): (place: number) => Place {
    const numbers = this.#numbers;
    const files = this.#files;
    this.#numbers = numbers.slice(count);
    this.#files = files.slice(count);
    return (place) => {
      const [file, number] = [files[place], numbers[place]];
      if (place >= count || file === undefined || number === undefined) {
        throw new RangeError("bug: refused a line that wasn't staged");
      }
      return { file, number };
    };
  }
}
