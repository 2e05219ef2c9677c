using System.Security.Claims;
using System.Security.Principal;

namespace CoAP.NET.Identity;

/// <summary>
/// Evaluates identities of peers of any type: those of the library's transports, of web applications and of other transports.
/// </summary>
internal static class AuthenticatedIdentityCheck
{
    /// <summary>
    /// Whether an identity identifies the peer. Its existence is not enough: a peer without credentials of its own has an unknown one, and
    /// a user who has not logged in is a principal too.
    /// </summary>
    public static bool IsKnown(object? identity) => identity switch
    {
        null => false,
        ICoapPeerIdentity transport => transport.IsKnown,
        ClaimsPrincipal user => user.Identities.Any(static one => one.IsAuthenticated),
        IPrincipal user => user.Identity is { IsAuthenticated: true },
        IIdentity user => user.IsAuthenticated,
        _ => true,
    };
}
