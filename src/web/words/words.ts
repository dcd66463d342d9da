/** What the pages say, in one language. A language is one file beside this one. */
export interface Words {
  /** BCP 47. */
  readonly language: string;
  /** In itself. */
  readonly name: string;
  readonly page: PageWords;
  readonly browser: BrowserWords;
  readonly answers: AnswerWords;
}

/** What stands in the page as it is sent. */
interface PageWords {
  readonly title: string;
  readonly headline: string;
  readonly lead: string;
  readonly skip: string;
  readonly docs: string;
  readonly openApi: string;
  readonly languages: string;
  readonly theme: string;
  readonly themes: { readonly system: string; readonly light: string; readonly dark: string };
  readonly command: string;
  readonly ask: string;
  readonly hint: string;
  readonly suggestions: string;
  readonly examples: string;
  readonly views: string;
  readonly noScript: string;
}

/** What the scripts put into it. */
interface BrowserWords {
  /** The line above an answer in Discord; `{}` is the command. */
  readonly used: string;
  readonly thinking: string;
  readonly onlyYou: string;
  /** Read out when an answer has come; `{}` is its beginning. */
  readonly answered: string;
  /** Read out with the list of suggestions; `{}` is their number. */
  readonly found: string;
  readonly opensPage: string;
  /** The service can't be reached. */
  readonly unreachable: string;
  /** The limit is used up; `{}` is the number of seconds. */
  readonly wait: string;
  /** The request was refused. */
  readonly refused: string;
  readonly again: string;
}

/** Answers that only the playground gives. */
interface AnswerWords {
  readonly privateTitle: string;
  /** `command` with its slash. */
  readonly private: (command: string) => string;
}
