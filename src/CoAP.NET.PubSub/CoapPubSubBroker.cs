using CoAP.NET.Diagnostics;
using CoAP.NET.PubSub.Serving;
using CoAP.NET.PubSub.Telemetry;
using CoAP.NET.PubSub.Topics;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.PubSub;

/// <summary>
/// A publish-subscribe broker (draft-ietf-core-coap-pubsub-21): clients create topics in its collections, publish their latest state and
/// observe them.
/// </summary>
/// <remarks>
/// Map it to paths of one server with <see cref="CoapPubSubMapping.MapPubSub(ICoapRouteBuilder, string, CoapPubSubBroker)"/>. Thread-safe.
/// </remarks>
[Experimental(PubSubDraft.DiagnosticId)]
public sealed class CoapPubSubBroker : IAsyncDisposable
{
    private readonly CoapReplicatedTable _table;
    private readonly List<TopicCollection> _collections = [];

    /// <summary>Creates a broker.</summary>
    /// <param name="options">The options; null for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public CoapPubSubBroker(CoapPubSubOptions? options = null)
    {
        CoapPubSubOptions own = (options ?? new CoapPubSubOptions()).Checked();
        ILogger logger = own.LoggerFactory?.CreateLogger("CoAP.NET.PubSub") ?? (ILogger)NullLogger.Instance;
        EventCounter<PubSubCounterKind> counts = new(PubSubInstruments.Of(own.MeterFactory).Add);
        TopicQuota shares = new(own.Limits.MaxTopics, own.Limits.MaxBytes);
        TopicIndex index = new(shares, own.Limits.MaxSubscribers);
        TopicChangeReactions reactions = new(index, own.Scheduler, counts, logger);
        TopicTableRules rules = new(index, reactions);
        _table = own.OpenTable?.Invoke(rules) ?? own.Tables?.OpenTable(CoapReplicatedTableKind.Topics, rules)
            ?? CoapReplicatedTable.InMemory(rules, own.TimeProvider, logger: logger, random: own.Random);
        Parts = new BrokerContext(own, _table, new TopicRequestIdSource(own.Random), index, shares, reactions, counts, logger);
    }

    /// <summary>The current number of topics, of all nodes of a cluster.</summary>
    public int TopicCount => Parts.Shares.Topics;

    /// <summary>The current number of subscribers at this broker.</summary>
    public int SubscriberCount
    {
        get
        {
            lock (_collections)
            {
                return _collections.Sum(static collection => collection.Subscribers);
            }
        }
    }

    internal BrokerContext Parts { get; }

    /// <summary>Loads the topics that the table of the cluster keeps.</summary>
    /// <remarks>
    /// Call it before the server starts; otherwise clients get 4.04 for topics that exist. A broker in memory does not need it.
    /// </remarks>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that completes when all topics are loaded.</returns>
    /// <exception cref="ObjectDisposedException">The broker is disposed.</exception>
    public Task StartAsync(CancellationToken cancellationToken = default) => _table.StartAsync(cancellationToken);

    /// <summary>Returns the counters of the broker since its start and its current size.</summary>
    /// <returns>A snapshot of the counters.</returns>
    internal CoapPubSubCounters GetCounters() => new()
    {
        Topics = Parts.Shares.Topics,
        Bytes = Parts.Shares.Bytes,
        Subscribers = SubscriberCount,
        Created = Parts.Counts[PubSubCounterKind.Created],
        Changed = Parts.Counts[PubSubCounterKind.Changed],
        Ended = Parts.Counts[PubSubCounterKind.Ended],
        Expired = Parts.Counts[PubSubCounterKind.Expired],
        Evicted = Parts.Counts[PubSubCounterKind.Evicted],
        Publications = Parts.Counts[PubSubCounterKind.Publications],
        Forbidden = Parts.Counts[PubSubCounterKind.Forbidden],
        Invalid = Parts.Counts[PubSubCounterKind.Invalid],
        TooFast = Parts.Counts[PubSubCounterKind.TooFast],
        NoCapacity = Parts.Counts[PubSubCounterKind.NoCapacity],
        Unavailable = Parts.Counts[PubSubCounterKind.Unavailable],
    };

    /// <summary>Stops the broker; its routes answer 5.03 from then on. Topics in a cluster remain.</summary>
    /// <returns>A task that completes when the table has stopped.</returns>
    public ValueTask DisposeAsync() => _table.DisposeAsync();

    internal CoapRouteHandlerBuilder Map(ICoapRouteBuilder routes, string path)
    {
        TopicCollection collection = new(Parts);
        CoapRouteHandlerBuilder route = collection.Map(routes, path);
        lock (_collections)
        {
            _collections.Add(collection);
        }

        Parts.Reactions.Add(collection);
        return route;
    }
}
