namespace CoAP.NET.Diagnostics;

/// <summary>
/// The log categories of an endpoint: one for each area whose level an operator can set. All are below <see cref="Endpoint"/>.
/// </summary>
internal static class LogCategory
{
    /// <summary>The endpoint, its pipeline, and all messages without another category.</summary>
    public const string Endpoint = "CoAP.NET";

    /// <summary>Sockets of UDP, and groups.</summary>
    public const string Udp = "CoAP.NET.Udp";

    /// <summary>TCP, TLS, WebSockets and the ends of connections (RFC 8323).</summary>
    public const string Tcp = "CoAP.NET.Tcp";

    /// <summary>Handshakes, sessions and records of DTLS.</summary>
    public const string Dtls = "CoAP.NET.Dtls";

    /// <summary>OSCORE (RFC 8613).</summary>
    public const string Oscore = "CoAP.NET.Oscore";

    /// <summary>Files of keys, certificates and contexts that change while an endpoint runs.</summary>
    public const string Credentials = "CoAP.NET.Credentials";

    /// <summary>Block-wise transfer (RFC 7959).</summary>
    public const string Blockwise = "CoAP.NET.Blockwise";

    /// <summary>Observations of a client (RFC 7641).</summary>
    public const string Observe = "CoAP.NET.Observe";

    /// <summary>Routes and handlers of a server, and its notifications.</summary>
    public const string Routes = "CoAP.NET.Routes";

    /// <summary>The cache of a client or proxy.</summary>
    public const string Caching = "CoAP.NET.Caching";

    /// <summary>Resource directories (RFC 9176), and registrations with them.</summary>
    public const string ResourceDirectory = "CoAP.NET.ResourceDirectory";

    /// <summary>All categories.</summary>
    public static IReadOnlyList<string> All { get; } =
        [Endpoint, Udp, Tcp, Dtls, Oscore, Credentials, Blockwise, Observe, Routes, Caching, ResourceDirectory];

    /// <summary>Returns the category of a message by its event id (<see cref="Log"/>).</summary>
    /// <param name="eventId">The id.</param>
    public static string Of(int eventId) => eventId switch
    {
        1000 or 1001 or (>= 1005 and <= 1019) or 1450 => Udp,
        1024 or (>= 1500 and <= 1539) or 1544 => Routes,
        (>= 1020 and <= 1039) or (>= 1380 and <= 1399) => Tcp,
        (>= 1400 and <= 1449) or (>= 1540 and <= 1549) or (>= 1710 and <= 1729) => Blockwise,
        >= 1730 and <= 1749 => Observe,
        >= 1750 and <= 1759 => Caching,
        (>= 1806 and <= 1809) or (>= 1811 and <= 1813) => Credentials,
        >= 2100 and <= 2199 => Dtls,
        >= 2300 and <= 2399 => Oscore,
        >= 2630 and <= 2649 => ResourceDirectory,
        _ => Endpoint,
    };
}
