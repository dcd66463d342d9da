// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// What wallets delegate to others, with the interface of delegate.xyz's registry v2.
contract Delegations {
    enum DelegationType { NONE, ALL, CONTRACT, ERC721, ERC20, ERC1155 }

    struct Delegation {
        DelegationType type_;
        address to;
        address from;
        bytes32 rights;
        address contract_;
        uint256 tokenId;
        uint256 amount;
    }

    Delegation[] private made;
    mapping(bytes32 => uint256) private placeOf;

    function delegateAll(address to, bytes32 rights, bool enable) external payable returns (bytes32) {
        return put(Delegation(DelegationType.ALL, to, msg.sender, rights, address(0), 0, 0), enable);
    }

    function delegateContract(address to, address contract_, bytes32 rights, bool enable) external payable returns (bytes32) {
        return put(Delegation(DelegationType.CONTRACT, to, msg.sender, rights, contract_, 0, 0), enable);
    }

    function delegateERC721(address to, address contract_, uint256 tokenId, bytes32 rights, bool enable) external payable returns (bytes32) {
        return put(Delegation(DelegationType.ERC721, to, msg.sender, rights, contract_, tokenId, 0), enable);
    }

    function put(Delegation memory given, bool enable) private returns (bytes32 key) {
        DelegationType kept = given.type_;
        key = keccak256(abi.encode(given));
        if (placeOf[key] == 0) {
            made.push(given);
            placeOf[key] = made.length;
        }
        made[placeOf[key] - 1].type_ = enable ? kept : DelegationType.NONE;
    }

    function getIncomingDelegations(address to) external view returns (Delegation[] memory found) {
        uint256 count;
        Delegation[] memory all = new Delegation[](made.length);
        for (uint256 i = 0; i < made.length; ++i) {
            if (made[i].to == to && made[i].type_ != DelegationType.NONE) all[count++] = made[i];
        }
        found = new Delegation[](count);
        for (uint256 i = 0; i < count; ++i) found[i] = all[i];
    }

    function checkDelegateForAll(address to, address from, bytes32 rights) external view returns (bool) {
        return isAll(to, from, "") || (rights != "" && isAll(to, from, rights));
    }

    function isAll(address to, address from, bytes32 rights) private view returns (bool) {
        bytes32 key = keccak256(abi.encode(Delegation(DelegationType.ALL, to, from, rights, address(0), 0, 0)));
        return placeOf[key] != 0 && made[placeOf[key] - 1].type_ == DelegationType.ALL;
    }
}
