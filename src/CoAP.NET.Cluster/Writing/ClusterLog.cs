using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Writing;

/// <summary>The log of clusters: ids from 2500.</summary>
internal static partial class ClusterLog
{
    public const string Category = "CoAP.NET.Cluster";

    [LoggerMessage(2500, LogLevel.Error,
        "The store of the cluster accepts no changes; the server continues without it. {Waiting} changes are pending and will be written "
        + "when the store is available again.")]
    public static partial void StoreFailed(ILogger logger, int waiting, Exception exception);

    [LoggerMessage(2501, LogLevel.Information, "The store of the cluster is available again.")]
    public static partial void StoreIsBack(ILogger logger);

    [LoggerMessage(2502, LogLevel.Warning,
        "{Count} changes were not written to the store of the cluster before the shutdown, so the next start finds an older state.")]
    public static partial void NotWritten(ILogger logger, int count, Exception? exception);

    [LoggerMessage(2503, LogLevel.Error, "A handler of HealthChanged or MapChanged of the cluster has thrown an exception.")]
    public static partial void ListenerFailed(ILogger logger, Exception exception);

    [LoggerMessage(2504, LogLevel.Error,
        "Node {Node} could not renew its lease in the store of the cluster; the server continues with its state in memory. If this lasts, "
        + "other nodes, if any, take its slots.")]
    public static partial void NotRenewed(ILogger logger, CoapNodeId node, Exception exception);

    [LoggerMessage(2505, LogLevel.Information, "Node {Node} renews its lease in the store of the cluster again.")]
    public static partial void Renewed(ILogger logger, CoapNodeId node);

    [LoggerMessage(2506, LogLevel.Information, "Node {Node} has taken {Count} slots (version {Version} of the map).")]
    public static partial void SlotsTaken(ILogger logger, CoapNodeId node, int count, long version);

    [LoggerMessage(2507, LogLevel.Warning, "Node {Node} has lost {Count} slots to another node (version {Version} of the map).")]
    public static partial void SlotsLost(ILogger logger, CoapNodeId node, int count, long version);

    [LoggerMessage(2509, LogLevel.Warning,
        "A record of slot {Slot} in the store ({Kind}) does not open: it was sealed with another secret, or was modified. Its content is "
        + "lost, so clients make new handshakes and register again. Records that did not open so far: {Count}. If the secret was not "
        + "replaced on purpose, give this node the previous one, too (CoapClusterOptions.Secrets). Logged at most once a minute.")]
    public static partial void RecordUnreadable(ILogger logger, CoapSlot slot, CoapRecordKind kind, long count);

    [LoggerMessage(2521, LogLevel.Error,
        "Node {Node} found that the store of the cluster lost confirmed changes: it was restored from a backup, or a standby took over "
        + "that had not received all of them. Stored sessions up to fence {Fence} are refused, so devices make a new handshake, and the "
        + "numbers of OSCORE contexts continue far above. Let a failover wait for a synchronous standby.")]
    public static partial void StoreWentBack(ILogger logger, CoapNodeId node, CoapFencingToken fence);

    [LoggerMessage(2525, LogLevel.Warning, "Node {Node} uses a store that does not notice every loss of confirmed changes. {Limitation}")]
    public static partial void StoreLimited(ILogger logger, CoapNodeId node, string limitation);

    [LoggerMessage(2522, LogLevel.Error,
        "Node {Node} ({Address}) is in the store of the cluster, but does not have its secret. It is ignored: it gets no slots, and no "
        + "messages. Give it the secret of the other nodes (CoapClusterOptions.Secrets), or stop it.")]
    public static partial void Stranger(ILogger logger, CoapNodeId node, string address);

    [LoggerMessage(2523, LogLevel.Warning,
        "A newer version of the library wrote a record of slot {Slot} in the store ({Kind}), in format {Format}; this one reads formats up "
        + "to {Newest} and continues without the record, which stays in the store. Records that did not open so far: {Count}. Update this "
        + "node. Logged at most once a minute.")]
    public static partial void RecordTooNew(ILogger logger, CoapSlot slot, CoapRecordKind kind, byte format, byte newest, long count);

    [LoggerMessage(2524, LogLevel.Information,
        "The nodes of the cluster write records in format {Format} from now on. An older version that does not read it cannot read these "
        + "records, should it take over again.")]
    public static partial void FormatChanged(ILogger logger, byte format);

    [LoggerMessage(2560, LogLevel.Error,
        "CoapDeviceOptions.NameOf has thrown an exception for {Peer}; the peer is not treated as a device.")]
    public static partial void DeviceNotNamed(ILogger logger, string peer, Exception exception);

    [LoggerMessage(2561, LogLevel.Warning,
        "CoapDeviceOptions.NameOf returned an invalid name for {Peer}: it is empty, is not valid text, or has more than {MaxLength} bytes "
        + "of UTF-8. The peer is not treated as a device.")]
    public static partial void DeviceMisnamed(ILogger logger, string peer, int maxLength);
}
