using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.PubSub;

/// <summary>Options of a broker.</summary>
/// <remarks>The broker reads them once, in its constructor; later changes have no effect.</remarks>
[Experimental(PubSubDraft.DiagnosticId)]
public sealed class CoapPubSubOptions
{
    /// <summary>The maximum number of topics, 1 or more. Default 10,000.</summary>
    /// <remarks>
    /// A source (<see cref="CoapSource"/>) never has more topics than are free, at most half of them, unless another source has even more.
    /// When the broker is full, a topic of the source with the most topics gives way to one of a source with fewer; other requests get
    /// 5.03.
    /// </remarks>
    public int MaxTopics { get; set; } = 10_000;

    /// <summary>The maximum number of bytes of all topics with their data, 64 KiB or more. Default 64 MiB.</summary>
    /// <remarks>
    /// Topics count for the source that created them. A source never has more than is free unless another source has even more. When the
    /// limit is reached, the same rules apply as for <see cref="MaxTopics"/>.
    /// </remarks>
    public long MaxBytes { get; set; } = 64L << 20;

    /// <summary>The maximum number of bytes of the data of one topic, from 1 to 56 KiB. Default 16 KiB.</summary>
    /// <remarks>Larger publications get 4.13.</remarks>
    public int MaxDataLength { get; set; } = 16 << 10;

    /// <summary>The maximum number of subscribers of a topic, regardless of its max-subscribers property.</summary>
    /// <remarks>
    /// Null, the default: only the limit of the server applies. On several nodes this limit and max-subscribers apply to each node.
    /// </remarks>
    public int? MaxSubscribers { get; set; }

    /// <summary>
    /// The maximum number of publications per second of one source to one topic, which is also the burst size. Above 0; default 100.
    /// </summary>
    /// <remarks>Faster publications get 4.29 with the time to wait. Null for no limit.</remarks>
    public double? PublicationsPerSecond { get; set; } = 100;

    /// <summary>The maximum lifetime of a topic, from its creation and from each change. At least 1 s.</summary>
    /// <remarks>
    /// The broker assigns this expiration-date to a topic with a later one, or with none. Null, the default: the creator alone decides.
    /// </remarks>
    public TimeSpan? MaxLifetime { get; set; }

    /// <summary>The Max-Age of data, from 1 s. Default 10 minutes.</summary>
    /// <remarks>
    /// A subscriber that receives nothing for longer subscribes again. Readers that do not subscribe get a Max-Age of one minute at most.
    /// </remarks>
    public TimeSpan DataMaxAge { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>Decides whether a client may perform an operation on a topic, or create one.</summary>
    /// <remarks>
    /// The callback runs on any thread and must be quick. The broker also calls it for subscribers at each publication, once for all
    /// clients of one identity. The result must therefore depend on the identity of the peer, not on its address. Null, the default: all
    /// clients may do everything, but only its known owner may change or delete a topic.
    /// </remarks>
    public Func<CoapRequest, CoapPubSubOperation, CoapPubSubTopicInfo, bool>? Authorize { get; set; }

    /// <summary>
    /// The maximum number of topics of a collection that <c>/.well-known/core</c> lists with their data; 0 for none, default 100.
    /// </summary>
    /// <remarks>
    /// Only clients that filter by <c>rt</c>, such as <c>rt=core.ps.conf</c>, get them. If the client may read more topics than this, the
    /// response lists none; the collection lists all. Responses to group requests never list topics.
    /// </remarks>
    public int MaxTopicsInDiscovery { get; set; } = 100;

    /// <summary>Opens the table that holds the topics, such as <c>rules => cluster.OpenTable(CoapTableKind.Topics, rules)</c>.</summary>
    /// <remarks>
    /// Topics in a cluster outlive the process and are the same on all nodes. Null, the default: the topics are in memory of this process.
    /// </remarks>
    public Func<ICoapTableRules, CoapTable>? OpenTable { get; set; }

    /// <summary>Whether the broker answers each publication only after the store of the cluster has confirmed it. Default false.</summary>
    /// <remarks>
    /// With true no answered publication is lost when a node fails. With false this holds for the first publication of a topic; the broker
    /// writes later ones right after their answer. A broker in memory has no store.
    /// </remarks>
    public bool KeepEachPublication { get; set; }

    /// <summary>The clock. Default: that of the server, if <c>MapPubSub</c> creates the broker; otherwise the system clock.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>Runs reactions to changes made by other nodes and by the clock. Default: threads of the library.</summary>
    public CoapScheduler Scheduler { get; set; } = CoapScheduler.Default;

    /// <summary>
    /// The source of random numbers. Default: that of the server, if <c>MapPubSub</c> creates the broker; otherwise that of the operating
    /// system.
    /// </summary>
    public CoapRandomSource Random { get; set; } = CoapRandomSource.Secure;

    /// <summary>The logger factory; null, the default, disables logging.</summary>
    public ILoggerFactory? LoggerFactory { get; set; }

    /// <summary>Creates the meter of <see cref="CoapTelemetry.MeterName"/>; null, the default, uses the meter of the process.</summary>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>Returns a copy that has the clock and the random source of a server, unless it has its own.</summary>
    /// <param name="routes">The routes of the server.</param>
    internal CoapPubSubOptions Of(CoapRouteGroup routes)
    {
        CoapPubSubOptions own = (CoapPubSubOptions)MemberwiseClone();
        own.TimeProvider = TimeProvider == TimeProvider.System ? routes.TimeProvider ?? TimeProvider : TimeProvider;
        own.Random = Random == CoapRandomSource.Secure ? routes.Random ?? Random : Random;
        return own;
    }

    internal CoapPubSubOptions Checked()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxTopics, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxBytes, 64 << 10);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxDataLength, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxDataLength, 56 << 10);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxSubscribers ?? 0);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxTopicsInDiscovery);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(PublicationsPerSecond ?? 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxLifetime ?? TimeSpan.MaxValue, TimeSpan.FromSeconds(1));
        ArgumentOutOfRangeException.ThrowIfLessThan(DataMaxAge, TimeSpan.FromSeconds(1));
        ArgumentNullException.ThrowIfNull(TimeProvider);
        ArgumentNullException.ThrowIfNull(Scheduler);
        ArgumentNullException.ThrowIfNull(Random);
        return (CoapPubSubOptions)MemberwiseClone();
    }
}
