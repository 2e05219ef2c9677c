using Orleans.Concurrency;
using Orleans.Services;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>
/// <see cref="Cluster.Nodes.INodeService"/> as calls between silos. There is one per silo, which <see cref="CoapNodeClient.At"/> addresses.
/// </summary>
[Alias("coap.node")]
internal interface ICoapNodeService : IGrainService
{
    /// <summary><see cref="Cluster.Nodes.INodeService.RelayDatagramsAsync"/>.</summary>
    [Alias("relay-datagrams")]
    Task RelayDatagramsAsync(Guid from, NodeDatagram[] datagrams);

    /// <summary><see cref="Cluster.Nodes.INodeService.ReturnDatagramsAsync"/>.</summary>
    [Alias("return-datagrams")]
    Task ReturnDatagramsAsync(Guid from, NodeDatagram[] datagrams);

    /// <summary><see cref="Cluster.Nodes.INodeService.RelayOscoreAsync"/>.</summary>
    [Alias("relay-oscore")]
    Task RelayOscoreAsync(Guid from, NodeDatagram[] messages);

    /// <summary><see cref="Cluster.Nodes.INodeService.ReturnOscoreAsync"/>.</summary>
    [Alias("return-oscore")]
    Task ReturnOscoreAsync(Guid from, NodeDatagram[] messages);

    /// <summary><see cref="Cluster.Nodes.INodeService.RemoveResumptionsAsync"/>.</summary>
    [Alias("remove-resumptions")]
    Task RemoveResumptionsAsync(NodeResumptionKey[] sessions);

    /// <summary><see cref="Cluster.Nodes.INodeService.ReportTableChangesAsync"/>.</summary>
    [Alias("report-table-changes")]
    Task ReportTableChangesAsync(NodeTableChange[] changes);

    /// <summary><see cref="Cluster.Nodes.INodeService.ReportResourceChangesAsync"/>.</summary>
    [Alias("report-resource-changes")]
    Task ReportResourceChangesAsync(string[] names);

    /// <summary><see cref="Cluster.Nodes.INodeService.OfferRelayPathAsync"/>.</summary>
    [Alias("offer-relay-path")]
    Task<NodeRelayPath?> OfferRelayPathAsync(Guid from, byte[] server);

    /// <summary><see cref="Cluster.Nodes.INodeService.AskTableAsync"/>.</summary>
    [Alias("ask-table"), ResponseTimeout("00:02:00")]
    Task<NodeTableAnswer?> AskTableAsync(NodeTableQuestion question);

    /// <summary><see cref="Cluster.Nodes.INodeService.GetTablePositionsAsync"/>.</summary>
    [Alias("get-table-positions")]
    Task<NodeTableChange[]?> GetTablePositionsAsync(byte table);

    /// <summary><see cref="Cluster.Nodes.INodeService.QueueRequestAsync"/>.</summary>
    [Alias("queue-request"), ResponseTimeout("00:02:00")]
    Task<NodeOutboxAddition?> QueueRequestAsync(NodeOutboxRequest request);

    /// <summary><see cref="Cluster.Nodes.INodeService.WaitForRequestAsync"/>.</summary>
    [Alias("wait-for-request"), ResponseTimeout("00:02:00")]
    Task<NodeOutboxOutcome?> WaitForRequestAsync(string device, Guid id);

    /// <summary><see cref="Cluster.Nodes.INodeService.GetQueuedRequestsAsync"/>.</summary>
    [Alias("get-queued-requests"), ResponseTimeout("00:02:00")]
    Task<NodeQueuedRequest[]?> GetQueuedRequestsAsync(string device);

    /// <summary><see cref="Cluster.Nodes.INodeService.CancelRequestAsync"/>.</summary>
    [Alias("cancel-request"), ResponseTimeout("00:02:00")]
    Task<bool?> CancelRequestAsync(string device, Guid id);
}
