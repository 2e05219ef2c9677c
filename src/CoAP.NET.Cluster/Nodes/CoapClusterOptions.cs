using System.Diagnostics.Metrics;

namespace CoAP.NET.Cluster;

/// <summary>The options of a node of a cluster.</summary>
public sealed class CoapClusterOptions
{
    private static readonly TimeSpan s_shortestLease = TimeSpan.FromSeconds(1);

    /// <summary>
    /// 32 random bytes, the same on every node and after every restart (<see cref="CoapSealedClusterStore.NewSecret"/>). Required.
    /// </summary>
    /// <remarks>
    /// Keys derived from it encrypt the records, which are unreadable with another secret. Store it with your other keys, and not next to
    /// the store.
    /// </remarks>
    public ReadOnlyMemory<byte> Secret { get; set; }

    /// <summary>
    /// The address on which this node listens for the others, such as <c>coaps+tcp://[::]:5690</c>. Default empty: no links.
    /// </summary>
    /// <remarks>
    /// Nodes with links share the slots. Without links one node has all slots while others stand by. Links are CoAP over TLS, in which both
    /// ends prove that they have the same <see cref="Secret"/>; other peers are refused. Port 0 lets the operating system choose.
    /// </remarks>
    public string LinkAddress { get; set; } = "";

    /// <summary>
    /// The address for connections of other nodes, such as <c>coaps+tcp://10.0.0.7:5690</c>. Default empty: <see cref="LinkAddress"/>, with
    /// an address of this host in place of a wildcard.
    /// </summary>
    /// <remarks>
    /// Nodes with an address and no <see cref="LinkAddress"/> share slots as well, but do not relay datagrams to their owners.
    /// </remarks>
    public string Address { get; set; } = "";

    /// <summary>The duration of the lease, during which the node counts as live, 1 s to 1 hour. Default 5 s.</summary>
    /// <remarks>
    /// The node renews the lease five times in this time. If its machine fails, other nodes take its slots after this time; if its process
    /// dies, sooner if the store notices.
    /// </remarks>
    public TimeSpan Lease { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Limits and times of records that are written asynchronously.</summary>
    public CoapRecordWriterOptions Writer { get; } = new();

    /// <summary>Limits and times of moving slots between nodes.</summary>
    public CoapSlotMoveOptions Moves { get; } = new();

    /// <summary>Options for devices: their names, when they count as asleep, and limits.</summary>
    public CoapDeviceOptions Devices { get; } = new();

    /// <summary>Limits and pace of observers that outlive the process.</summary>
    public CoapClusterObserverOptions Observers { get; } = new();

    /// <summary>
    /// Creates the meter <see cref="CoapTelemetry.MeterName"/> for the metrics <c>coap.cluster.*</c>, such as the factory of a dependency
    /// injection container. Default null: one meter for the process.
    /// </summary>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>Connects the node with this id with the others, instead of links. Default null: links.</summary>
    internal Func<CoapNodeId, INodeLinks>? Peers { get; set; }

    /// <summary>Replaces TCP and TLS for the links between nodes. Default null: TCP and TLS.</summary>
    internal ILinkCarrier? LinkCarrier { get; set; }

    /// <summary>Validates the options.</summary>
    /// <returns>The error and the remedy; null for none.</returns>
    public string? FindFault()
    {
        if (Secret.Length != CoapSealedClusterStore.SecretLength)
        {
            return (Secret.IsEmpty
                ? "The cluster has no secret. Set CoapClusterOptions.Secret or, in configuration, Coap:Cluster:SecretFile. "
                : $"The secret of a cluster (CoapClusterOptions.Secret) must have {CoapSealedClusterStore.SecretLength} bytes, but has "
                    + $"{Secret.Length}. ")
                + $"Create one with 'openssl rand -base64 {CoapSealedClusterStore.SecretLength}' or CoapSealedClusterStore.NewSecret(), "
                + "store "
                + "it with your keys, and give the same one to every node and after every restart.";
        }

        if (Secret.Span.IndexOfAnyExcept((byte)0) < 0)
        {
            return "The secret of a cluster (CoapClusterOptions.Secret) is all zeros. Create one with CoapSealedClusterStore.NewSecret().";
        }

        if (Lease < s_shortestLease || Lease > CoapLeases.Longest)
        {
            return $"CoapClusterOptions.Lease is {Lease}; it must be from {s_shortestLease} to {CoapLeases.Longest}.";
        }

        if (Address is null || Address.Length > CoapClusterNode.MaxAddressLength)
        {
            return $"CoapClusterOptions.Address must have at most {CoapClusterNode.MaxAddressLength} characters.";
        }

        if (LinkAddress is null || (LinkAddress.Length > 0 && !Cluster.LinkAddress.CanBeListenedAt(LinkAddress)))
        {
            return $"CoapClusterOptions.LinkAddress is '{LinkAddress}'; use an address such as coaps+tcp://[::]:5690 without a path, or "
                + "an empty text for no links.";
        }

        if (LinkAddress.Length > 0 && Address.Length > 0 && !Cluster.LinkAddress.CanBeConnectedTo(Address))
        {
            return $"CoapClusterOptions.Address is '{Address}'; use the address for connections of other nodes, such as "
                + "coaps+tcp://10.0.0.7:5690, without a path or wildcard, or an empty text for that of LinkAddress.";
        }

        if (Peers is not null && (LinkAddress.Length > 0 || Address.Length > 0))
        {
            return "CoapClusterOptions.LinkAddress or Address is set, but Orleans connects the nodes of this cluster (AddCoap). Leave both "
                + "empty (in configuration, Coap:Cluster:LinkAddress).";
        }

        string part = "";
        if (Devices.FindFault() is { } fault)
        {
            return fault;
        }

        try
        {
            part = nameof(Writer);
            _ = Writer.Checked();
            part = nameof(Moves);
            _ = Moves.Checked();
            part = nameof(Observers);
            _ = Observers.Checked();
            return null;
        }
        catch (ArgumentOutOfRangeException exception)
        {
            return $"CoapClusterOptions.{part}.{exception.ParamName} is {exception.ActualValue}, which is out of its range.";
        }
    }
}
