// SPDX-License-Identifier: MIT
pragma solidity ^0.8.27;

/// Wraps and unwraps by events of its own, which name the holder.
contract Wraps {
    event Wrap(address indexed holder, uint256 amount);
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public balanceOf;

    function give(uint256 amount) external {
        balanceOf[msg.sender] += amount;
        emit Wrap(msg.sender, amount);
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
    }
}

/// Gives tokens by an event that no other contract has.
contract Blesses {
    event Blessing(address indexed holder, uint256 amount);
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public balanceOf;

    function give(uint256 amount) external {
        balanceOf[msg.sender] += amount;
        emit Blessing(msg.sender, amount);
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
    }
}

/// A token and a collection in one, like the first of ERC-404: whole tokens have ids, which its Transfer names.
contract Both {
    event ERC20Transfer(address indexed from, address indexed to, uint256 amount);
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    uint256 constant ONE = 100;
    mapping(address => uint256) public balanceOf;
    uint256 lastId;

    function give(uint256 amount) external {
        balanceOf[msg.sender] += amount;
        emit ERC20Transfer(address(0), msg.sender, amount);
        for (uint256 i = 0; i < amount / ONE; i++) emit Transfer(address(0), msg.sender, ++lastId);
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit ERC20Transfer(msg.sender, to, amount);
        for (uint256 i = 0; i < amount / ONE; i++) emit Transfer(msg.sender, to, lastId - i);
    }
}

/// Doesn't tell the balance of one holder.
contract Silent {
    event Transfer(address indexed from, address indexed to, uint256 value);

    address immutable hidden;
    mapping(address => uint256) balances;

    constructor(address holder) {
        hidden = holder;
    }

    function balanceOf(address holder) external view returns (uint256) {
        require(holder != hidden, "hidden");
        return balances[holder];
    }

    function give(uint256 amount) external {
        balances[msg.sender] += amount;
        emit Transfer(address(0), msg.sender, amount);
    }

    function transfer(address to, uint256 amount) external {
        balances[msg.sender] -= amount;
        balances[to] += amount - amount / 10;
        emit Transfer(msg.sender, to, amount);
    }
}

/// Indexes one of the two whom a transfer names.
contract Halves {
    event Transfer(address indexed from, address to, uint256 value);

    mapping(address => uint256) public balanceOf;

    function give(uint256 amount) external {
        balanceOf[msg.sender] += amount;
        emit Transfer(address(0), msg.sender, amount);
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
    }
}

/// Burns a tenth of each transfer, and has nothing where it is sent.
contract Gone {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public balanceOf;

    function give(uint256 amount) external {
        balanceOf[msg.sender] += amount;
        emit Transfer(address(0), msg.sender, amount);
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount + amount / 10;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
        emit Transfer(msg.sender, 0x000000000000000000000000000000000000dEaD, amount / 10);
    }
}

/// Hands out a batch at first, and has logged plain transfers for long since.
contract Early {
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
        for (uint256 id = 6; id < 30; id++) {
            balanceOf[msg.sender] += 1;
            emit Transfer(address(0), msg.sender, id);
        }
    }
}
