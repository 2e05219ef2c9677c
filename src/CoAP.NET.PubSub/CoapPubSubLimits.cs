using CoAP.NET.Settings;

namespace CoAP.NET.PubSub;

/// <summary>Limits of a broker, in <see cref="CoapPubSubOptions.Limits"/>.</summary>
[Experimental(PubSubDraft.DiagnosticId)]
[HasSettings]
public sealed partial class CoapPubSubLimits
{
    internal CoapPubSubLimits()
    {
    }

    /// <summary>The maximum number of topics.</summary>
    /// <remarks>
    /// A source (<see cref="CoapQuotaSource"/>) has no more than its share, unless another source has even more: a topic of the source with
    /// the most topics is then evicted for one of a source with fewer. Other requests get 5.03.
    /// </remarks>
    [NumberRange(1)]
    public partial int MaxTopics { get; set; } = 10_000;

    /// <summary>The maximum number of bytes of all topics with their data.</summary>
    /// <remarks>
    /// Topics count for the source that created them. The same rules apply as for <see cref="MaxTopics"/>.
    /// </remarks>
    [NumberRange(64 << 10, IsBytes = true)]
    public partial long MaxBytes { get; set; } = 64L << 20;

    /// <summary>The maximum number of bytes of the data of one topic, from</summary>
    /// <remarks>Larger publications get 4.13.</remarks>
    [NumberRange(1, 56 << 10, IsBytes = true)]
    public partial int MaxDataLength { get; set; } = 16 << 10;

    /// <summary>The maximum number of subscribers of a topic, regardless of its max-subscribers property.</summary>
    /// <remarks>
    /// Null, the default: only the limit of the server applies. On several nodes this limit and max-subscribers apply to each node.
    /// </remarks>
    [NumberRange(0)]
    public partial int? MaxSubscribers { get; set; }

    /// <summary>The maximum number of publications per second of one source to one topic, which is also the burst size.</summary>
    /// <remarks>Faster publications get 4.29 with the time to wait. Null for no limit.</remarks>
    [FactorRange(0, IsMinExcluded = true)]
    public partial double? PublicationsPerSecond { get; set; } = 100;

    /// <summary>The maximum lifetime of a topic, from its creation and from each change. At least 1 s.</summary>
    /// <remarks>
    /// The broker assigns this expiration-date to a topic with a later one, or with none. Null, the default: the creator alone decides.
    /// </remarks>
    [TimeRange(1)]
    public partial TimeSpan? MaxLifetime { get; set; }

    /// <summary>
    /// The maximum number of topics of a collection that <c>/.well-known/core</c> lists with their data; 0 for none, default 100.
    /// </summary>
    /// <remarks>
    /// Only clients that filter by <c>rt</c>, such as <c>rt=core.ps.conf</c>, get them. If the client may read more topics than this, the
    /// response lists none; the collection lists all. Responses to group requests never list topics.
    /// </remarks>
    internal int MaxTopicsInDiscovery { get; set; } = 100;

    /// <exception cref="ArgumentOutOfRangeException">A limit is out of its range.</exception>
    internal void Check()
    {
        ArgumentOutOfRangeException.ThrowIfNegative(MaxTopicsInDiscovery);
    }
}
