using System.Diagnostics.Metrics;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Observing;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Settings;

namespace CoAP.NET.Cluster;

/// <summary>The options of a node of a cluster.</summary>
[HasSettings]
public sealed partial class CoapClusterOptions
{
    /// <summary>
    /// The secret of the cluster: 32 random bytes, the same on every node and after every restart.
    /// Required. While it is being replaced: the new one, and then the previous one.
    /// </summary>
    /// <remarks>
    /// Keys derived from it encrypt the records, and authenticate the nodes to each other. A node with another secret does not join, and
    /// its health is Unhealthy. Store it with your other keys, and not next to the store.
    /// <para>To replace it without a stop, restart one node after the other with the new and the previous secret. A node opens what was
    /// encrypted with either of them, and encrypts with the new one when all nodes have it. Then restart them with the new one alone, when
    /// no record needs the previous one any more (docs/cluster-deployment.md).</para>
    /// </remarks>
    public partial IReadOnlyList<ReadOnlyMemory<byte>> Secrets { get; set; } = [];

    /// <summary>The duration of the lease, during which the node counts as live.</summary>
    /// <remarks>
    /// The node renews the lease five times in this time. If its machine fails, other nodes take its slots after this time; if its process
    /// fails, sooner if the store notices.
    /// </remarks>
    [TimeRange(1, Seconds.Hour)]
    public partial TimeSpan Lease { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Limits and times of records that are written asynchronously.</summary>
    internal CoapRecordWriterOptions Writer { get; } = new();

    /// <summary>Limits and times of moving slots between nodes.</summary>
    internal CoapSlotMoveOptions Moves { get; } = new();

    /// <summary>Options for devices: their names, when they count as asleep, and limits.</summary>
    public CoapDeviceOptions Devices { get; } = new();

    /// <summary>Limits and pace of observers that outlive the process.</summary>
    internal CoapClusterObserverOptions Observers { get; } = new();

    /// <summary>
    /// Creates the meter <see cref="CoapTelemetry.MeterName"/> for the metrics <c>coap.cluster.*</c>, such as the factory of a dependency
    /// injection container. Default null: one meter for the process.
    /// </summary>
    public partial IMeterFactory? MeterFactory { get; set; }

    /// <summary>Connects the node with this id with the others. Default null: it knows no others, and stands by while another node is
    /// active.</summary>
    internal Func<CoapNodeId, INodeNetwork>? Network { get; set; }

    /// <summary>The newest record format that the node reads and writes. Default: of this version. A test has nodes of several.</summary>
    internal byte NewestRecordFormat { get; set; } = RecordFormat.Newest;

    /// <summary>Validates the options.</summary>
    /// <returns>The error and the remedy; null for none.</returns>
    internal string? FindFault()
    {
        if (ClusterSecrets.FindFault(Secrets) is { } noSecret)
        {
            return noSecret;
        }

        return Devices.FindFault() ?? Writer.FindFault();
    }
}
