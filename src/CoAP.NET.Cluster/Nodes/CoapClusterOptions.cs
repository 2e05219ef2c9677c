using System.Diagnostics.Metrics;

namespace CoAP.NET.Cluster;

/// <summary>The options of a node of a cluster.</summary>
public sealed class CoapClusterOptions
{
    private static readonly TimeSpan s_shortestLease = TimeSpan.FromSeconds(1);

    /// <summary>
    /// 32 random bytes, the same on every node and after every restart (<see cref="CoapSealedClusterStore.NewSecret"/>). Records are sealed
    /// with keys derived from it, and cannot be read with another secret. Store it with your other keys, and not beside the store.
    /// Required.
    /// </summary>
    public ReadOnlyMemory<byte> Secret { get; set; }

    /// <summary>
    /// Where this node listens for the others, such as <c>coaps+tcp://[::]:5690</c>. Nodes with links share the slots. Links are CoAP over
    /// TLS, in which both ends prove that they have the same <see cref="Secret"/>; nobody else gets a connection. Port 0 lets the operating
    /// system choose. Default empty: there are no links, and one node has all slots while others stand by.
    /// </summary>
    public string LinkAddress { get; set; } = "";

    /// <summary>
    /// Where other nodes connect to this one, such as <c>coaps+tcp://10.0.0.7:5690</c>. Default empty: <see cref="LinkAddress"/>, with an
    /// address of this host in place of a wildcard. Nodes with an address and no <see cref="LinkAddress"/> share slots too, but nothing
    /// relays datagrams to their owners.
    /// </summary>
    public string Address { get; set; } = "";

    /// <summary>
    /// How long the node counts as live after it last renewed its lease, which it does five times in this time. 1 s to 1 hour, 5 s by
    /// default. When its machine fails, other nodes take its slots after this time; when its process dies, sooner if the store notices.
    /// </summary>
    public TimeSpan Lease { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Bounds and times of the records that are written asynchronously.</summary>
    public CoapRecordWriterOptions Writer { get; } = new();

    /// <summary>Bounds and times of moving slots between nodes.</summary>
    public CoapSlotMoveOptions Moves { get; } = new();

    /// <summary>Which peers are devices, and when a device counts as asleep.</summary>
    public CoapDeviceOptions Devices { get; } = new();

    /// <summary>Bounds and pace of observers that outlive the process.</summary>
    public CoapClusterObserverOptions Observers { get; } = new();

    /// <summary>
    /// Creates the meter <see cref="CoapTelemetry.MeterName"/> for the metrics <c>coap.cluster.*</c>, such as the factory of a dependency
    /// injection container. Default null: one meter for the process.
    /// </summary>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>What carries the links between nodes. Default null: TCP and TLS.</summary>
    internal ILinkCarrier? LinkCarrier { get; set; }

    /// <summary>Checks the options.</summary>
    /// <returns>What is wrong and what to do; null when nothing is wrong.</returns>
    public string? FindFault()
    {
        if (Secret.Length != CoapSealedClusterStore.SecretLength)
        {
            return (Secret.IsEmpty
                ? "The cluster has no secret: set CoapClusterOptions.Secret or, in configuration, Coap:Cluster:SecretFile. "
                : $"The secret of a cluster (CoapClusterOptions.Secret) has {CoapSealedClusterStore.SecretLength} bytes, and not "
                    + $"{Secret.Length}. ")
                + $"Make one by 'openssl rand -base64 {CoapSealedClusterStore.SecretLength}' or CoapSealedClusterStore.NewSecret(), keep "
                + "it where keys are, and give the same one to every node and after every restart.";
        }

        if (Secret.Span.IndexOfAnyExcept((byte)0) < 0)
        {
            return "The secret of a cluster (CoapClusterOptions.Secret) is all zeros. Make one by CoapSealedClusterStore.NewSecret().";
        }

        if (Lease < s_shortestLease || Lease > CoapLeases.Longest)
        {
            return $"CoapClusterOptions.Lease is {Lease}; it has to be from {s_shortestLease} to {CoapLeases.Longest}.";
        }

        if (Address is null || Address.Length > CoapClusterNode.MaxAddressLength)
        {
            return $"CoapClusterOptions.Address has to have at most {CoapClusterNode.MaxAddressLength} characters.";
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
