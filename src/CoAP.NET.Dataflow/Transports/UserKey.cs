using System.Security.Claims;
using System.Security.Principal;

namespace CoAP.NET.Transports;

/// <summary>A user by value: each connection has its own principal object, which compares by reference.</summary>
/// <param name="Issuer">The issuer; identifiers are unique for one issuer only.</param>
/// <param name="Id">The identifier or the name.</param>
internal sealed record UserKey(string Issuer, string Id)
{
    // Its name when claims keep the names of their token (RFC 7519 section 4.1.2).
    private const string Subject = "sub";

    /// <summary>Returns the key of the first authenticated identity with an identifier or a name; null for none.</summary>
    public static UserKey? Of(ClaimsPrincipal user) => user.Identities.Select(Of).FirstOrDefault(static key => key is not null);

    /// <summary>Returns the key of an identity; null when it is not authenticated, or has neither identifier nor name.</summary>
    public static UserKey? Of(IIdentity? identity)
    {
        if (identity is not { IsAuthenticated: true })
        {
            return null;
        }

        if (identity is ClaimsIdentity claims)
        {
            Claim? claim = claims.FindFirst(ClaimTypes.NameIdentifier) ?? claims.FindFirst(Subject)
                ?? claims.FindFirst(claims.NameClaimType);
            return claim is { Value.Length: > 0 } ? new UserKey(claim.Issuer, claim.Value) : null;
        }

        return string.IsNullOrEmpty(identity.Name) ? null : new UserKey(identity.AuthenticationType ?? "", identity.Name);
    }
}
