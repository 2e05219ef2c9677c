using System.Runtime.CompilerServices;
using CoAP.NET.Cluster.Devices.Outbox;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Steering;
using CoAP.NET.Cluster.Tables;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>Passes calls of other nodes to the parts of this one. Thread-safe.</summary>
/// <param name="cluster">This node.</param>
/// <param name="outbox">The outboxes of devices.</param>
/// <param name="logger">The log.</param>
internal sealed class NodeService(CoapCluster cluster, DeviceOutboxRouter outbox, ILogger logger) : INodeService
{
    public Task RelayDatagramsAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> datagrams) =>
        ForEach(datagrams, datagram => cluster.Relays.TakeForOwner(from, datagram.AsRelayed()));

    public Task ReturnDatagramsAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> datagrams) =>
        ForEach(datagrams, datagram => cluster.Relays.TakeForClient(datagram.AsRelayed()));

    public Task RelayOscoreAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> messages) =>
        ForEach(messages, message => cluster.Contexts.TakeForOwner(from, message.AsRelayed()));

    public Task ReturnOscoreAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> messages) =>
        ForEach(messages, message => cluster.Contexts.TakeForClient(message.AsRelayed()));

    public Task RemoveResumptionsAsync(IReadOnlyList<CoapRecordKey> sessions) => ForEach(sessions, cluster.Resumptions.RemoveOwned);

    public Task ReportTableChangesAsync(IReadOnlyList<ReplicatedTableChangeMessage> changes)
    {
        cluster.Tables.ReceiveChanges(changes);
        return Task.CompletedTask;
    }

    public Task ReportResourceChangesAsync(IReadOnlyList<string> names)
    {
        cluster.Notifications?.Apply(names);
        return Task.CompletedTask;
    }

    public Task<RelayPathOffer?> OfferRelayPathAsync(CoapNodeId from, ReadOnlyMemory<byte> server) =>
        Task.FromResult(cluster.Relays.Offer(from, server.Span));

    public Task<TableAnswer?> AskTableAsync(TableQuestion question) => cluster.Tables.ServeAsync(question);

    public Task<IReadOnlyList<ReplicatedTableChangeMessage>?> GetTablePositionsAsync(CoapRecordKind table) =>
        Task.FromResult(cluster.Tables.PositionsOf(table));

    public Task<OutboxAddition?> QueueRequestAsync(OutboxEntry request) => outbox.ServeAddAsync(request);

    public Task<OutboxOutcome?> WaitForRequestAsync(string device, Guid id) => outbox.ServeWaitAsync(device, id);

    public Task<IReadOnlyList<CoapQueuedRequest>?> GetQueuedRequestsAsync(string device) => outbox.ServeListAsync(device);

    public Task<bool?> CancelRequestAsync(string device, Guid id) => outbox.ServeCancelAsync(device, id);

    private Task ForEach<T>(IReadOnlyList<T> posts, Action<T> handle, [CallerMemberName] string kind = "")
    {
        foreach (T post in posts)
        {
            try
            {
                handle(post);
            }
#pragma warning disable CA1031 // only this post is lost
            catch (Exception exception)
#pragma warning restore CA1031
            {
                NodesLog.PostFailed(logger, kind, exception);
            }
        }

        return Task.CompletedTask;
    }
}
