/** A line's location. */
interface Place {
  readonly file: string;
  readonly number: number;
}

/**
 * The locations of staged, uncommitted lines, in order, without their texts: there are too many.
 */
export class StagedLines {
  #numbers: number[] = [];
  #files: string[] = [];

  push({ file, number }: Place): void {
    this.#numbers.push(number);
    this.#files.push(file);
  }

  /** Removes the first ones. @returns each by its index among them */
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
