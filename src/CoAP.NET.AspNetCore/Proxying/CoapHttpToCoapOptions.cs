using CoAP.NET.AspNetCore.Proxying;
using CoAP.NET.Http;
using CoAP.NET.Settings;

namespace CoAP.NET.AspNetCore;

/// <summary>Options for serving resources of CoAP servers to HTTP clients.</summary>
[HasSettings]
public abstract partial class CoapHttpToCoapOptions
{
    private protected CoapHttpToCoapOptions() => Counters = new CoapHttpCounters(() => SharedRequests.Shared);

    /// <summary>The tables of methods, codes and media types.</summary>
    public CoapHttpTranslator Translator { get; } = new();

    /// <summary>The maximum time until the response begins; then the client gets 504.</summary>
    [TimeRange(0, IsMinExcluded = true)]
    public partial TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// Whether a GET that accepts <c>text/event-stream</c> observes the resource (RFC 7641) and gets its notifications as server-sent
    /// events. Default true.
    /// </summary>
    /// <remarks>This is an extension of this library, without an RFC.</remarks>
    public partial bool ServerSentEvents { get; set; } = true;

    /// <summary>Whether a WebSocket to the target observes the resource and gets a message for each notification. Default true.</summary>
    /// <remarks>
    /// This is an extension of this library, without an RFC. It needs <c>UseWebSockets</c>. Pages of other origins are refused.
    /// </remarks>
    public partial bool WebSockets { get; set; } = true;

    /// <summary>
    /// The host names, without port, under which web pages may open WebSockets from this machine, beside addresses and <c>localhost</c>.
    /// Default empty: those of the setting <c>AllowedHosts</c> of the application.
    /// </summary>
    /// <remarks>
    /// Otherwise a page of another site could reach the server by a name of its own (DNS rebinding); it gets 403. Add the name of the site
    /// if a proxy on this machine forwards its requests without saying from whom they come.
    /// </remarks>
    public ISet<string> AllowedHosts { get; } = new SettingSet<string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>The maximum number of pending requests and observations.</summary>
    /// <remarks>Further ones get 503.</remarks>
    [NumberRange(1)]
    public partial int MaxRequests { get; set; } = 1000;

    /// <summary>The maximum number of pending requests and observations per source.</summary>
    /// <remarks>
    /// A source is an authenticated user, otherwise an IPv4 address or the first 56 bits of an IPv6 address. It also never gets more than
    /// its share of the free places.
    /// </remarks>
    [NumberRange(1)]
    public partial int MaxRequestsPerSource { get; set; } = 100;

    /// <summary>
    /// The maximum time that a client may stall: to read an event or a WebSocket message, and to send the beginning of a body (64 KiB, or
    /// all of it).
    /// </summary>
    /// <remarks>After this time the connection is aborted; a slow body gets 408.</remarks>
    [TimeRange(0, IsMinExcluded = true)]
    public partial TimeSpan StallTimeout { get; set; } = TimeSpan.FromSeconds(30);

    internal CoapHttpCounters Counters { get; }

    internal CoapHttpRequestCoalescer SharedRequests { get; } = new();
}
