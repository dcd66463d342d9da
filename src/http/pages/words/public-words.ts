/** Texts of the pages anyone can link to. Values come formatted; `texts` of the chats has the rest. */
export interface PublicWords {
  /** As Open Graph writes it: `en_GB`. */
  readonly locale: string;
  readonly skip: string;
  readonly navigation: string;
  readonly playground: string;
  /** Replaces a part that can't be read right now. */
  readonly unavailable: string;
  /** Replaces a part that the upstream doesn't have. */
  readonly unsupported: string;
  /** Opens the table behind a plot. */
  readonly asTable: string;
  readonly day: string;
  readonly month: string;
  readonly wallet: WalletWords;
  readonly leaderboard: LeaderboardWords;
  readonly stats: StatsWords;
  readonly badge: BadgeWords;
  readonly share: ShareWords;
  readonly lost: LostWords;
}

interface WalletWords {
  /** `Ethereum wallet` */
  readonly on: (chain: string) => string;
  readonly title: (name: string, tier: string) => string;
  readonly description: (score: string, rank: string, chain: string) => string;
  /** Alternative text of the picture in previews. */
  readonly alt: (name: string, tier: string, score: string) => string;
  readonly score: string;
  readonly tier: string;
  readonly rank: string;
  readonly rankOf: (total: string) => string;
  readonly copyAddress: string;
  readonly explorer: string;
  /** Describes the scale of tiers. */
  readonly depth: (tier: string, score: string) => string;
  readonly history: {
    readonly title: string;
    /** Describes the plot. */
    readonly about: (from: string, first: string, until: string, last: string) => string;
    /** Where there are more days than are kept at hand. */
    readonly newest: (days: string) => string;
  };
  readonly rules: {
    readonly title: string;
    readonly about: string;
    readonly rule: string;
    readonly points: string;
    readonly imported: string;
    readonly importedAbout: (count: number, shown: string) => string;
    readonly asOf: string;
  };
  readonly badges: { readonly title: string; readonly earned: string };
  readonly activity: { readonly title: string; readonly none: string };
}

interface LeaderboardWords {
  readonly title: string;
  readonly description: string;
  readonly descriptionOf: (chain: string) => string;
  readonly chains: string;
  readonly find: string;
  readonly findHint: string;
  readonly findButton: string;
  readonly rank: string;
  readonly wallet: string;
  readonly tier: string;
  readonly badges: string;
  readonly score: string;
  readonly gained: string;
  readonly periods: string;
  readonly pages: string;
  readonly first: string;
  readonly previous: string;
  readonly next: string;
  readonly last: string;
  readonly wallets: (count: number, shown: string) => string;
  /** Above the table, about the wallet that was searched for. */
  readonly found: (name: string, rank: string, points: string) => string;
  readonly foundLink: string;
  readonly notFound: (typed: string) => string;
  readonly unseen: string;
  readonly several: (name: string) => string;
}

interface StatsWords {
  readonly title: string;
  readonly description: (wallets: string, average: string, badges: string) => string;
  readonly share: string;
  readonly scores: {
    readonly title: string;
    readonly about: string;
    readonly logarithmic: string;
    readonly range: string;
  };
  readonly over: (score: string) => string;
  readonly growth: {
    readonly title: string;
    readonly explained: string;
    /** Describes the plot. */
    readonly about: (from: string, first: string, until: string, last: string) => string;
    /** While newer data is being counted. */
    readonly behind: string;
    /** Above the names of days, weeks or months. */
    readonly by: string;
    readonly all: string;
  };
}

interface BadgeWords {
  readonly title: (name: string) => string;
  readonly description: (name: string, holders: string) => string;
  readonly kind: (rarity: string) => string;
  /** Alternative text of the picture in previews. */
  readonly alt: (name: string, rarity: string) => string;
  readonly holders: (count: number, shown: string) => string;
  readonly shareOf: (percent: string) => string;
  readonly newest: string;
  readonly none: string;
  readonly earned: string;
  readonly older: string;
  readonly newestFirst: string;
}

interface ShareWords {
  readonly title: string;
  readonly copyLink: string;
  readonly copied: string;
  /** Shown if copying isn't allowed. */
  readonly notCopied: string;
  readonly on: (site: string) => string;
  readonly invite: string;
  readonly inviteAbout: string;
  readonly add: (chat: string) => string;
}

/** A heading, and what stands below it. */
interface TitledWords {
  readonly title: string;
  readonly about: string;
}

interface LostWords {
  readonly wallet: TitledWords;
  readonly address: TitledWords;
  readonly name: TitledWords;
  readonly badge: TitledWords;
  readonly holders: TitledWords;
  readonly page: TitledWords;
  /** There’s no leaderboard of such a chain or period. */
  readonly board: TitledWords;
  /** There's nothing at this path. */
  readonly path: TitledWords;
  /** A damaged link, or one with unknown parameters. */
  readonly link: TitledWords;
  readonly longLink: TitledWords;
  /** For other methods than GET. */
  readonly method: TitledWords;
  /** The request's headers are too large. */
  readonly headers: TitledWords;
  /** Anything else that is the request's fault. */
  readonly refused: TitledWords;
  readonly tooMany: {
    readonly title: string;
    readonly about: (seconds: number, shown: string) => string;
  };
  readonly unavailable: TitledWords;
  /** The request's ID stands beside it. */
  readonly bug: TitledWords;
  readonly reload: string;
  readonly next: string;
}
