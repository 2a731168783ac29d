"""Which names are those of secrets."""

import pytest

from mediacrawl.site_adapters.har.secrets import SECRET_KINDS, header_kind, secret_kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("token", "token"),
        ("access_token", "token"),
        ("accessToken", "token"),
        ("accesstoken", "token"),
        ("_token", "token"),
        ("token2", "token"),
        ("auth", "authorization"),
        ("auth_key", "authorization"),
        ("session", "session"),
        ("sid", "session"),
        ("userSID", "session"),
        ("PHPSESSID", "session"),
        ("JSESSIONID", "session"),
        ("session_id", "session"),
        ("jwt", "jwt"),
        ("user-jwt", "jwt"),
        ("password", "password"),
        ("user[password]", "password"),
        ("newPassword", "password"),
        ("pwd", "password"),
        ("client_secret", "password"),
        ("api_key", "api_key"),
        ("apiKey", "api_key"),
        ("X-API-Key", "api_key"),
        ("signature", "signature"),
        ("X-Amz-Signature", "signature"),
        ("X-Amz-Credential", "authorization"),
        ("X-Amz-Security-Token", "token"),
        ("sig", "signature"),
        ("hdnts", "signature"),
        ("csrf-token", "csrf"),
        ("csrfmiddlewaretoken", "csrf"),
        ("__RequestVerificationToken", "csrf"),
        ("authenticity_token", "csrf"),
        ("_wpnonce", "csrf"),
    ],
)
def test_names_of_secrets_are_known_in_each_spelling(name, kind):
    assert secret_kind(name) == kind
    assert kind in SECRET_KINDS


@pytest.mark.parametrize(
    "name",
    [
        *("id", "v", "key", "hash", "video_id", "uuid", "nonce", "code", "state", "expires", "client_id", ""),
        # Whole words only.
        *("author", "authors", "inside", "reside", "design", "assign", "sessions", "tokens", "compass", "resid"),
        # What tells about a secret is none.
        *("token_type", "auth_url", "requires_auth", "passwordHint", "session_count", "signatures", "csrf_header_name"),
        # Places in a list.
        *("pageToken", "next_page_token", "nextPageToken", "continuationToken", "syncToken"),
        "x" * 101 + "token",
    ],
)
def test_other_names_are_left_alone(name):
    assert secret_kind(name) == ""


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Cookie", "cookie"),
        ("set-cookie", "cookie"),
        ("AUTHORIZATION", "authorization"),
        ("Proxy-Authorization", "authorization"),
        ("X-CSRF-Token", "csrf"),
        ("X-CSRFToken", "csrf"),
        ("X-XSRF-TOKEN", "csrf"),
        ("X-CSRF", "csrf"),
        ("x-api-key", "api_key"),
        ("X-Auth-Token", "token"),
        ("X-Access-Token", "token"),
        ("x-session-id", "session"),
        ("x-auth", "authorization"),
        ("Ocp-Apim-Subscription-Key", "api_key"),
        ("accept", ""),
        ("referer", ""),
        ("x-requested-with", ""),
        ("x-request-id", ""),
        ("sec-websocket-key", ""),
        ("if-none-match", ""),
    ],
)
def test_headers_of_secrets_are_known_in_each_case(name, kind):
    assert header_kind(name) == kind
