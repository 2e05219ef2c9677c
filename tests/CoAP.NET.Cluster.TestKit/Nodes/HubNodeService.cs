using CoAP.NET.Cluster.Devices.Outbox;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Steering;
using CoAP.NET.Cluster.Tables;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>Calls another node of a hub. Thread-safe.</summary>
/// <param name="hub">The hub.</param>
/// <param name="caller">The calling node.</param>
/// <param name="node">The other one.</param>
internal sealed class HubNodeService(NodeHub hub, HubNetwork caller, CoapNodeId node) : INodeService
{
    /// <inheritdoc/>
    public Task RelayDatagramsAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> datagrams) =>
        RelayAsync(datagrams.Count, service => service.RelayDatagramsAsync(from, datagrams));

    /// <inheritdoc/>
    public Task ReturnDatagramsAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> datagrams) =>
        RelayAsync(datagrams.Count, service => service.ReturnDatagramsAsync(from, datagrams));

    /// <inheritdoc/>
    public Task RelayOscoreAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> messages) =>
        RelayAsync(messages.Count, service => service.RelayOscoreAsync(from, messages));

    /// <inheritdoc/>
    public Task ReturnOscoreAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> messages) =>
        RelayAsync(messages.Count, service => service.ReturnOscoreAsync(from, messages));

    /// <inheritdoc/>
    public Task RemoveResumptionsAsync(IReadOnlyList<CoapRecordKey> sessions) =>
        PostAsync(service => service.RemoveResumptionsAsync(sessions));

    /// <inheritdoc/>
    public Task ReportTableChangesAsync(IReadOnlyList<ReplicatedTableChangeMessage> changes) =>
        PostAsync(service => service.ReportTableChangesAsync(changes));

    /// <inheritdoc/>
    public Task ReportResourceChangesAsync(IReadOnlyList<string> names) =>
        PostAsync(service => service.ReportResourceChangesAsync(names));

    /// <inheritdoc/>
    public Task<RelayPathOffer?> OfferRelayPathAsync(CoapNodeId from, ReadOnlyMemory<byte> server) =>
        AskAsync(service => service.OfferRelayPathAsync(from, server));

    /// <inheritdoc/>
    public Task<TableAnswer?> AskTableAsync(TableQuestion question) => AskAsync(service => service.AskTableAsync(question));

    /// <inheritdoc/>
    public Task<IReadOnlyList<ReplicatedTableChangeMessage>?> GetTablePositionsAsync(CoapRecordKind table) =>
        AskAsync(service => service.GetTablePositionsAsync(table));

    /// <inheritdoc/>
    public Task<OutboxAddition?> QueueRequestAsync(OutboxEntry request) => AskAsync(service => service.QueueRequestAsync(request));

    /// <inheritdoc/>
    public Task<OutboxOutcome?> WaitForRequestAsync(string device, Guid id) =>
        AskAsync(service => service.WaitForRequestAsync(device, id));

    /// <inheritdoc/>
    public Task<IReadOnlyList<CoapQueuedRequest>?> GetQueuedRequestsAsync(string device) =>
        AskAsync(service => service.GetQueuedRequestsAsync(device));

    /// <inheritdoc/>
    public Task<bool?> CancelRequestAsync(string device, Guid id) => AskAsync(service => service.CancelRequestAsync(device, id));

    private Task<T> AskAsync<T>(Func<INodeService, Task<T>> ask) => hub.CallAsync(caller, node, other => ask(other.Service));

    private Task<bool> RelayAsync(int count, Func<INodeService, Task> post) => PostAsync(service =>
    {
        caller.OnRelayed(count);
        return post(service);
    });

    private Task<bool> PostAsync(Func<INodeService, Task> post) => hub.CallAsync(caller, node, async other =>
    {
        await post(other.Service).ConfigureAwait(false);
        return true;
    });
}
