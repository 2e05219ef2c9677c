namespace CoAP.NET.PubSub;

/// <summary>Counters of a broker since its start, and its current size; see <see cref="CoapPubSubBroker.GetCounters"/>.</summary>
[Experimental(PubSubDraft.DiagnosticId)]
internal sealed record CoapPubSubCounters
{
    /// <summary>The current number of topics on all nodes.</summary>
    public int Topics { get; init; }

    /// <summary>The bytes that the topics take, as <see cref="CoapPubSubLimits.MaxBytes"/> counts them.</summary>
    public long Bytes { get; init; }

    /// <summary>The current number of subscribers of this node.</summary>
    public int Subscribers { get; init; }

    /// <summary>Topics that clients of this node created.</summary>
    public long Created { get; init; }

    /// <summary>Configuration changes made by clients of this node.</summary>
    public long Changed { get; init; }

    /// <summary>Topics that ended: deleted on any node, or expired.</summary>
    public long Ended { get; init; }

    /// <summary>The part of <see cref="Ended"/> that expired.</summary>
    public long Expired { get; init; }

    /// <summary>
    /// Topics that this node evicted to make room. Each belonged to the source with the most topics and was evicted for a source with
    /// fewer. <see cref="Ended"/> includes them.
    /// </summary>
    public long Evicted { get; init; }

    public long Publications { get; init; }

    /// <summary>Requests refused because the client lacks permission (4.01, 4.03).</summary>
    public long Forbidden { get; init; }

    /// <summary>Requests refused because of their content (4.00, 4.13, 4.15).</summary>
    public long Invalid { get; init; }

    /// <summary>Publications refused because they came too fast (4.29).</summary>
    public long TooFast { get; init; }

    /// <summary>Requests refused for lack of room (5.03).</summary>
    public long NoCapacity { get; init; }

    /// <summary>Requests that the table could not answer (5.03).</summary>
    public long Unavailable { get; init; }
}
