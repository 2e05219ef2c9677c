namespace CoAP.NET.Cluster;

/// <summary>A node of a cluster, as it tells the others about itself.</summary>
/// <param name="Id">Which run of which process it is.</param>
/// <param name="Address">Where other nodes reach it, such as <c>coap+tcp://10.0.0.7:5690</c>; empty when there are no others.</param>
public sealed record CoapClusterNode(CoapNodeId Id, string Address)
{
    /// <summary>The length of <see cref="Address"/> at most, in characters: 255.</summary>
    public const int MaxAddressLength = 255;

    /// <summary>The length of <see cref="LinkAddress"/> at most, in characters: 247, so that there is room for the mark of a node that
    /// leaves.</summary>
    public const int MaxLinkAddressLength = MaxAddressLength - 8;

    // A part of the address, so that every engine keeps it without knowing of it.
    private const string LeavingMark = "#leaving";

    /// <summary>Where other nodes reach it, with a mark while it leaves; empty when there are no others.</summary>
    public string Address { get; init; } = Check(Address);

    /// <summary>Where other nodes reach it; empty when there are no others.</summary>
    public string LinkAddress => IsLeaving ? Address[..^LeavingMark.Length] : Address;

    /// <summary>Whether it hands its slots over to other nodes, as it is about to end. It gets no slots any more.</summary>
    public bool IsLeaving => Address.EndsWith(LeavingMark, StringComparison.Ordinal);

    /// <summary>The same node while it leaves: what it tells the store from then on.</summary>
    /// <returns>The node.</returns>
    /// <exception cref="ArgumentException">The address is too long for the mark.</exception>
    public CoapClusterNode Leaving() => IsLeaving ? this : this with { Address = Check(Address + LeavingMark) };

    private static string Check(string address)
    {
        ArgumentNullException.ThrowIfNull(address);
        return address.Length <= MaxAddressLength
            ? address
            : throw new ArgumentException($"The address of a node has at most {MaxAddressLength} characters.", nameof(address));
    }
}
