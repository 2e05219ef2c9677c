using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Records;
using Microsoft.Extensions.Logging;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>Passes calls of other silos on to the node of this one.</summary>
/// <param name="id">Its id.</param>
/// <param name="silo">The silo.</param>
/// <param name="loggers">The logs.</param>
/// <param name="node">The node.</param>
internal sealed class NodeGrainService(GrainId id, Silo silo, ILoggerFactory loggers, INodeService node)
    : GrainService(id, silo, loggers), ICoapNodeService
{
    /// <inheritdoc/>
    public Task RelayDatagramsAsync(Guid from, NodeDatagram[] datagrams) =>
        node.RelayDatagramsAsync(new CoapNodeId(from), Array.ConvertAll(datagrams, static one => one.ToPost()));

    /// <inheritdoc/>
    public Task ReturnDatagramsAsync(Guid from, NodeDatagram[] datagrams) =>
        node.ReturnDatagramsAsync(new CoapNodeId(from), Array.ConvertAll(datagrams, static one => one.ToPost()));

    /// <inheritdoc/>
    public Task RelayOscoreAsync(Guid from, NodeDatagram[] messages) =>
        node.RelayOscoreAsync(new CoapNodeId(from), Array.ConvertAll(messages, static one => one.ToPost()));

    /// <inheritdoc/>
    public Task ReturnOscoreAsync(Guid from, NodeDatagram[] messages) =>
        node.ReturnOscoreAsync(new CoapNodeId(from), Array.ConvertAll(messages, static one => one.ToPost()));

    /// <inheritdoc/>
    public Task RemoveResumptionsAsync(NodeResumptionKey[] sessions) =>
        node.RemoveResumptionsAsync(Array.ConvertAll(sessions, static one => one.ToKey()));

    /// <inheritdoc/>
    public Task ReportTableChangesAsync(NodeTableChange[] changes) =>
        node.ReportTableChangesAsync(Array.ConvertAll(changes, static one => one.ToChange()));

    /// <inheritdoc/>
    public Task ReportResourceChangesAsync(string[] names) => node.ReportResourceChangesAsync(names);

    /// <inheritdoc/>
    public async Task<NodeRelayPath?> OfferRelayPathAsync(Guid from, byte[] server) =>
        await node.OfferRelayPathAsync(new CoapNodeId(from), server).ConfigureAwait(true) is { } offer ? NodeRelayPath.Of(offer) : null;

    /// <inheritdoc/>
    public async Task<NodeTableAnswer?> AskTableAsync(NodeTableQuestion question) =>
        await node.AskTableAsync(question.ToQuestion()).ConfigureAwait(true) is { } answer ? NodeTableAnswer.Of(answer) : null;

    /// <inheritdoc/>
    public async Task<NodeTableChange[]?> GetTablePositionsAsync(byte table) =>
        await node.GetTablePositionsAsync((CoapRecordKind)table).ConfigureAwait(true) is { } positions
            ? [.. positions.Select(NodeTableChange.Of)]
            : null;

    /// <inheritdoc/>
    public async Task<NodeOutboxAddition?> QueueRequestAsync(NodeOutboxRequest request) =>
        await node.QueueRequestAsync(request.ToEntry()).ConfigureAwait(true) is { } added ? NodeOutboxAddition.Of(added) : null;

    /// <inheritdoc/>
    public async Task<NodeOutboxOutcome?> WaitForRequestAsync(string device, Guid id) =>
        await node.WaitForRequestAsync(device, id).ConfigureAwait(true) is { } outcome ? NodeOutboxOutcome.Of(outcome) : null;

    /// <inheritdoc/>
    public async Task<NodeQueuedRequest[]?> GetQueuedRequestsAsync(string device) =>
        await node.GetQueuedRequestsAsync(device).ConfigureAwait(true) is { } requests
            ? [.. requests.Select(NodeQueuedRequest.Of)]
            : null;

    /// <inheritdoc/>
    public Task<bool?> CancelRequestAsync(string device, Guid id) => node.CancelRequestAsync(device, id);
}
