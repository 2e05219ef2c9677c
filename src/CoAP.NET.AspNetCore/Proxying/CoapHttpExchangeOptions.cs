using CoAP.NET.Http;

namespace CoAP.NET.AspNetCore;

/// <summary>How HTTP clients are answered with resources of CoAP servers.</summary>
public abstract class CoapHttpExchangeOptions
{
    private protected CoapHttpExchangeOptions() => Counters = new CoapHttpCounters(() => SharedRequests.Shared);

    /// <summary>The tables of methods, codes and media types.</summary>
    public CoapHttpTranslator Translator { get; } = new();

    /// <summary>How long a request may take until the response begins; then 504. Above zero; default 60 s.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero.</exception>
    public TimeSpan Timeout
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            field = value;
        }
    } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// Whether a GET that accepts <c>text/event-stream</c> observes the resource (RFC 7641) and gets its notifications as server-sent
    /// events. This is our own, no RFC says it. Default true.
    /// </summary>
    public bool ServerSentEvents { get; set; } = true;

    /// <summary>
    /// Whether a WebSocket to the target observes the resource and gets a message for each notification. This is our own, no RFC says it.
    /// Needs <c>UseWebSockets</c>. Pages of other origins are refused. Default true.
    /// </summary>
    public bool WebSockets { get; set; } = true;

    /// <summary>How many requests and observations may be under way; others get 503. 1 or more; default 1,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxRequests { get; set => field = AtLeastOne(value); } = 1000;

    /// <summary>
    /// How many of them may be of one source: an authenticated user, otherwise an IPv4 address or the first 56 bits of an IPv6 address. It
    /// never gets more than half of what is free either. 1 or more; default 100.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxRequestsPerSource { get; set => field = AtLeastOne(value); } = 100;

    /// <summary>
    /// How long a client may take for what it owes: to read an event or a message of a WebSocket, and to send the beginning of a body (64
    /// KiB, or all of it). Then its connection is cut off, and 408 is the answer to a body. Above zero; default 30 s.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero.</exception>
    public TimeSpan StallTimeout
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            field = value;
        }
    } = TimeSpan.FromSeconds(30);

    /// <summary>What the path has done so far.</summary>
    public CoapHttpCounters Counters { get; }

    /// <summary>Equal requests that are under way.</summary>
    internal CoapHttpSharedRequests SharedRequests { get; } = new();

    private static int AtLeastOne(int value)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
        return value;
    }
}
