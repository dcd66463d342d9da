// SPDX-License-Identifier: MIT
pragma solidity ^0.8.27;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {Governor} from "@openzeppelin/contracts/governance/Governor.sol";
import {GovernorCountingSimple} from "@openzeppelin/contracts/governance/extensions/GovernorCountingSimple.sol";
import {GovernorVotes} from "@openzeppelin/contracts/governance/extensions/GovernorVotes.sol";
import {IVotes} from "@openzeppelin/contracts/governance/utils/IVotes.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";

/// A token that votes.
contract ReefToken is ERC20, ERC20Permit, ERC20Votes {
    constructor() ERC20("Reef", "REEF") ERC20Permit("Reef") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function burn(uint256 amount) external {
        _burn(msg.sender, amount);
    }

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Votes) {
        super._update(from, to, value);
    }

    function nonces(address owner) public view override(ERC20Permit, Nonces) returns (uint256) {
        return super.nonces(owner);
    }
}

/// Its balances grow without a Transfer, as those of rebasing tokens do.
contract RebasingToken is ERC20 {
    constructor() ERC20("Tide", "TIDE") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function balanceOf(address account) public view override returns (uint256) {
        return super.balanceOf(account) * 2;
    }
}

contract ReefGovernor is Governor, GovernorCountingSimple, GovernorVotes {
    constructor(IVotes token) Governor("Reef") GovernorVotes(token) {}

    function votingDelay() public pure override returns (uint256) {
        return 1;
    }

    function votingPeriod() public pure override returns (uint256) {
        return 10_000;
    }

    function quorum(uint256) public pure override returns (uint256) {
        return 1;
    }
}

contract Corals is ERC721 {
    constructor() ERC721("Corals", "CORAL") {}

    function mint(address to, uint256 tokenId) external {
        _mint(to, tokenId);
    }
}

contract Shells is ERC1155 {
    constructor() ERC1155("") {}

    function mint(address to, uint256[] calldata ids, uint256[] calldata amounts) external {
        _mintBatch(to, ids, amounts, "");
    }
}

/// Holds what it's given, and says so by events alone.
contract Staking {
    event Staked(address indexed account, uint256 amount);
    event Unstaked(address indexed account, uint256 amount);

    mapping(address account => uint256) public balanceOf;

    function stake(uint256 amount) external {
        balanceOf[msg.sender] += amount;
        emit Staked(msg.sender, amount);
    }

    function unstake(uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        emit Unstaked(msg.sender, amount);
    }
}
