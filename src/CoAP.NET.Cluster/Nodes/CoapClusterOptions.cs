using System.Diagnostics.Metrics;

namespace CoAP.NET.Cluster;

/// <summary>How a node takes part in a cluster, be it the only one.</summary>
public sealed class CoapClusterOptions
{
    private static readonly TimeSpan s_shortestLease = TimeSpan.FromSeconds(1);

    /// <summary>
    /// 32 random bytes, the same on every node and after every restart (<see cref="CoapSealedClusterStore.NewSecret"/>). What is kept is
    /// sealed with keys that follow from it; with another one nothing opens. It belongs where your keys are, and not beside the store.
    /// Required.
    /// </summary>
    public ReadOnlyMemory<byte> Secret { get; set; }

    /// <summary>
    /// Where this node listens for the others, such as <c>coaps+tcp://[::]:5690</c>. Links between nodes are CoAP over TLS, in which both
    /// ends prove that they have the same <see cref="Secret"/>; nobody else gets a connection. Port 0 lets the operating system choose.
    /// Default empty: there are no links, and one node has all slots while others stand by. Nodes with links share the
    /// slots.
    /// </summary>
    public string LinkAddress { get; set; } = "";

    /// <summary>
    /// Where other nodes reach this one, such as <c>coaps+tcp://10.0.0.7:5690</c>. Default empty: at <see cref="LinkAddress"/>, with an
    /// address of this host where that is a wildcard. Without <see cref="LinkAddress"/> nodes with an address share slots too, and
    /// something else has to bring datagrams to their owners.
    /// </summary>
    public string Address { get; set; } = "";

    /// <summary>
    /// How long the node counts as there after its last word to the store, from 1 s to 1 hour, 5 s by default. It renews its lease five
    /// times as often. When its machine dies, another node takes its slots after this time; when its process dies, sooner where the store
    /// can tell.
    /// </summary>
    public TimeSpan Lease { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Bounds and times of what is written behind the back of the server.</summary>
    public CoapRecordWriterOptions Writer { get; } = new();

    /// <summary>Bounds and times of slots that move between nodes that share them.</summary>
    public CoapSlotMoveOptions Moves { get; } = new();

    /// <summary>Which peers are devices, and when a device counts as asleep.</summary>
    public CoapDeviceOptions Devices { get; } = new();

    /// <summary>Bounds and pace of observers that outlive the process.</summary>
    public CoapClusterObserverOptions Observers { get; } = new();

    /// <summary>
    /// Makes the meter of <see cref="CoapTelemetry.MeterName"/> for the metrics <c>coap.cluster.*</c>, such as the one of a dependency
    /// injection container. Default null: one meter for the process.
    /// </summary>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>What is wrong with the options; null when nothing is.</summary>
    /// <returns>The text, which says what to do.</returns>
    public string? FindFault()
    {
        if (Secret.Length != CoapSealedClusterStore.SecretLength)
        {
            return $"The secret of a cluster (CoapClusterOptions.Secret) has {CoapSealedClusterStore.SecretLength} bytes, and not "
                + $"{Secret.Length}. Make one by CoapSealedClusterStore.NewSecret(), keep it where keys are, and give it to every node.";
        }

        if (Secret.Span.IndexOfAnyExcept((byte)0) < 0)
        {
            return "The secret of a cluster (CoapClusterOptions.Secret) is all zeros. Make one by CoapSealedClusterStore.NewSecret().";
        }

        if (Lease < s_shortestLease || Lease > CoapLeases.Longest)
        {
            return $"CoapClusterOptions.Lease is {Lease}; it has to be from {s_shortestLease} to {CoapLeases.Longest}.";
        }

        if (Address is null || Address.Length > CoapClusterNode.MaxLinkAddressLength)
        {
            return $"CoapClusterOptions.Address has to have at most {CoapClusterNode.MaxLinkAddressLength} characters.";
        }

        if (LinkAddress is null || (LinkAddress.Length > 0 && !Cluster.LinkAddress.CanBeListenedAt(LinkAddress)))
        {
            return $"CoapClusterOptions.LinkAddress is '{LinkAddress}'; it has to be such as coaps+tcp://[::]:5690, without a path, or "
                + "empty for no links.";
        }

        if (LinkAddress.Length > 0 && Address.Length > 0 && !Cluster.LinkAddress.CanBeConnectedTo(Address))
        {
            return $"CoapClusterOptions.Address is '{Address}'; it has to be where other nodes connect to, such as "
                + "coaps+tcp://10.0.0.7:5690, without a path and no wildcard, or empty for that of LinkAddress.";
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
