// SPDX-License-Identifier: MIT
pragma solidity ^0.8.27;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {BeaconProxy} from "@openzeppelin/contracts/proxy/beacon/BeaconProxy.sol";
import {UpgradeableBeacon} from "@openzeppelin/contracts/proxy/beacon/UpgradeableBeacon.sol";

/// Makes a proxy of each kind, and says so.
contract Factory {
    event Made(address indexed proxy);

    function clone(address target) external {
        emit Made(Clones.clone(target));
    }

    function proxy(address target) external {
        emit Made(address(new Upgradeable(target)));
    }

    function beacon(address target) external {
        UpgradeableBeacon named = new UpgradeableBeacon(target, msg.sender);
        emit Made(address(new BeaconProxy(address(named), "")));
    }

    function older(address target) external {
        emit Made(address(new Older(target)));
    }

    function facets(address target) external {
        emit Made(address(new Facets(target)));
    }
}

contract Upgradeable is ERC1967Proxy {
    constructor(address target) ERC1967Proxy(target, "") {}

    function _unsafeAllowUninitialized() internal pure override returns (bool) {
        return true;
    }
}

/// Keeps its contract where proxies did before EIP-1967, as USDC's does.
contract Older {
    bytes32 constant SLOT = keccak256("org.zeppelinos.proxy.implementation");

    constructor(address target) {
        bytes32 slot = SLOT;
        assembly {
            sstore(slot, target)
        }
    }

    fallback() external payable {
        bytes32 slot = SLOT;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let isDone := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch isDone
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

/// Keeps a contract for each function, as EIP-2535's diamonds do.
contract Facets {
    mapping(bytes4 => address) facets;
    address other;

    constructor(address target) {
        other = target;
    }

    fallback() external payable {
        address facet = facets[msg.sig];
        if (facet == address(0)) facet = other;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let isDone := delegatecall(gas(), facet, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch isDone
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}
