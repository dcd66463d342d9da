// SPDX-License-Identifier: MIT
pragma solidity ^0.8.27;

/// Logs no Transfer as it wraps and unwraps, like the wrapped ether of most chains.
contract Wrapped {
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);
    event Transfer(address indexed src, address indexed dst, uint256 wad);

    mapping(address => uint256) public balanceOf;

    function deposit() external payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 wad) external {
        balanceOf[msg.sender] -= wad;
        payable(msg.sender).transfer(wad);
        emit Withdrawal(msg.sender, wad);
    }

    function transfer(address dst, uint256 wad) external {
        balanceOf[msg.sender] -= wad;
        balanceOf[dst] += wad;
        emit Transfer(msg.sender, dst, wad);
    }
}

/// Its constructor gives all of it to the one who deploys it, without an event.
contract Given {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public balanceOf;

    constructor() {
        balanceOf[msg.sender] = 1000;
    }

    function transfer(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }
}

/// Mints a batch in its constructor, as ERC-2309 allows.
contract Batch {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event ConsecutiveTransfer(
        uint256 indexed fromTokenId,
        uint256 toTokenId,
        address indexed fromAddress,
        address indexed toAddress
    );

    mapping(address => uint256) public balanceOf;

    constructor() {
        balanceOf[msg.sender] = 5;
        emit ConsecutiveTransfer(1, 5, address(0), msg.sender);
    }

    function transfer(address to, uint256 tokenId) external {
        balanceOf[msg.sender] -= 1;
        balanceOf[to] += 1;
        emit Transfer(msg.sender, to, tokenId);
    }
}

/// A collection from before ERC-721 was final, whose Transfer indexes nothing.
contract Kitties {
    event Transfer(address from, address to, uint256 tokenId);

    mapping(address => uint256) public balanceOf;

    function mint(uint256 tokenId) external {
        balanceOf[msg.sender] += 1;
        emit Transfer(address(0), msg.sender, tokenId);
    }

    function transfer(address to, uint256 tokenId) external {
        balanceOf[msg.sender] -= 1;
        balanceOf[to] += 1;
        emit Transfer(msg.sender, to, tokenId);
    }
}

/// Keeps shares of a pool, so that balances change as the pool does, as with Lido's stETH.
contract Shares {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public sharesOf;
    uint256 totalShares;
    uint256 pool;

    function balanceOf(address account) public view returns (uint256) {
        return totalShares == 0 ? 0 : (sharesOf[account] * pool) / totalShares;
    }

    function mint(uint256 value) external {
        uint256 shares = totalShares == 0 ? value : (value * totalShares) / pool;
        sharesOf[msg.sender] += shares;
        totalShares += shares;
        pool += value;
        emit Transfer(address(0), msg.sender, value);
    }

    function transfer(address to, uint256 value) external {
        uint256 shares = (value * totalShares) / pool;
        sharesOf[msg.sender] -= shares;
        sharesOf[to] += shares;
        emit Transfer(msg.sender, to, value);
    }

    /// Balances become this many percent.
    function rebase(uint256 percent) external {
        pool = (pool * percent) / 100;
    }
}

/// Takes a tenth of each transfer, and logs the whole of it.
contract Taxed {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public balanceOf;

    function mint(uint256 value) external {
        balanceOf[msg.sender] += value;
        emit Transfer(address(0), msg.sender, value);
    }

    function transfer(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value - value / 10;
        emit Transfer(msg.sender, to, value);
    }
}

/// Hands out its punks with an event of its own; as a bid is accepted, PunkBought names nobody, since it reads the bid
/// that was deleted just before. So does the contract of CryptoPunks.
contract Punks {
    event Assign(address indexed to, uint256 punkIndex);
    event Transfer(address indexed from, address indexed to, uint256 value);
    event PunkTransfer(address indexed from, address indexed to, uint256 punkIndex);
    event PunkBought(
        uint256 indexed punkIndex,
        uint256 value,
        address indexed fromAddress,
        address indexed toAddress
    );

    struct Bid {
        address bidder;
        uint256 value;
    }

    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public punkIndexToAddress;
    mapping(uint256 => Bid) public punkBids;

    function getPunk(uint256 punkIndex) external {
        require(punkIndexToAddress[punkIndex] == address(0));
        punkIndexToAddress[punkIndex] = msg.sender;
        balanceOf[msg.sender]++;
        emit Assign(msg.sender, punkIndex);
    }

    function transferPunk(address to, uint256 punkIndex) external {
        require(punkIndexToAddress[punkIndex] == msg.sender);
        punkIndexToAddress[punkIndex] = to;
        balanceOf[msg.sender]--;
        balanceOf[to]++;
        emit Transfer(msg.sender, to, 1);
        emit PunkTransfer(msg.sender, to, punkIndex);
    }

    function enterBidForPunk(uint256 punkIndex) external payable {
        punkBids[punkIndex] = Bid(msg.sender, msg.value);
    }

    function acceptBidForPunk(uint256 punkIndex) external {
        require(punkIndexToAddress[punkIndex] == msg.sender);
        Bid storage bid = punkBids[punkIndex];
        punkIndexToAddress[punkIndex] = bid.bidder;
        balanceOf[msg.sender]--;
        balanceOf[bid.bidder]++;
        emit Transfer(msg.sender, bid.bidder, 1);
        delete punkBids[punkIndex];
        emit PunkBought(punkIndex, bid.value, msg.sender, bid.bidder);
    }
}

/// Logs a transfer as it wraps and unwraps, and Deposit and Withdrawal beside it.
contract Beside {
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);
    event Transfer(address indexed src, address indexed dst, uint256 wad);

    mapping(address => uint256) public balanceOf;

    function deposit() external payable {
        balanceOf[msg.sender] += msg.value;
        emit Transfer(address(0), msg.sender, msg.value);
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 wad) external {
        balanceOf[msg.sender] -= wad;
        payable(msg.sender).transfer(wad);
        emit Transfer(msg.sender, address(0), wad);
        emit Withdrawal(msg.sender, wad);
    }
}

/// Issues and redeems tokens of its owner by events that don't name them, as USDT does.
contract Issued {
    event Issue(uint256 amount);
    event Redeem(uint256 amount);
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public balanceOf;
    address owner = msg.sender;

    function issue(uint256 amount) external {
        balanceOf[owner] += amount;
        emit Issue(amount);
    }

    function redeem(uint256 amount) external {
        balanceOf[owner] -= amount;
        emit Redeem(amount);
    }

    function transfer(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }
}
