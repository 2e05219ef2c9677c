namespace CoAP.NET.Cluster.Steering;

/// <summary>
/// The UDP addresses at which a server accepts relays of another node, as it offers them.
/// </summary>
/// <param name="Id">The Connection ID of records.</param>
/// <param name="Key">The key of records.</param>
/// <param name="Addresses">The addresses; possibly the wildcard.</param>
internal sealed record RelayPathOffer(ulong Id, byte[] Key, IReadOnlyList<CoapAddress> Addresses)
{
    /// <summary>The maximum number of addresses: 16.</summary>
    public const int MaxAddresses = 16;

    /// <summary>Whether it is an offer of this version: its key has the right length, and it has not too many addresses.</summary>
    public bool IsValid => Key.Length == RelayRecord.KeyLength && Addresses.Count <= MaxAddresses;

    /// <summary>Chooses the destination address; null if a server has no socket for any of the addresses.</summary>
    /// <param name="own">The bound addresses of that server.</param>
    /// <param name="node">The address of the node, which replaces the wildcard.</param>
    public CoapAddress? ChooseFor(IReadOnlyList<CoapAddress> own, CoapAddress node)
    {
        foreach (CoapAddress address in Addresses)
        {
            CoapAddress to = address.IsAny ? node with { Port = address.Port } : address;

            // The first socket sends to new destinations.
            if (to.Port > 0 && !to.IsMulticast && own.Count > 0 && (own[0].IsIPv4 == to.IsIPv4 || own[0] is { IsAny: true, IsIPv4: false }))
            {
                return to;
            }
        }

        return null;
    }
}
