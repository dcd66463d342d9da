import type { Platform } from '#platforms';
import type { PublicWords } from './public-words.ts';

/** Texts of the pages, in one language. Each language is a file beside this one. */
export interface Words {
  /** BCP 47. */
  readonly language: string;
  /** Its own name. */
  readonly name: string;
  readonly page: PageWords;
  readonly browser: BrowserWords;
  readonly answers: AnswerWords;
  readonly link: LinkWords;
  /** The public pages. */
  readonly pages: PublicWords;
}

/** Texts in the page as sent. */
interface PageWords {
  readonly title: string;
  readonly headline: string;
  readonly lead: string;
  /** Shown with demo data. */
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

/** Texts for the page's scripts. */
interface BrowserWords {
  /** The line above an answer in Discord; `{}` is the command. */
  readonly used: string;
  readonly thinking: string;
  readonly onlyYou: string;
  /** Before what everybody there reads. */
  readonly posted: string;
  /** Read out when an answer arrives; `{}` is its beginning. */
  readonly answered: string;
  /** Read out with the list of suggestions; `{}` is their number. */
  readonly found: string;
  readonly opensPage: string;
  /** The service can't be reached. */
  readonly unreachable: string;
  /** Rate limit exceeded; `{}` is the number of seconds. */
  readonly wait: string;
  /** The request was rejected. */
  readonly refused: string;
  readonly again: string;
}

/** Answers specific to the playground. */
interface AnswerWords {
  /** Below each answer of the made-up server. */
  readonly madeUp: string;
  /** A button that opens the bot. */
  readonly open: (chat: string) => string;
  readonly privateTitle: string;
  /** `command` with its slash. */
  readonly private: (command: string) => string;
  /** The same for a command of moderators. */
  readonly ofCommunities: (command: string) => string;
}

/** The link page. */
interface LinkWords {
  readonly title: string;
  readonly headline: string;
  readonly lead: string;
  readonly noScript: string;
  /** Above each step; the two `{}` are its number and the total. */
  readonly step: string;
  readonly start: {
    readonly title: string;
    readonly points: readonly string[];
    readonly go: string;
  };
  /** The first step on a phone without a wallet in its browser. */
  readonly apps: {
    readonly title: string;
    readonly about: string;
    /** Wallets connected through WalletConnect. */
    readonly connect: string;
    readonly other: string;
  };
  /** The first step on a computer without a wallet in its browser. */
  readonly scan: { readonly title: string; readonly about: string; readonly other: string };
  readonly account: {
    readonly title: string;
    /** Chosen by the account, so it proves nothing. */
    readonly displayName: string;
    /** Warning if the account isn't the reader's. */
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
  /** Waiting for a wallet through WalletConnect. */
  readonly pair: {
    readonly title: string;
    /** Any other wallet on the same phone. */
    readonly other: string;
    readonly about: string;
    readonly copy: string;
  };
  /** While a signature can't be checked. */
  readonly checking: { readonly title: string; readonly about: string; readonly again: string };
  /** While owners of a contract wallet have yet to approve the text. */
  readonly owners: { readonly title: string; readonly about: string; readonly send: string };
  readonly done: {
    readonly title: string;
    readonly about: string;
    readonly copy: string;
    /** A warning to keep the code secret. */
    readonly secret: string;
  };
  /** Once the code was entered, expired or was replaced. */
  readonly used: { readonly title: string; readonly about: string };
  /** The link is open in another browser or tab. */
  readonly elsewhere: { readonly title: string; readonly about: string };
  readonly over: { readonly title: string };
  /** For a URL that leads nowhere. */
  readonly lost: { readonly title: string; readonly about: string };
  readonly browser: LinkBrowserWords;
}

/** Texts for the page's scripts. */
interface LinkBrowserWords {
  /** A wallet without a name. */
  readonly unnamed: string;
  /** `{}` is the wallet's name. */
  readonly signWith: string;
  readonly copied: string;
  /** If copying isn't allowed: the text is selected instead. */
  readonly marked: string;
  /** Label before an account's id. */
  readonly id: string;
  /** Alternative text of the QR code. */
  readonly qrCode: string;
  /**
   * What to do with the code, by how it reaches the bot; `{}` are the command with the code, the
   * account, and a number of minutes.
   */
  readonly type: Readonly<Record<Platform['codeEntry'] | 'page', string>>;
  /** Read out; `{}` is the code, digit by digit. */
  readonly code: string;
  readonly codeOver: string;
  /** `{}` is the hour until which a signature is checked again and again. */
  readonly checkedUntil: string;
  /** The same where it may be tomorrow; `{}` are the day and the hour. */
  readonly checkedUntilDay: string;
  /** `{}` is the time (HH:MM:SS) of the last failed check. */
  readonly stillUnchecked: string;
  /** Follows an error after which there is a new text to sign. */
  readonly renewed: string;
  /** Errors by code: what happened and what to do. */
  readonly faults: Readonly<Record<ServiceFault | WalletFault, string>>;
}

/** Errors of the service; for rejected proofs it sends the sentence. */
type ServiceFault =
  | 'link-expired'
  | 'link-taken'
  | 'link-tries'
  | 'invalid-address'
  | 'signature-is-secret'
  | 'signature-is-hash'
  /** `{}` is a number of seconds. */
  | 'rate-limited'
  /** And any other server error. */
  | 'data-unavailable'
  | 'unreachable'
  /** The URL has no ticket. */
  | 'no-ticket'
  /** The browser doesn't return its cookie. */
  | 'no-cookies';

/** Errors of the wallet. */
type WalletFault =
  /** Entered by hand, detected before sending. */
  | 'signature-malformed'
  | 'text-over'
  /** The link's wallet was chosen in another tab since. */
  | 'other-tab'
  /** Another account's link was opened in this browser since. */
  | 'other-account'
  /** Its signature can't be checked now, and the user didn't wait. */
  | 'left'
  /** The response to a signature was lost, and it wasn't accepted. */
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
  /** `{}` is the wallet's message. */
  | 'failed';
