using System.Security.Claims;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET;

/// <summary>The identity of a peer that a web application authenticated: its user.</summary>
public sealed class CoapUserPeerIdentity : ICoapPeerIdentity
{
    /// <summary>Creates the identity of a user.</summary>
    /// <param name="user">The user.</param>
    public CoapUserPeerIdentity(ClaimsPrincipal user)
    {
        ArgumentNullException.ThrowIfNull(user);
        User = user;
        Id = CoapPeerId.OfUser(user);
    }

    /// <summary>The user.</summary>
    public ClaimsPrincipal User { get; }

    /// <inheritdoc/>
    public CoapPeerId? Id { get; }

    /// <summary>Whether the user is authenticated.</summary>
    public bool IsKnown => User.Identities.Any(static one => one.IsAuthenticated);

    /// <summary>Always null: a web application has checked it.</summary>
    public X509Certificate2? Certificate => null;

    /// <summary>Always null.</summary>
    public string? PskIdentity => null;

    /// <summary>Returns the name of the user, human-readable.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => User.Identity?.Name ?? Id?.ToString() ?? "user without a name";
}
