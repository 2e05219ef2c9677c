using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET;

/// <summary>The identity of a peer that an application or a lower layer knows by a name, such as a modem by its number.</summary>
public sealed class CoapNamedPeerIdentity : ICoapPeerIdentity
{
    /// <summary>Creates the identity of a peer.</summary>
    /// <param name="name">The name, which belongs to this peer only.</param>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    public CoapNamedPeerIdentity(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        Name = name;
        Id = new CoapPeerId(CoapPeerId.NameMethod, name);
    }

    /// <summary>The name.</summary>
    public string Name { get; }

    /// <inheritdoc/>
    public CoapPeerId Id { get; }

    /// <summary>Always true: the application vouches for the name.</summary>
    public bool IsKnown => true;

    /// <summary>Always null.</summary>
    public X509Certificate2? Certificate => null;

    /// <summary>Always null.</summary>
    public string? PskIdentity => null;

    /// <summary>Returns the name.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Name;
}
