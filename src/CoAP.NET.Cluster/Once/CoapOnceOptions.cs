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
    /// How long a request is remembered: at least as long as clients retransmit it, and at most until they reuse a Message ID and token. 93
    /// s to 1 day; default 247 s, which is EXCHANGE_LIFETIME (RFC 7252 section 4.8.2).
    /// </summary>
    public TimeSpan Lifetime { get; set; } = TimeSpan.FromSeconds(247);
}
