using CoAP.NET.Http;

namespace CoAP.NET.AspNetCore;

/// <summary>How HTTP clients are answered with resources of CoAP servers.</summary>
public abstract class CoapHttpExchangeOptions
{
    private protected CoapHttpExchangeOptions()
    {
    }

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
}
