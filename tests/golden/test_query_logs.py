"""Query logs: shares of queries, who gets which, profiles of a user, and what hashes stand for."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from sfumato.transactions.attacks.token_hash_attack import TokenHashAttack, inseparable, token_frequencies
from sfumato.transactions.query_log import QueryLog
from sfumato.transactions.recodings.split_personality import SplitPersonality
from sfumato.transactions.shares import additive_secret, additive_shares, buckets_of, decodable_after, first_users


def test_additive_shares(golden: Callable[..., Any]) -> None:
    with golden("06-secret-sharing-1") as file:
        secret, modulus = file.input["secret"], file.input["modulus"]
        shares = additive_shares(secret, modulus, file.input["random_shares"])
        assert len(shares) == file.input["k"]
        file.compare(shares[-1], "last_share")
        file.compare(additive_secret(shares, modulus), "decoded")
        two = any(additive_secret(pair, modulus) == secret for pair in combinations(shares, 2))
        file.compare(two, "any_two_shares_decode")


def test_buckets(golden: Callable[..., Any]) -> None:
    with golden("06-secret-sharing-2") as file:
        users, k = file.input["users_in_order"], file.input["k"]
        buckets = buckets_of(users, k, hash)
        file.compare(buckets, "buckets")
        file.compare(decodable_after(buckets, k), "decodable_after_users")
        file.compare(decodable_after(first_users(users, k), k), "decodable_after_users_with_first_k_users_rule")
        file.compare(len(set(users)), "distinct_users")


def test_profiles(golden: Callable[..., Any]) -> None:
    with golden("06-split-personality-1") as file:
        asked = file.input
        assert asked["linkage"] == "single"
        operation = SplitPersonality(threshold=asked["threshold"], similarity=asked["similarity"])
        profiles = operation.profiles(asked["queries"])
        file.compare([list(one) for one in profiles], "profiles")
        file.compare(len(profiles), "number_of_profiles")
        log = QueryLog.of([(asked["user"], " ".join(query)) for query in asked["queries"]])
        names = {query: name for name, query in operation.split(log, np.random.default_rng(0)).rows}
        own = [{names[" ".join(asked["queries"][at])] for at in one} for one in profiles]
        file.compare(all(len(one) == 1 for one in own) and not own[0] & own[1], "pseudonyms_distinct")


def test_hashes_are_read(golden: Callable[..., Any]) -> None:
    with golden("06-token-hash-attack-1") as file:
        plain, hashed = file.input["reference_log"], file.input["hashed_log"]
        file.compare(token_frequencies(plain), "token_frequency")
        file.compare(inseparable(plain), "tokens_not_separable_by_frequency_alone")
        found = TokenHashAttack().invert(hashed, plain)
        file.compare(dict(found.mapping), "recovered_mapping")
        assert found.exact
        file.compare(found.unique, "mapping_is_unique_optimum")
