// SPDX-License-Identifier: MIT
pragma solidity ^0.8.27;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// The events of Compound's GovernorBravo, whose proposals are numbered from 1.
contract Bravo {
    event ProposalCreated(uint id, address proposer, address[] targets, uint[] values, string[] signatures, bytes[] calldatas, uint startBlock, uint endBlock, string description);
    event VoteCast(address indexed voter, uint proposalId, uint8 support, uint votes, string reason);

    uint public proposalCount;

    function propose(string memory description) external {
        proposalCount += 1;
        emit ProposalCreated(proposalCount, msg.sender, new address[](1), new uint[](1), new string[](1), new bytes[](1), block.number, block.number + 9, description);
    }

    function castVote(uint proposalId, uint8 support) external {
        emit VoteCast(msg.sender, proposalId, support, 7, "");
    }
}

/// Its own token stands for shares of its liquidity, as in Uniswap v2.
contract Pair is ERC20 {
    constructor() ERC20("Uniswap V2", "UNI-V2") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// Takes the shares that were sent to it.
    function burn() external {
        _burn(address(this), balanceOf(address(this)));
    }
}

/// The events of Synthetix' StakingRewards.
contract StakingRewards {
    event Staked(address indexed user, uint256 amount);
    event Withdrawn(address indexed user, uint256 amount);

    function stake(uint256 amount) external {
        emit Staked(msg.sender, amount);
    }

    function withdraw(uint256 amount) external {
        emit Withdrawn(msg.sender, amount);
    }
}

/// The event of Gitcoin's BulkCheckout.
contract Checkout {
    event DonationSent(address indexed token, uint256 indexed amount, address dest, address indexed donor);

    function donate(address token, uint256 amount, address dest) external {
        emit DonationSent(token, amount, dest, msg.sender);
    }
}

/// The event of the Ethereum Attestation Service.
contract Attestations {
    event Attested(address indexed recipient, address indexed attester, bytes32 uid, bytes32 indexed schemaUID);

    function attest(address recipient, bytes32 schema) external {
        emit Attested(recipient, msg.sender, keccak256(abi.encode(recipient, block.number)), schema);
    }
}

/// An ERC-721 collection: of POAPs, of names, or any other.
contract Collection is ERC721 {
    constructor() ERC721("Collection", "C") {}

    function mint(address to, uint256 tokenId) external {
        _mint(to, tokenId);
    }
}
