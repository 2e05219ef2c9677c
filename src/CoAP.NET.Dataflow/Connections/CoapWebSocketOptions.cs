using System.Net;
using System.Net.WebSockets;

namespace CoAP.NET;

/// <summary>
/// How a client opens WebSockets, for <c>coap+ws</c> and <c>coaps+ws</c> (RFC 8323 section 4). Mutable; the endpoint copies it when it is
/// made. Times are those of <see cref="CoapStreamOptions"/>, and TLS is that of <see cref="CoapTlsOptions.Client"/>.
/// </summary>
public sealed class CoapWebSocketOptions
{
    /// <summary>The path of the registered well-known URI (RFC 8323 section 4.1).</summary>
    public const string DefaultPath = "/.well-known/coap";

    /// <summary>
    /// The path, and query, that the WebSocket is opened at; begins with a slash. Default <see cref="DefaultPath"/>, which RFC 8323 section
    /// 4.1 demands: something else is for servers that are mapped elsewhere.
    /// </summary>
    /// <exception cref="ArgumentException">It does not begin with a slash.</exception>
    public string Path
    {
        get;
        set => field = value is ['/', ..]
            ? value
            : throw new ArgumentException("The path of a WebSocket begins with a slash.", nameof(value));
    } = DefaultPath;

    /// <summary>Whether the connection goes by a proxy: <see cref="Proxy"/>, or the one of the system. Default true.</summary>
    public bool UseProxy { get; set; } = true;

    /// <summary>
    /// The proxy. Default null: that of the system (on Linux of the environment variables such as <c>https_proxy</c>), if any.
    /// </summary>
    public IWebProxy? Proxy { get; set; }

    /// <summary>Who we are, for servers that ask by HTTP authentication. Default null: nobody.</summary>
    public ICredentials? Credentials { get; set; }

    /// <summary>
    /// Header fields of the HTTP request that opens the WebSocket, such as <c>Authorization</c> or <c>Origin</c>. Default none.
    /// </summary>
    public IDictionary<string, string> Headers { get; private set; } = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>The version of HTTP: 1.1, the default, or 2.0 (RFC 8441, extended CONNECT).</summary>
    public Version HttpVersion { get; set =>
        field = value ?? throw new ArgumentNullException(nameof(value)); } = System.Net.HttpVersion.Version11;

    /// <summary>Which versions of HTTP will do instead. Default: lower ones.</summary>
    public HttpVersionPolicy HttpVersionPolicy { get; set; }

    /// <summary>
    /// Called for each WebSocket before it is opened, for what is not said above, such as compression. Its proxy, credentials, cookies and
    /// certificates are not for it: they are said here. Default null.
    /// </summary>
    public Action<ClientWebSocketOptions>? Configure { get; set; }

    internal CoapWebSocketOptions Clone()
    {
        CoapWebSocketOptions copy = (CoapWebSocketOptions)MemberwiseClone();
        copy.Headers = new Dictionary<string, string>(Headers, StringComparer.OrdinalIgnoreCase);
        return copy;
    }
}
