import type { Reef } from './reef.ts';

const ZERO = `0x${'0'.repeat(40)}`;

/** A rule of each kind that chains with Ethereum's events have. @param nodes names of variables */
export function rulesOf({ contracts }: Reef, nodes = 'NODE'): string {
  const { token, governor, corals, shells, staking, tide } = contracts;
  return `fathom: 1
name: reef
version: 1
sources:
  eth: {chain: "eip155:31337", rpc: [${nodes}]}
rules:
  - id: vote
    on: {source: eth, contract: ${governor}, event: "VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)", since: 0}
    wallet: voter
    where: {weight: {gte: 1000000000000000000}}
    once: proposalId
    give: {type: governance_vote, points: 50, text: "Voted: {reason}"}
  - id: mint
    on: {source: eth, contract: ${corals}, event: "Transfer(address indexed from, address indexed to, uint256 indexed tokenId)", since: 0}
    wallet: to
    where: {from: {eq: "${ZERO}"}}
    give: {type: nft_mint, points: 30, cap: 30 ever, badge: coral}
  - id: reef
    hold: {source: eth, erc20: ${token}, min: 10000000000000000000, since: 0}
    give: {type: reef_day, points: 3}
  - id: corals
    hold: {source: eth, erc721: ${corals}, min: 2, since: 0}
    give: {type: coral_day, points: 5}
  - id: shells
    hold: {source: eth, erc1155: ${shells}, token: 7, min: 3, since: 0}
    give: {type: shell_day, points: 7}
  - id: stake
    hold:
      source: eth
      contract: ${staking}
      plus: {event: "Staked(address indexed account, uint256 amount)", wallet: account, amount: amount}
      minus: {event: "Unstaked(address indexed account, uint256 amount)", wallet: account, amount: amount}
      min: 5
      since: 0
    give: {type: stake_day, points: 11}
  - id: tide
    hold: {source: eth, erc20: ${tide}, min: 1, since: 0}
    give: {type: tide_day, points: 1000}
badges:
  - {id: coral, name: Coral, description: Minted one, tier: Rare, imageUrl: "https://example.org/c.png", soulbound: true}
`;
}
