namespace CoAP.NET.Cluster;

/// <summary>The options of <see cref="CoapOnce"/>.</summary>
public sealed class CoapOnceOptions
{
    /// <summary>
    /// The name of the table: letters, digits and underscores, not a digit first, optionally after the name of a schema and a dot; at most
    /// 63 characters each. Default <c>coap_once</c>.
    /// </summary>
    public string Table { get; set; } = "coap_once";

    /// <summary>
    /// The time for which a request is remembered, 93 s to 1 day. Default 247 s, EXCHANGE_LIFETIME (RFC 7252 section 4.8.2).
    /// </summary>
    /// <remarks>
    /// It must be at least as long as clients retransmit a request, and at most the time after which they reuse a Message ID and token.
    /// </remarks>
    public TimeSpan Lifetime { get; set; } = TimeSpan.FromSeconds(247);
}
