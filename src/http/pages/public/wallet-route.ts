import { UserError } from '#base';
import type { VerifiedNames } from '#names';
import type { ReputationSource } from '#reputation';
import { ADDRESS_TEXT_MAX, type Wallet, type WalletParser } from '#wallet';
import { ownerOf } from './find-wallet.ts';
import { type PageReader, pathFor } from './reader.ts';
import type { PublicRoute, RouteAnswer } from './route.ts';
import { collectWallet, isPartial } from './wallet-data.ts';
import { type WalletPageOptions, walletPage } from './wallet-page.ts';

export interface WalletRouteOptions extends WalletPageOptions {
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  readonly names: VerifiedNames;
}

/** `/wallet/{address}` */
export function walletPageRoute(options: WalletRouteOptions): PublicRoute {
  const { source, wallets, names } = options;
  return {
    url: '/wallet/:address',
    answer(request, reader) {
      const { address: text = '' } = request.params as { address?: string };
      const wallet = readWalletOf(text, source, wallets);
      const shown = text.slice(0, ADDRESS_TEXT_MAX);
      if (wallet === undefined && names.hasForm(text)) return ofName(text, reader);
      if (wallet === undefined) {
        return { key: `/wallet ${shown}`, make: () => ({ lost: 'address', status: 400, shown }) };
      }
      return {
        key: `/wallet/${wallet.address}`,
        async make() {
          const data = await collectWallet(source, wallet, reader.words.language);
          if (data === undefined) return { lost: 'wallet', status: 404, shown: wallet.address };
          const page = await walletPage(data, reader, options);
          return { page, isPartial: isPartial(data) };
        },
      };
    },
  };

  /** Redirects to the address, since a name may change hands. */
  async function ofName(name: string, reader: PageReader): Promise<RouteAnswer> {
    const wallet = await ownerOf(name, names);
    if (wallet === undefined) {
      const lost = { lost: 'name', status: 404, shown: name.slice(0, ADDRESS_TEXT_MAX) } as const;
      return { key: `/wallet ${name}`, make: () => lost };
    }
    return { redirect: pathFor(reader, `/wallet/${wallet.address}`) };
  }
}

/** The wallet of an address; undefined if it isn't one. */
function readWalletOf(
  text: string,
  source: ReputationSource,
  wallets: WalletParser,
): Wallet | undefined {
  try {
    return source.recognise(text) ?? wallets.parse(text);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
