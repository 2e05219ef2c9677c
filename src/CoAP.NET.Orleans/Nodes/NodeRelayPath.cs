using CoAP.NET.Cluster.Steering;

namespace CoAP.NET.Orleans.Nodes;

/// <summary><see cref="RelayPathOffer"/> between silos.</summary>
/// <param name="ConnectionId">The Connection ID of records.</param>
/// <param name="Key">The key of records.</param>
/// <param name="Addresses">The addresses; possibly the wildcard.</param>
[GenerateSerializer, Immutable, Alias("coap.node.relay-path")]
internal sealed record NodeRelayPath(
    [property: Id(0)] ulong ConnectionId, [property: Id(1)] byte[] Key, [property: Id(2)] NodeIPAddress[] Addresses)
{
    public static NodeRelayPath Of(RelayPathOffer offer) => new(offer.Id, offer.Key, [.. offer.Addresses.Select(NodeIPAddress.Of)]);

    public RelayPathOffer ToOffer() => new(ConnectionId, Key, Array.ConvertAll(Addresses, static address => address.ToAddress()));
}
