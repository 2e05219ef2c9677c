namespace CoAP.NET.Edhoc;

/// <summary>What an <see cref="EdhocServer"/> has done so far; see <see cref="EdhocServer.GetCounters"/>.</summary>
public sealed record EdhocServerCounters
{
    /// <summary>Sessions that are under way at the moment, with those that failed and still count for their source.</summary>
    public int Sessions { get; init; }

    /// <summary>Sessions that began: for each of them keys were computed.</summary>
    public long Begun { get; init; }

    /// <summary>Sessions whose peer has proven who it is.</summary>
    public long Established { get; init; }

    /// <summary>How many of them were established by the first request that OSCORE protected (RFC 9668).</summary>
    public long Combined { get; init; }

    /// <summary>Security contexts at the moment that sessions left in <see cref="EdhocServerOptions.Contexts"/>.</summary>
    public int Contexts { get; init; }

    /// <summary>Sessions that failed: by a wrong message, or a peer that is not trusted.</summary>
    public long Failed { get; init; }

    /// <summary>Sessions that had no more time, or gave way to those of other sources.</summary>
    public long Abandoned { get; init; }

    /// <summary>Requests that were asked to come again with an Echo, as nobody had verified the address of their client (4.01).</summary>
    public long Challenges { get; init; }

    /// <summary>First messages that were refused for lack of room (5.03).</summary>
    public long Busy { get; init; }

    /// <summary>Requests that were refused before a session began: malformed ones, wrong suites and methods, unknown identifiers.</summary>
    public long Refused { get; init; }
}
