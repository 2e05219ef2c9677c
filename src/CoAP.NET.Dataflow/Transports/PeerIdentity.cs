using System.Security.Claims;
using System.Security.Principal;

namespace CoAP.NET.Transports;

/// <summary>
/// Reads identities of peers, whatever type they have: those of transports, of web applications and of transports of others.
/// </summary>
internal static class PeerIdentity
{
    /// <summary>
    /// Whether an identity says who the peer is. An object alone does not: a peer without credentials of its own has one that is not known,
    /// and a user who has not logged in is a principal too.
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

    /// <summary>
    /// What an identity that says who the peer is counts by: equal for the same peer, over however many connections; null for one that says
    /// nothing.
    /// </summary>
    public static object? KeyOf(object? identity) => !IsKnown(identity) ? null : identity switch
    {
        ClaimsPrincipal user => UserKey.Of(user),
        IPrincipal user => UserKey.Of(user.Identity),
        IIdentity user => UserKey.Of(user),
        _ => identity,
    };
}
