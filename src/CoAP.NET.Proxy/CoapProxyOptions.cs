using CoAP.NET.Settings;

namespace CoAP.NET.Proxy;

/// <summary>Options of a proxy.</summary>
/// <remarks>The constructor of <see cref="CoapProxy"/> reads them; only <see cref="Targets"/> can change later.</remarks>
[HasSettings]
public sealed partial class CoapProxyOptions
{
    /// <summary>The targets that a forward proxy allows. Default: none.</summary>
    public CoapProxyTargets Targets { get; } = new();

    /// <summary>
    /// The names of the proxy itself, in addition to the addresses that its server listens on: <c>gateway.example.com</c>, with or without
    /// a port.
    /// </summary>
    /// <remarks>The routes of the server answer requests for these names. Default: empty.</remarks>
    public IList<string> Names { get; } = new SettingList<string>();

    /// <summary>The name of the proxy in 5.08 Hop Limit Reached (RFC 8768 section 4): a few characters without a space.</summary>
    /// <remarks>Null, the default: the first of <see cref="Names"/>, or the address that received the request.</remarks>
    /// <exception cref="ArgumentException">The name is empty, longer than 64 characters, or contains a space or a control
    /// character.</exception>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public string? Identifier
    {
        get;
        set
        {
            ThrowIfReadOnly();
            field = value is null
                || (value.Length is > 0 and <= 64 && !value.Any(static c => char.IsWhiteSpace(c) || char.IsControl(c)))
                ? value
                : throw new ArgumentException(
                    "The identifier is not valid. Use 1 to 64 characters without spaces (RFC 8768 section 4).", nameof(value));
        }
    }

    /// <summary>The Hop-Limit of requests that have none (RFC 8768 section 3)</summary>
    /// <remarks>It is the number of further proxies that may forward the request.</remarks>
    [NumberRange(1, 255)]
    public partial int HopLimit { get; set; } = CoAP.NET.HopLimitOption.DefaultValue;

    /// <summary>Whether the proxy replaces the Hop-Limit of every request with <see cref="HopLimit"/>. Default false.</summary>
    /// <remarks>
    /// Set it for a proxy at the boundary of a network that does not reveal how far requests may travel (RFC 8768 section 3). The hops then
    /// no longer detect a loop through this proxy: such a loop ends after <see cref="Timeout"/>.
    /// </remarks>
    public partial bool RewritesHopLimit { get; set; }

    /// <summary>The maximum time for the response to a request before the client gets 5.04.</summary>
    /// <remarks>While a body passes as a stream, it is the maximum time that each side may stall.</remarks>
    [TimeRange(0, 24 * Seconds.Day, IsMinExcluded = true)]
    public partial TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>Whether a client on datagrams must prove its address before its first request is forwarded. Default true.</summary>
    /// <remarks>
    /// Until then the client gets 4.01 with an Echo (RFC 9175 section 2.3); clients of this library and libcoap answer it automatically.
    /// This prevents requests with a forged source address.
    /// </remarks>
    public partial bool RequireVerified { get; set; } = true;

    /// <summary>
    /// Whether clients on a plain transport may send requests to servers with a secured one (<c>coaps</c>, <c>https</c>). Default false:
    /// they get 4.01.
    /// </summary>
    /// <remarks>
    /// With true the proxy lends such clients its credentials, and sends confidential data in plain text (RFC 7252 section 11.2).
    /// </remarks>
    public partial bool AllowSecuredTargetsToAnyone { get; set; }

    /// <summary>How much the proxy forwards, holds and caches.</summary>
    public CoapProxyLimits Limits { get; } = new();

    /// <summary>
    /// Whether a reverse proxy rewrites the links of servers, such as those of <c>/.well-known/core</c> (RFC 6690), for clients to follow
    /// them through the proxy. Default false: links pass unchanged.
    /// </summary>
    /// <remarks>
    /// The proxy prefixes the links below its target with the path that it is mapped at. It keeps links to other servers and removes links
    /// to resources that it does not reach. Documents of more than 64 KiB or 2,000 links are answered 5.02.
    /// </remarks>
    public partial bool RewritesLinks { get; set; }

    /// <summary>
    /// The next proxy, which receives all requests of a forward proxy, such as <c>coap://proxy.example.com</c>. Default: null, the proxy
    /// sends to the servers directly.
    /// </summary>
    /// <remarks>The next proxy resolves the names of targets. This proxy therefore checks the names only, not their addresses.</remarks>
    public partial CoapUri? NextProxy { get; set; }

    /// <summary>Configures the proxy's own clients: credentials, transports, log, clock. Default: null.</summary>
    /// <remarks>
    /// The proxy forwards to the schemes of CoAP, and to those of <see cref="CoapTransportOptions.Factories"/>. It wraps
    /// <see cref="CoapTransportOptions.ResolveHost"/> afterwards.
    /// </remarks>
    public partial Action<CoapEndpointOptions>? ConfigureClient { get; set; }
}
