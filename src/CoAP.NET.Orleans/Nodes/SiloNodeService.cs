using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Devices.Outbox;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Steering;
using CoAP.NET.Cluster.Tables;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>Calls the node of another silo. Thread-safe.</summary>
/// <param name="silo">The service of that silo.</param>
internal sealed class SiloNodeService(ICoapNodeService silo) : INodeService
{
    /// <inheritdoc/>
    public Task RelayDatagramsAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> datagrams) =>
        silo.RelayDatagramsAsync(from.Value, [.. datagrams.Select(NodeDatagram.Of)]);

    /// <inheritdoc/>
    public Task ReturnDatagramsAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> datagrams) =>
        silo.ReturnDatagramsAsync(from.Value, [.. datagrams.Select(NodeDatagram.Of)]);

    /// <inheritdoc/>
    public Task RelayOscoreAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> messages) =>
        silo.RelayOscoreAsync(from.Value, [.. messages.Select(NodeDatagram.Of)]);

    /// <inheritdoc/>
    public Task ReturnOscoreAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> messages) =>
        silo.ReturnOscoreAsync(from.Value, [.. messages.Select(NodeDatagram.Of)]);

    /// <inheritdoc/>
    public Task RemoveResumptionsAsync(IReadOnlyList<CoapRecordKey> sessions) =>
        silo.RemoveResumptionsAsync([.. sessions.Select(NodeResumptionKey.Of)]);

    /// <inheritdoc/>
    public Task ReportTableChangesAsync(IReadOnlyList<ReplicatedTableChangeMessage> changes) =>
        silo.ReportTableChangesAsync([.. changes.Select(NodeTableChange.Of)]);

    /// <inheritdoc/>
    public Task ReportResourceChangesAsync(IReadOnlyList<string> names) => silo.ReportResourceChangesAsync([.. names]);

    /// <inheritdoc/>
    public async Task<RelayPathOffer?> OfferRelayPathAsync(CoapNodeId from, ReadOnlyMemory<byte> server) =>
        (await silo.OfferRelayPathAsync(from.Value, server.ToArray()).ConfigureAwait(false))?.ToOffer();

    /// <inheritdoc/>
    public async Task<TableAnswer?> AskTableAsync(TableQuestion question) =>
        (await silo.AskTableAsync(NodeTableQuestion.Of(question)).ConfigureAwait(false))?.ToAnswer();

    /// <inheritdoc/>
    public async Task<IReadOnlyList<ReplicatedTableChangeMessage>?> GetTablePositionsAsync(CoapRecordKind table) =>
        await silo.GetTablePositionsAsync((byte)table).ConfigureAwait(false) is { } positions
            ? Array.ConvertAll(positions, static position => position.ToChange())
            : null;

    /// <inheritdoc/>
    public async Task<OutboxAddition?> QueueRequestAsync(OutboxEntry request) =>
        (await silo.QueueRequestAsync(NodeOutboxRequest.Of(request)).ConfigureAwait(false))?.ToAddition();

    /// <inheritdoc/>
    public async Task<OutboxOutcome?> WaitForRequestAsync(string device, Guid id) =>
        (await silo.WaitForRequestAsync(device, id).ConfigureAwait(false))?.ToOutcome();

    /// <inheritdoc/>
    public async Task<IReadOnlyList<CoapQueuedRequest>?> GetQueuedRequestsAsync(string device) =>
        await silo.GetQueuedRequestsAsync(device).ConfigureAwait(false) is { } requests
            ? Array.ConvertAll(requests, static request => request.ToPublic())
            : null;

    /// <inheritdoc/>
    public Task<bool?> CancelRequestAsync(string device, Guid id) => silo.CancelRequestAsync(device, id);
}
