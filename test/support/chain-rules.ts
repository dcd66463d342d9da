import { ETH_B } from './ledger.ts';

const CONTRACT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** Rules over votes and holdings on a chain named `eth`, and over imported events. */
export const CHAIN_RULES = `fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - id: vote
    on: {source: eth, contract: ${CONTRACT}, event: "VoteCast(address indexed voter, uint256 proposalId, uint256 weight)", since: 100}
    wallet: voter
    where: {weight: {gte: 10}}
    once: proposalId
    give: {type: vote, points: 50, cap: 120 ever, text: "Voted on {proposalId}"}
  - id: lp
    hold: {source: eth, erc20: ${CONTRACT}, min: 100, except: ["${ETH_B.address}"], since: 100}
    give: {type: holding, points: 3}
  - id: workshop
    on: {import: workshop_attended}
    give: {type: event_attended, points: 5}
badges:
  - {id: voter, name: Voter, description: Two votes, tier: Epic, imageUrl: "https://example.org/s.png", soulbound: true, need: {type: vote, count: 2}}
discounts:
  - {id: young, first_seen_within: 2d, factor: 500}
`;
