namespace CoAP.NET.PubSub;

/// <summary>What a broker has done so far, and what it has; see <see cref="CoapPubSubBroker.GetCounters"/>.</summary>
[Experimental(PubSubDraft.DiagnosticId)]
public sealed record CoapPubSubCounters
{
    /// <summary>The topics that there are, on all nodes.</summary>
    public int Topics { get; init; }

    /// <summary>The bytes that they take, as <see cref="CoapPubSubOptions.MaxBytes"/> counts them.</summary>
    public long Bytes { get; init; }

    /// <summary>The subscribers of this node.</summary>
    public int Subscribers { get; init; }

    /// <summary>Topics that clients of this node created.</summary>
    public long Created { get; init; }

    /// <summary>Changes of configurations that clients of this node made.</summary>
    public long Changed { get; init; }

    /// <summary>Topics that ended, as they were deleted on whatever node or expired.</summary>
    public long Ended { get; init; }

    /// <summary>Those of <see cref="Ended"/> whose time was over.</summary>
    public long Expired { get; init; }

    /// <summary>
    /// Topics of the source that had most, which gave way to those of sources that have less, by requests to this node. They are among
    /// <see cref="Ended"/>, too.
    /// </summary>
    public long GaveWay { get; init; }

    /// <summary>Publications that were taken.</summary>
    public long Publications { get; init; }

    /// <summary>Requests that were refused as their client may not do that (4.01, 4.03).</summary>
    public long Forbidden { get; init; }

    /// <summary>Requests that were refused for what they say (4.00, 4.13, 4.15).</summary>
    public long Invalid { get; init; }

    /// <summary>Publications that were refused as they came too fast (4.29).</summary>
    public long TooFast { get; init; }

    /// <summary>Requests that were refused for lack of room (5.03).</summary>
    public long NoRoom { get; init; }

    /// <summary>Requests to which the table had no answer (5.03).</summary>
    public long Unavailable { get; init; }
}
