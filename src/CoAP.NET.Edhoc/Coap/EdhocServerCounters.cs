namespace CoAP.NET.Edhoc.Coap;

/// <summary>The counters of an <see cref="EdhocServer"/>.</summary>
internal sealed record EdhocServerCounters
{
    /// <summary>Sessions now pending, including failed ones that still count for their source.</summary>
    public int Sessions { get; init; }

    /// <summary>Sessions that began, and for which the server computed keys.</summary>
    public long Begun { get; init; }

    /// <summary>Sessions whose peer has proved its identity.</summary>
    public long Established { get; init; }

    /// <summary>Sessions established by the first request that OSCORE protected (RFC 9668).</summary>
    public long Combined { get; init; }

    /// <summary>Current security contexts of sessions in <see cref="EdhocServerOptions.Contexts"/>.</summary>
    public int Contexts { get; init; }

    /// <summary>Sessions that failed because of an invalid message or an untrusted peer.</summary>
    public long Failed { get; init; }

    /// <summary>Sessions that timed out, or were evicted for those of other sources.</summary>
    public long Abandoned { get; init; }

    /// <summary>
    /// Requests that got a challenge to return with an Echo, because the address of their client was not verified (4.01).
    /// </summary>
    public long Challenges { get; init; }

    /// <summary>First messages that the server refused for lack of room (5.03).</summary>
    public long Busy { get; init; }

    /// <summary>
    /// Requests that the server refused before a session began: malformed ones, wrong suites and methods, unknown identifiers.
    /// </summary>
    public long Refused { get; init; }
}
