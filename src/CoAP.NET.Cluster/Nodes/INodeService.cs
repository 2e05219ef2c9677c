using CoAP.NET.Cluster.Devices.Outbox;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Steering;
using CoAP.NET.Cluster.Tables;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// What a node does for another one: <see cref="NodeService"/> here, a call of an <see cref="INodeNetwork"/> elsewhere. Thread-safe.
/// </summary>
/// <remarks>
/// A post has no result: its task asks for the next ones (<see cref="NodePeer"/>). Each item of a post is handled in order; one that fails
/// is logged and lost. Callers of the other methods ask again if there is no answer.
/// </remarks>
internal interface INodeService
{
    /// <summary>Post: handles datagrams of sessions of the node that arrived at another one.</summary>
    Task RelayDatagramsAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> datagrams);

    /// <summary>Post: sends answers to clients whose datagrams arrived at the node.</summary>
    Task ReturnDatagramsAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> datagrams);

    /// <summary>Post: handles messages under OSCORE contexts of the node that arrived at another one.</summary>
    Task RelayOscoreAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> messages);

    /// <summary>Post: sends messages under OSCORE to clients whose messages arrived at the node.</summary>
    Task ReturnOscoreAsync(CoapNodeId from, IReadOnlyList<PostedDatagram> messages);

    /// <summary>Post: removes sessions that no client may resume any more, of slots of the node.</summary>
    Task RemoveResumptionsAsync(IReadOnlyList<CoapRecordKey> sessions);

    /// <summary>Post: notes changes of tables in slots of the calling node.</summary>
    Task ReportTableChangesAsync(IReadOnlyList<ReplicatedTableChangeMessage> changes);

    /// <summary>Notifies the observers at the node of changes of resources.</summary>
    /// <param name="names">Names of <see cref="Notifications.ClusterNotifications"/>.</param>
    Task ReportResourceChangesAsync(IReadOnlyList<string> names);

    /// <summary>Returns the UDP address at which a server accepts datagrams that the calling node relays, with a new key.</summary>
    /// <returns>The address; null if the server gets them only as posts, or does not run.</returns>
    Task<RelayPathOffer?> OfferRelayPathAsync(CoapNodeId from, ReadOnlyMemory<byte> server);

    /// <summary>Asks the owner of a slot of a table.</summary>
    Task<TableAnswer?> AskTableAsync(TableQuestion question);

    /// <summary>Returns for each slot of the node up to which change of a table it has told the others.</summary>
    /// <returns>The last changes, without keys; null if the node does not have the table.</returns>
    Task<IReadOnlyList<ReplicatedTableChangeMessage>?> GetTablePositionsAsync(CoapRecordKind table);

    /// <summary>Puts a request into the outbox of a device.</summary>
    /// <returns>The request or the reason for the refusal; null if the node does not have the outbox.</returns>
    Task<OutboxAddition?> QueueRequestAsync(OutboxEntry request);

    /// <summary>Waits for some time for the outcome of a request in the outbox of a device.</summary>
    /// <returns>The outcome; null if there is none yet, or the node does not have the outbox.</returns>
    Task<OutboxOutcome?> WaitForRequestAsync(string device, Guid id);

    /// <summary>Returns the requests in the outbox of a device.</summary>
    /// <returns>The requests; null if the node does not have the outbox.</returns>
    Task<IReadOnlyList<CoapQueuedRequest>?> GetQueuedRequestsAsync(string device);

    /// <summary>Cancels a request in the outbox of a device.</summary>
    /// <returns>Whether it will not be sent; null if the node does not have the outbox.</returns>
    Task<bool?> CancelRequestAsync(string device, Guid id);
}
