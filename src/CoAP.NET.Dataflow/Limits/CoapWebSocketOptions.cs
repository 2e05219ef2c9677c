using System.Net;
using System.Net.WebSockets;
using System.Runtime.Versioning;

namespace CoAP.NET;

/// <summary>The options of clients for WebSockets, for <c>coap+ws</c> and <c>coaps+ws</c> (RFC 8323 section 4).</summary>
/// <remarks>
/// Read-only once an endpoint uses it. Times are those of <see cref="CoapStreamOptions"/>, and TLS is that of
/// <see cref="CoapTlsOptions.Client"/>. In a browser only <see cref="Path"/> has an effect. The first request fails with a
/// <see cref="PlatformNotSupportedException"/> if options are set that the browser would ignore.
/// </remarks>
[HasSettings]
public sealed partial class CoapWebSocketOptions
{
    /// <summary>The path of the registered well-known URI (RFC 8323 section 4.1).</summary>
    internal const string DefaultPath = "/.well-known/coap";

    // A number, because a field of the type would load the HTTP client into processes that open no WebSocket.
    private int _httpVersionPolicy;

    /// <summary>The path, with an optional query, of the WebSocket; begins with a slash.</summary>
    /// <remarks>
    /// Default <c>/.well-known/coap</c>, which RFC 8323 section 4.1 requires; other values are for servers with another path.
    /// </remarks>
    /// <exception cref="ArgumentException">The path does not begin with a slash.</exception>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public string Path
    {
        get;
        set
        {
            ThrowIfReadOnly();
            field = value is ['/', ..]
                ? value
                : throw new ArgumentException("The path of a WebSocket must begin with a slash.", nameof(value));
        }
    } = DefaultPath;

    /// <summary>Whether to use a proxy: <see cref="Proxy"/>, or that of the system.</summary>
    public partial bool UseProxy { get; set; } = true;

    /// <summary>The proxy.</summary>
    /// <remarks>Default null: that of the system (on Linux from environment variables such as <c>https_proxy</c>), if any.</remarks>
    [UnsupportedOSPlatform("browser")]
    public partial IWebProxy? Proxy { get; set; }

    /// <summary>The credentials for servers with HTTP authentication.</summary>
    /// <remarks>Default null: none.</remarks>
    [UnsupportedOSPlatform("browser")]
    public partial ICredentials? Credentials { get; set; }

    /// <summary>Header fields of the HTTP request that opens the WebSocket, such as <c>Authorization</c> or <c>Origin</c>.</summary>
    /// <remarks>Default none.</remarks>
    [UnsupportedOSPlatform("browser")]
    public IDictionary<string, string> Headers { get; } = new SettingDictionary<string, string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>The version of HTTP: 1.1, the default, or 2.0 (RFC 8441, extended CONNECT).</summary>
    public partial Version HttpVersion { get; set; } = System.Net.HttpVersion.Version11;

    /// <summary>The policy for other versions of HTTP.</summary>
    /// <remarks>Default: lower ones are allowed.</remarks>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public HttpVersionPolicy HttpVersionPolicy
    {
        get => (HttpVersionPolicy)_httpVersionPolicy;
        set
        {
            ThrowIfReadOnly();
            _httpVersionPolicy = (int)value;
        }
    }

    /// <summary>Called for each WebSocket before it is opened, for other options such as compression.</summary>
    /// <remarks>It must not set proxy, credentials, cookies and certificates: the endpoint sets them. Default null.</remarks>
    [UnsupportedOSPlatform("browser")]
    public partial Action<ClientWebSocketOptions>? Configure { get; set; }
}
