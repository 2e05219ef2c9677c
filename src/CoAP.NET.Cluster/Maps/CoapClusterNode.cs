namespace CoAP.NET.Cluster;

/// <summary>A node of a cluster, as it tells the others about itself.</summary>
/// <param name="Id">Which run of which process it is.</param>
/// <param name="Address">Where other nodes reach it, such as <c>coap+tcp://10.0.0.7:5690</c>; empty when there are no others.</param>
public sealed record CoapClusterNode(CoapNodeId Id, string Address)
{
    /// <summary>The length of <see cref="Address"/> at most, in characters: 255.</summary>
    public const int MaxAddressLength = 255;

    /// <summary>Where other nodes reach it; empty when there are no others.</summary>
    public string Address { get; init; } = Check(Address);

    private static string Check(string address)
    {
        ArgumentNullException.ThrowIfNull(address);
        return address.Length <= MaxAddressLength
            ? address
            : throw new ArgumentException($"The address of a node has at most {MaxAddressLength} characters.", nameof(address));
    }
}
