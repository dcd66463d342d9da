import { UserError } from '#base';
import type { Prompts } from '#cli/prompts/prompts';

/** A value that may be given by an option, by a person, or by default. */
export interface Wanted {
  /** The option, as typed. */
  readonly flag: string;
  readonly ask: string;
  readonly byDefault?: string | undefined;
  /** Whether a person is asked even if there's a default. */
  readonly isAsked: boolean;
  /** @returns the value to use @throws UserError with a sentence that begins with the option */
  readonly read: (text: string) => string;
}

/** Takes values from options, asks for others, and collects what's missing if nobody can be asked. */
export class RuleAnswers {
  readonly prompts: Prompts | undefined;
  readonly #given: ReadonlyMap<string, string>;
  readonly #missing: string[] = [];

  /** @param given values by option: `--contract` */
  constructor(given: ReadonlyMap<string, string>, prompts: Prompts | undefined) {
    this.#given = given;
    this.prompts = prompts;
  }

  isGiven(flag: string): boolean {
    return this.#given.has(flag);
  }

  /** @returns undefined if it's missing; see `requireAll` @throws UserError `wrong-usage` */
  async get({ flag, ask, byDefault, isAsked, read }: Wanted): Promise<string | undefined> {
    const given = this.#given.get(flag);
    if (given !== undefined) return read(given);
    if (this.prompts !== undefined && (isAsked || byDefault === undefined)) {
      const check = (answer: string) => faultOf(() => read(answer), flag);
      return read(await this.prompts.text({ message: ask, byDefault, check }));
    }
    if (byDefault !== undefined) return read(byDefault);
    this.#missing.push(`  ${flag}  ${ask}`);
    return undefined;
  }

  /**
   * @param canBeRead whether a node would have told some of it
   * @throws UserError `wrong-usage` that names what nobody has given
   */
  requireAll(canBeRead: boolean): void {
    if (this.#missing.length === 0) return;
    const again = canBeRead ? ', or try again once the node answers' : '';
    throw new UserError('wrong-usage', `Please add${again}:\n${this.#missing.join('\n')}`);
  }
}

function faultOf(work: () => unknown, flag: string): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.message.replace(`${flag}: `, '');
  }
}
