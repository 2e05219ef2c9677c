using CoAP.NET.Cluster;
using CoAP.NET.PubSub.Serving;
using CoAP.NET.PubSub.Telemetry;
using CoAP.NET.PubSub.Topics;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.PubSub;

/// <summary>
/// A broker (draft-ietf-core-coap-pubsub-21): clients create topics in its collections, publish the latest state of something to them and
/// observe it. Map it to paths of one server by <see cref="CoapPubSubMapping.MapPubSub(ICoapRouteBuilder, string, CoapPubSubBroker)"/>.
/// Thread-safe.
/// </summary>
[Experimental(PubSubDraft.DiagnosticId)]
public sealed class CoapPubSubBroker : IAsyncDisposable
{
    private readonly CoapTable _table;
    private readonly List<Collection> _collections = [];

    /// <summary>Makes a broker.</summary>
    /// <param name="options">How it works; default: all defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public CoapPubSubBroker(CoapPubSubOptions? options = null)
    {
        CoapPubSubOptions own = (options ?? new CoapPubSubOptions()).Checked();
        ILogger logger = own.LoggerFactory?.CreateLogger("CoAP.NET.PubSub") ?? (ILogger)NullLogger.Instance;
        PubSubCounts counts = new(PubSubInstruments.Of(own.MeterFactory));
        TopicShares shares = new(own.MaxTopics, own.MaxBytes);
        TopicIndex index = new(shares, own.MaxSubscribers);
        BrokerReactions reactions = new(index, own.Scheduler, counts, logger);
        TableRules rules = new(index, reactions);
        _table = own.OpenTable?.Invoke(rules) ?? CoapTable.InMemory(rules, own.TimeProvider, logger: logger);
        Parts = new BrokerParts(own, _table, new TopicStamps(own.Random), index, shares, reactions, counts, logger);
    }

    internal BrokerParts Parts { get; }

    /// <summary>
    /// Loads the topics that were kept. To be called before the server starts, so that nobody is told that a topic is not there; a broker
    /// in memory needs it not.
    /// </summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that ends when all topics are there.</returns>
    /// <exception cref="ObjectDisposedException">The broker has ended.</exception>
    public async Task StartAsync(CancellationToken cancellationToken = default)
    {
        await _table.StartAsync(cancellationToken).ConfigureAwait(false);
        Parts.Reactions.Run();
    }

    /// <summary>What the broker has done so far, and what it has.</summary>
    /// <returns>The numbers of this moment.</returns>
    public CoapPubSubCounters GetCounters() => new()
    {
        Topics = Parts.Shares.Topics,
        Bytes = Parts.Shares.Bytes,
        Subscribers = CountSubscribers(),
        Created = Parts.Counts[PubSubCount.Created],
        Changed = Parts.Counts[PubSubCount.Changed],
        Ended = Parts.Counts[PubSubCount.Ended],
        Expired = Parts.Counts[PubSubCount.Expired],
        GaveWay = Parts.Counts[PubSubCount.GaveWay],
        Publications = Parts.Counts[PubSubCount.Publications],
        Forbidden = Parts.Counts[PubSubCount.Forbidden],
        Invalid = Parts.Counts[PubSubCount.Invalid],
        TooFast = Parts.Counts[PubSubCount.TooFast],
        NoRoom = Parts.Counts[PubSubCount.NoRoom],
        Unavailable = Parts.Counts[PubSubCount.Unavailable],
    };

    /// <summary>Ends the broker; its routes answer 5.03 from then on. Topics in a cluster stay.</summary>
    /// <returns>A task that ends when the table has.</returns>
    public ValueTask DisposeAsync() => _table.DisposeAsync();

    internal CoapRouteHandlerBuilder Map(ICoapRouteBuilder routes, string path)
    {
        Collection collection = new(Parts);
        CoapRouteHandlerBuilder route = collection.Map(routes, path);
        lock (_collections)
        {
            _collections.Add(collection);
        }

        Parts.Reactions.Add(collection);
        return route;
    }

    private int CountSubscribers()
    {
        lock (_collections)
        {
            return _collections.Sum(static collection => collection.Subscribers);
        }
    }
}
