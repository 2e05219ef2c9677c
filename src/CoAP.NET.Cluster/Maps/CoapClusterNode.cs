namespace CoAP.NET.Cluster.Maps;

/// <summary>A node of a cluster, as it describes itself to the others.</summary>
/// <param name="Id">Identifies one run of a process.</param>
/// <param name="Address">The address for other nodes, which only nodes on Orleans have; empty for none.</param>
internal sealed record CoapClusterNode(CoapNodeId Id, string Address)
{
    /// <summary>The maximum length of <see cref="Address"/> in characters: 255.</summary>
    public const int MaxAddressLength = 255;

    /// <summary>
    /// The address for other nodes, which only nodes on Orleans have; empty for none. At most
    /// <see cref="MaxAddressLength"/> characters.
    /// </summary>
    /// <exception cref="ArgumentException">The address is too long.</exception>
    public string Address { get; init => field = Check(value); } = Check(Address);

    /// <summary>Whether the node is about to stop and hands its slots over. It receives no further slots. Default false.</summary>
    public bool IsLeaving { get; init; }

    private static string Check(string address)
    {
        ArgumentNullException.ThrowIfNull(address);
        return address.Length <= MaxAddressLength
            ? address
            : throw new ArgumentException(
                $"The address of a node must have at most {MaxAddressLength} characters; this one has {address.Length}.", nameof(address));
    }
}
