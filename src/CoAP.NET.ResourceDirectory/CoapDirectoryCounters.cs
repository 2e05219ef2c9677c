namespace CoAP.NET.ResourceDirectory;

/// <summary>What a directory has done so far, and holds; see <see cref="CoapDirectoryServer.GetCounters"/>.</summary>
public sealed record CoapDirectoryCounters
{
    /// <summary>Endpoints that can be found at the moment.</summary>
    public int Endpoints { get; init; }

    /// <summary>Registrations that are held at the moment, with those whose lifetime is over and that can still be refreshed.</summary>
    public int Held { get; init; }

    /// <summary>The bytes that they take, with their places in the index.</summary>
    public long Bytes { get; init; }

    /// <summary>Sources that have registrations.</summary>
    public int Sources { get; init; }

    /// <summary>Different look-ups that are observed at the moment.</summary>
    public int Watched { get; init; }

    /// <summary>Registrations that were taken, new ones and such that replaced others.</summary>
    public long Registrations { get; init; }

    /// <summary>Simple registrations that were taken (RFC 9176 section 5.1).</summary>
    public long SimpleRegistrations { get; init; }

    /// <summary>Updates that were taken.</summary>
    public long Updates { get; init; }

    /// <summary>Registrations that were removed by whoever made them.</summary>
    public long Removals { get; init; }

    /// <summary>Look-ups.</summary>
    public long LookUps { get; init; }

    /// <summary>Look-ups that were refused, as they cannot be read or would take too much.</summary>
    public long LookUpsRefused { get; init; }

    /// <summary>Look-ups that went through more registrations than <see cref="CoapDirectoryOptions.MaxScanned"/>.</summary>
    public long Scans { get; init; }

    /// <summary>Such look-ups that were refused (5.03) as too many were under way.</summary>
    public long ScansRefused { get; init; }

    /// <summary>Observed look-ups whose observers were told that the result changed.</summary>
    public long Notices { get; init; }

    /// <summary>Look-ups that were answered plainly although the client wanted to observe them, for lack of room.</summary>
    public long WatchesRefused { get; init; }

    /// <summary>Observed look-ups of the source that had most, which gave way to those of sources that have less. Their observers were told
    /// 4.04.</summary>
    public long WatchesGaveWay { get; init; }

    /// <summary>Requests that were refused for what they asked or who asked, with <see cref="LookUpsRefused"/>.</summary>
    public long Refusals { get; init; }

    /// <summary>Requests that were asked to come again with an Echo (4.01).</summary>
    public long Challenges { get; init; }

    /// <summary>Links of endpoints that are being fetched at the moment (RFC 9176 section 5.1).</summary>
    public int Fetches { get; init; }

    /// <summary>Simple registrations that were refused as too many links were being fetched (5.03).</summary>
    public long FetchesRefused { get; init; }

    /// <summary>Registrations that were refused as the directory was full (5.03).</summary>
    public long Full { get; init; }

    /// <summary>Registrations that were refused as their source had its share (4.03).</summary>
    public long ShareUsedUp { get; init; }

    /// <summary>Requests that got 5.03 as nobody could decide about the registration or keep it, or as not all were loaded yet.</summary>
    public long Unavailable { get; init; }

    /// <summary>Registrations that made room before the time in which they could be refreshed was over.</summary>
    public long Forgotten { get; init; }

    /// <summary>Registrations of the source that had most, which gave way to those of sources that have less.</summary>
    public long GaveWay { get; init; }
}
