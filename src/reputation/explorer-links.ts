import type { ChainEvent } from './api-records.ts';

/** What an explorer has pages for. */
type ExplorerPage = 'transaction' | 'address' | 'proposal';

/** URL templates with `{transaction}`, `{address}`, or `{proposal}` and `{space}`. */
type Templates = Partial<Readonly<Record<ExplorerPage, string>>>;

/** By chain as in a rules file: `eip155:1`, `solana`, `algorand`, `snapshot`. */
export type Explorers = ReadonlyMap<string, Templates>;

/** Chain ids of https://chainlist.org whose explorers have Etherscan's pages. */
const LIKE_ETHERSCAN = {
  1: 'etherscan.io',
  10: 'optimistic.etherscan.io',
  56: 'bscscan.com',
  100: 'gnosisscan.io',
  137: 'polygonscan.com',
  8453: 'basescan.org',
  42161: 'arbiscan.io',
  43114: 'snowscan.xyz',
  59144: 'lineascan.build',
  534352: 'scrollscan.com',
  11155111: 'sepolia.etherscan.io',
} as const;

const DEFAULTS: Explorers = new Map<string, Templates>([
  ...Object.entries(LIKE_ETHERSCAN).map(([id, host]): [string, Templates] => [
    `eip155:${id}`,
    {
      transaction: `https://${host}/tx/{transaction}`,
      address: `https://${host}/address/{address}`,
    },
  ]),
  [
    'solana',
    {
      transaction: 'https://explorer.solana.com/tx/{transaction}',
      address: 'https://explorer.solana.com/address/{address}',
    },
  ],
  [
    'algorand',
    {
      transaction: 'https://allo.info/tx/{transaction}',
      address: 'https://allo.info/account/{address}',
    },
  ],
  [
    'snapshot',
    {
      address: 'https://snapshot.org/#/profile/{address}',
      proposal: 'https://snapshot.org/#/s:{space}/proposal/{proposal}',
    },
  ],
]);

/** Links to explorers' pages, by chain. */
export class ExplorerLinks {
  readonly #own: Explorers;

  /** @param own takes precedence over the built-in explorers */
  constructor(own: Explorers = new Map()) {
    this.#own = own;
  }

  /** @returns undefined if no explorer of the chain is known */
  transaction(chain: string, transaction: string): string | undefined {
    return this.#link(chain, 'transaction', { transaction });
  }

  /** @returns undefined if no explorer of the chain is known */
  address(chain: string, address: string): string | undefined {
    return this.#link(chain, 'address', { address });
  }

  /**
   * The page of a proposal, which also shows its votes: they have no pages of their own.
   * @returns undefined if the chain has no proposals
   */
  proposal(chain: string, space: string, proposal: string): string | undefined {
    return this.#link(chain, 'proposal', { space, proposal });
  }

  /** What an activity was given for. @returns undefined if there's no page of it */
  event({ chain, transaction, vote }: ChainEvent): string | undefined {
    return vote === undefined
      ? this.transaction(chain, transaction)
      : this.proposal(chain, vote.space, vote.proposal);
  }

  #link(
    chain: string,
    page: ExplorerPage,
    values: Readonly<Record<string, string>>,
  ): string | undefined {
    const template = this.#own.get(chain)?.[page] ?? DEFAULTS.get(chain)?.[page];
    return template?.replace(PLACEHOLDER, (_, name: string) =>
      encodeURIComponent((values[name] ?? '').toWellFormed()),
    );
  }
}

const PLACEHOLDER = /\{(\w+)\}/g;
/** Any EVM chain, and the others that have an explorer. */
const isChain = (name: string) => DEFAULTS.has(name) || /^eip155:[1-9]\d{0,17}$/.test(name);
const ADDRESS = /^https?:\/\/[^\s"'<>\\]{1,500}$/;
const NEEDED: Readonly<Record<ExplorerPage, readonly string[]>> = {
  transaction: ['transaction'],
  address: ['address'],
  proposal: ['proposal', 'space'],
};

/**
 * Parses explorers from a setting: `eip155:100=https://gnosis.blockscout.com/tx/{transaction}`,
 * separated by commas. The placeholders in braces say which page it is.
 * @throws Error that says what to write, as for other settings
 */
export function parseExplorers(text: string): Explorers {
  const explorers = new Map<string, Templates>();
  for (const part of text.split(',')) {
    const entry = part.trim();
    const at = entry.indexOf('=');
    const [chain, template] = [entry.slice(0, Math.max(0, at)), entry.slice(at + 1)];
    const names = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
    const page = PAGES.find((each) => names.includes(each));
    const isWhole =
      page !== undefined &&
      names.length === NEEDED[page].length &&
      NEEDED[page].every((name) => names.includes(name));
    if (!isChain(chain) || !ADDRESS.test(template) || !isWhole) {
      throw new Error(
        `must be chains with addresses of pages, such as eip155:1=https://etherscan.io/tx/{transaction}, with {transaction}, {address}, or {proposal} and {space}; "${entry.slice(0, 80)}" isn't`,
      );
    }
    // A host is the same in capital letters.
    const url = template.replace(/^\w+:\/\/[^/?#{]+/, (host) => host.toLowerCase());
    explorers.set(chain, { ...explorers.get(chain), [page]: url });
  }
  return explorers;
}

const PAGES: readonly ExplorerPage[] = ['transaction', 'address', 'proposal'];
