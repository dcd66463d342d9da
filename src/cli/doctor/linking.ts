import type { Config } from '#app/config';
import { messageOf } from '#core/errors';
import { type Finding, fail, ok, warn } from '#runtime/finding';

/** Whether members can link their wallets, and whom the proofs can be checked with. */
export async function checkLinking(config: Config): Promise<Finding[]> {
  if (config.platforms.every(({ start }) => start === undefined)) return [];
  return [checkPage(config), ...(await checkNodes(config))];
}

function checkPage({ publicUrl }: Config): Finding {
  if (publicUrl === undefined) {
    const text =
      'PUBLIC_URL is not set: the page that links wallets opens on this machine alone. Set it to the https address people reach this instance at.';
    return warn('linking', text);
  }
  if (new URL(publicUrl).pathname !== '/') {
    const text = `${publicUrl} has a path of its own, which the page that links wallets doesn't work below. Give Fathom a host of its own.`;
    return warn('linking', text);
  }
  if (publicUrl.startsWith('https:'))
    return ok('linking', `wallets are linked at ${publicUrl}/link`);
  const text = `${publicUrl} is not https: many wallets don't work on such a page. Put a proxy with a certificate in front.`;
  return warn('linking', text);
}

async function checkNodes(config: Config): Promise<Finding[]> {
  const missing = missingNodes(config);
  if (config.ethereumRpcUrl === undefined && config.algorandIndexerUrl === undefined) {
    return missing;
  }
  const { checkServices } = await import('#chains/proof/index');
  const results = await checkServices(config);
  const found = results.map(({ name, error }) =>
    error === undefined ? ok(name, 'answers') : fail(name, `can't be used. ${messageOf(error)}`),
  );
  return [...found, ...missing];
}

/** What members can't link, or can though they shouldn't, while there is nobody to ask. */
function missingNodes({ ethereumRpcUrl, algorandIndexerUrl }: Config): Finding[] {
  const findings: Finding[] = [];
  if (ethereumRpcUrl === undefined) {
    const text =
      "ETHEREUM_RPC_URL is not set: contract wallets such as Safe can't be linked. Set it to a node of Ethereum mainnet.";
    findings.push(warn('ethereum node', text));
  }
  if (algorandIndexerUrl === undefined) {
    const text =
      "ALGORAND_INDEXER_URL is not set: an Algorand account that was rekeyed still links with its old key, and can't link with its new one. Set it to an indexer or algod of mainnet.";
    findings.push(warn('algorand indexer', text));
  }
  return findings;
}
