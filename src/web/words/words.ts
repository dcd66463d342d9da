/** What the pages say, in one language. A language is one file beside this one. */
export interface Words {
  /** BCP 47. */
  readonly language: string;
  /** In itself. */
  readonly name: string;
  readonly page: PageWords;
  readonly browser: BrowserWords;
  readonly answers: AnswerWords;
  readonly link: LinkWords;
}

/** What stands in the page as it is sent. */
interface PageWords {
  readonly title: string;
  readonly headline: string;
  readonly lead: string;
  /** Shown where every wallet is made up. */
  readonly demo: string;
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
  /** Below each answer of the made-up server. */
  readonly madeUp: string;
  /** A button that leads to the bot. */
  readonly open: (chat: string) => string;
  readonly privateTitle: string;
  /** `command` with its slash. */
  readonly private: (command: string) => string;
}

/** The page on which a wallet is linked. */
interface LinkWords {
  readonly title: string;
  readonly headline: string;
  readonly lead: string;
  readonly noScript: string;
  /** Above each step; the two `{}` are its number and how many there are. */
  readonly step: string;
  readonly start: {
    readonly title: string;
    readonly points: readonly string[];
    readonly go: string;
  };
  /** The first step on a phone whose browser has no wallet. */
  readonly apps: {
    readonly title: string;
    readonly about: string;
    /** Wallets that are reached by WalletConnect. */
    readonly connect: string;
    readonly other: string;
  };
  /** The first step on a computer whose browser has no wallet. */
  readonly scan: { readonly title: string; readonly about: string; readonly other: string };
  readonly account: {
    readonly title: string;
    /** What comes from the account itself and proves nothing. */
    readonly displayName: string;
    /** What it means if the account is somebody else's. */
    readonly notYours: string;
  };
  readonly wallets: {
    readonly title: string;
    readonly none: string;
    readonly again: string;
    readonly missing: string;
    readonly byHand: string;
    readonly address: string;
    readonly showText: string;
  };
  readonly addresses: { readonly title: string };
  readonly sign: {
    readonly title: string;
    readonly about: string;
    readonly cannot: string;
    readonly cannotAbout: string;
    readonly byHand: string;
    readonly copyText: string;
    readonly transaction: string;
    readonly transactionAbout: string;
    readonly copyTransaction: string;
    readonly signature: string;
    readonly handIn: string;
    readonly back: string;
  };
  readonly waiting: { readonly title: string; readonly about: string; readonly cancel: string };
  /** Where WalletConnect waits for a wallet. */
  readonly pair: {
    readonly title: string;
    /** Any other wallet on the same phone. */
    readonly other: string;
    readonly about: string;
    readonly copy: string;
  };
  /** While a signature that has arrived can't be checked. */
  readonly checking: { readonly title: string; readonly about: string; readonly again: string };
  readonly done: {
    readonly title: string;
    readonly about: string;
    readonly copy: string;
    /** Nobody else may get the code. */
    readonly secret: string;
  };
  /** Once the code was typed, has expired or was replaced. */
  readonly used: { readonly title: string; readonly about: string };
  /** Another browser or tab has the link. */
  readonly elsewhere: { readonly title: string; readonly about: string };
  readonly over: { readonly title: string };
  /** A page of its own, for an address that leads nowhere. */
  readonly lost: { readonly title: string; readonly about: string };
  readonly browser: LinkBrowserWords;
}

/** What the scripts put into it. */
interface LinkBrowserWords {
  /** A wallet that tells no name of itself. */
  readonly unnamed: string;
  /** `{}` is the wallet's name. */
  readonly signWith: string;
  readonly copied: string;
  /** Where the browser lets no page copy: the text is marked instead. */
  readonly marked: string;
  /** Before an account's number on its platform. */
  readonly id: string;
  /** Instead of a picture for those who can't see it. */
  readonly qrCode: string;
  /**
   * What to do with the code, by the platform; `{}` are the command with it, the account, and a
   * number of minutes.
   */
  readonly type: Readonly<Record<'Discord' | 'Telegram' | 'Web', string>>;
  /** Read out; `{}` is the code, digit by digit. */
  readonly code: string;
  readonly codeOver: string;
  /** `{}` is the hour until which a signature is checked again and again. */
  readonly checkedUntil: string;
  /** `{}` is the hour, to the second, at which that was last done in vain. */
  readonly stillUnchecked: string;
  /** Follows a fault after which there is another text to be signed. */
  readonly renewed: string;
  /** Faults by code, in what happened and what to do next. */
  readonly faults: Readonly<Record<ServiceFault | WalletFault, string>>;
}

/** What the service says; of refused proofs it sends the sentence along. */
type ServiceFault =
  | 'link-expired'
  | 'link-taken'
  | 'link-tries'
  | 'invalid-address'
  | 'signature-is-secret'
  /** `{}` is a number of seconds. */
  | 'rate-limited'
  /** And whatever else goes wrong there. */
  | 'data-unavailable'
  | 'unreachable'
  /** There is no ticket in the address. */
  | 'no-ticket'
  /** What the browser was given to be known by doesn't come back. */
  | 'no-cookies';

/** What a wallet does, or does not. */
type WalletFault =
  /** Typed by hand, and seen before it is sent. */
  | 'signature-malformed'
  | 'text-over'
  /** The link's wallet was chosen in another tab since. */
  | 'other-tab'
  /** Its signature can't be checked now, and isn't waited for. */
  | 'left'
  /** Whether a signature arrived was not heard, and it has led to nothing. */
  | 'signature-lost'
  | 'rejected'
  | 'locked'
  | 'busy'
  | 'late'
  | 'cancelled'
  | 'no-address'
  | 'other-text'
  | 'no-way'
  | 'nonsense'
  /** `{}` is what the wallet said. */
  | 'failed';
