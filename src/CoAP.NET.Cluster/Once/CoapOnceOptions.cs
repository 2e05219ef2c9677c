namespace CoAP.NET.Cluster;

/// <summary>Where and for how long <see cref="CoapOnce"/> knows requests.</summary>
public sealed class CoapOnceOptions
{
    /// <summary>
    /// The name of the table: letters, digits and underscores, not a digit first, with the name of a schema and a dot in front if need be;
    /// at most 63 characters each. Default <c>coap_once</c>.
    /// </summary>
    public string Table { get; set; } = "coap_once";

    /// <summary>
    /// For how long a request is known: at least as long as clients send copies, and no longer than until they use a Message ID and a token
    /// again. 93 s to 1 day; default 247 s, which is EXCHANGE_LIFETIME (RFC 7252 section 4.8.2).
    /// </summary>
    public TimeSpan Lifetime { get; set; } = TimeSpan.FromSeconds(247);
}
