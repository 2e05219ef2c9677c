using System.Text;
using CoAP.NET.Cryptography;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Serving;

/// <summary>The sender of a request, as a directory remembers it (RFC 9176 section 7.5).</summary>
/// <param name="Owner">The remembered identity.</param>
/// <param name="IsSecured">Whether it was authenticated.</param>
/// <param name="Base">Its address as a base; empty on connections because a peer's port is not reachable.</param>
/// <param name="LinkTag">Its network link; 0 for an unknown one.</param>
internal sealed record RegistrantIdentity(DirectoryOwner Owner, bool IsSecured, byte[] Base, ulong LinkTag)
{
    private const int DefaultPort = 5683;
    private const int DefaultSecuredPort = 5684;

    /// <summary>Identifies a peer.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="channel">Its channel.</param>
    /// <param name="identityOf">Names peers; null for none.</param>
    /// <param name="node">The hash of the node because links of two hosts differ.</param>
    public static RegistrantIdentity Of(CoapPeer peer, CoapChannel channel, Func<CoapPeer, string?>? identityOf, ulong node)
    {
        CoapPeerId? id = identityOf?.Invoke(peer) is { } given ? new CoapPeerId(CoapPeerId.NameMethod, given) : peer.Id;
        CoapAddress address = peer.Address;
        Span<byte> hash = stackalloc byte[Sha256.HashLength];

        // No text of an identity begins with a colon.
        Hash(id?.ToString() ?? ":address:" + (address with { Port = 0 }).ToIPAddress(), hash);
        DirectoryOwner owner = DirectoryOwner.Read(hash);
        if (id is null)
        {
            Hash(":source:" + peer.Source, hash);
            owner = owner with { SourceHash = DirectoryOwner.Read(hash).SourceHash };
        }

        return new RegistrantIdentity(
            owner, id is not null, channel.IsReliable ? [] : BaseOf(peer.Scheme, address), LinkTagOf(address, node));
    }

    /// <summary>Returns the network link of an address; 0 if it is not link-local.</summary>
    public static ulong LinkTagOf(CoapAddress address, ulong node) =>
        address.ToIPAddress() is { IsIPv6LinkLocal: true } || (address.IsIPv4 && address.ToIPAddress().GetAddressBytes() is [169, 254, ..])
            ? unchecked((node ^ (address.ScopeId * 0x9e37_79b9_7f4a_7c15)) | 1)
            : 0;

    private static byte[] BaseOf(string scheme, CoapAddress address)
    {
        string host = address.IsIPv4 ? address.ToIPAddress().ToString() : $"[{(address with { ScopeId = 0 }).ToIPAddress()}]";
        int standard = scheme == "coaps" ? DefaultSecuredPort : DefaultPort;
        return Encoding.UTF8.GetBytes(address.Port == standard ? $"{scheme}://{host}" : $"{scheme}://{host}:{address.Port}");
    }

    private static void Hash(string text, Span<byte> hash) => Sha256.HashData(Encoding.UTF8.GetBytes(text), hash);
}
