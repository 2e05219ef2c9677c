using System.Diagnostics.Metrics;
using CoAP.NET.Cluster;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.PubSub;

/// <summary>How a broker works. Read when it is made; what is set later does not matter.</summary>
[Experimental(PubSubDraft.DiagnosticId)]
public sealed class CoapPubSubOptions
{
    /// <summary>
    /// How many topics there may be, 1 or more; default 10,000. A source (<see cref="CoapSource"/>) never has more than there is free, so
    /// half of them at most, unless another one has more still. When there are as many, a topic of the source that has most gives way to
    /// one of a source that has less; for others 5.03.
    /// </summary>
    public int MaxTopics { get; set; } = 10_000;

    /// <summary>
    /// How many bytes all topics with their data may take, 64 KiB or more; default 64 MiB. Topics count for the source that created them,
    /// which never has more than is free unless another one has more still. Beyond that as with <see cref="MaxTopics"/>.
    /// </summary>
    public long MaxBytes { get; set; } = 64L << 20;

    /// <summary>How many bytes the data of one topic may have, from 1 to 56 KiB; default 16 KiB. Beyond that: 4.13.</summary>
    public int MaxDataLength { get; set; } = 16 << 10;

    /// <summary>
    /// How many may subscribe to a topic at most, whatever its max-subscribers says; null, the default: as many as the server takes.
    /// On several nodes this and max-subscribers hold for each node.
    /// </summary>
    public int? MaxSubscribers { get; set; }

    /// <summary>
    /// How many times a second one source may publish to one topic, and how many times at once; above 0, default 100. Beyond that: 4.29
    /// with the time to wait. Null for no limit.
    /// </summary>
    public double? PublicationsPerSecond { get; set; } = 100;

    /// <summary>
    /// How long a topic lasts at most, from its creation and from each change; a topic with a later expiration-date, or with none, is given
    /// this one. Null, the default: as long as its creator says. At least 1 s.
    /// </summary>
    public TimeSpan? MaxLifetime { get; set; }

    /// <summary>
    /// The Max-Age of data, from 1 s; default 10 minutes. A subscriber that hears nothing for longer subscribes again. Who reads without
    /// subscribing is told a minute at most.
    /// </summary>
    public TimeSpan DataMaxAge { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>
    /// Says whether a client may do something with a topic, or create one. Called by any thread; it must be quick. Also for those who
    /// subscribe, at each publication, once for all clients of one identity; so what it says must follow from the identity of the
    /// peer, not from its address. Default null: everybody may do everything, but a topic of an owner that is known is changed and
    /// deleted by that one only.
    /// </summary>
    public Func<CoapRequest, CoapPubSubOperation, CoapPubSubTopicInfo, bool>? Authorize { get; set; }

    /// <summary>
    /// How many topics of a collection <c>/.well-known/core</c> lists at most, with their data, to clients that ask by <c>rt</c>, such as
    /// <c>rt=core.ps.conf</c>; 0 for none, default 100. When there are more that the client may read, it lists none: the collection lists
    /// them all. Groups are never told topics.
    /// </summary>
    public int MaxTopicsInDiscovery { get; set; } = 100;

    /// <summary>
    /// Opens the table that the topics stand in, such as <c>rules => cluster.OpenTable(CoapRecordKind.Topic, rules)</c>: so they outlive
    /// the process, and are the same on all nodes. Default null: in memory of this process.
    /// </summary>
    public Func<ICoapTableRules, CoapTable>? OpenTable { get; set; }

    /// <summary>
    /// Whether each publication is answered only once the store of the cluster has confirmed it, so that none that was answered is lost
    /// with a node. Default false: the first one of a topic is, and later ones are written at once after their answer. In memory there is
    /// no store.
    /// </summary>
    public bool KeepEachPublication { get; set; }

    /// <summary>The clock; default: that of the system.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>What runs reactions to changes that other nodes and the clock made; default: threads of the library.</summary>
    public CoapScheduler Scheduler { get; set; } = CoapScheduler.Default;

    /// <summary>Entropy; default: that of the operating system.</summary>
    public CoapRandomSource Random { get; set; } = CoapRandomSource.Secure;

    /// <summary>Where the broker logs; default null: nowhere.</summary>
    public ILoggerFactory? LoggerFactory { get; set; }

    /// <summary>Makes the meter of <see cref="CoapTelemetry.MeterName"/>; default null: there is one for the process.</summary>
    public IMeterFactory? MeterFactory { get; set; }

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
