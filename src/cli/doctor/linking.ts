import type { Config } from '#app';
import { type CheckFinding, fail, messageOf, ok, warn } from '#base';

/** Whether members can link wallets, and which nodes can verify their proofs. */
export async function checkLinking(config: Config): Promise<CheckFinding[]> {
  if (config.platforms.every(({ start }) => start === undefined)) return [];
  return [checkPage(config), ...(await checkNodes(config))];
}

function checkPage({ publicUrl }: Config): CheckFinding {
  if (publicUrl === undefined) {
    const text =
      'PUBLIC_URL is not set: the linking page opens on this machine only. Set it to the https address of this instance.';
    return warn('linking', text);
  }
  if (new URL(publicUrl).pathname !== '/') {
    const text = `${publicUrl} has a path, and the linking page only works at the root of a host. Give Fathom its own host.`;
    return warn('linking', text);
  }
  if (publicUrl.startsWith('https:'))
    return ok('linking', `wallets are linked at ${publicUrl}/link`);
  const text = `${publicUrl} is not https, and many wallets refuse such a page. Put a proxy with a certificate in front.`;
  return warn('linking', text);
}

async function checkNodes(config: Config): Promise<CheckFinding[]> {
  const missing = missingNodes(config);
  if (config.ethereumRpcUrl === undefined && config.algorandIndexerUrl === undefined) {
    return missing;
  }
  const { checkServices } = await import('#linking/proofs');
  const results = await checkServices(config);
  const found = results.map(({ name, error }) =>
    error === undefined ? ok(name, 'answers') : fail(name, `can't be used. ${messageOf(error)}`),
  );
  return [...found, ...missing];
}

/** Which wallets can't be linked, or could be linked wrongly, without a node. */
function missingNodes({ ethereumRpcUrl, algorandIndexerUrl }: Config): CheckFinding[] {
  const findings: CheckFinding[] = [];
  if (ethereumRpcUrl === undefined) {
    const text =
      "ETHEREUM_RPC_URL is not set: contract wallets such as Safe can't be linked. Set it to an Ethereum mainnet node.";
    findings.push(warn('ethereum node', text));
  }
  if (algorandIndexerUrl === undefined) {
    const text =
      "ALGORAND_INDEXER_URL is not set: a rekeyed Algorand account still links with its old key and can't link with its new one. Set it to a mainnet indexer or algod.";
    findings.push(warn('algorand indexer', text));
  }
  return findings;
}
