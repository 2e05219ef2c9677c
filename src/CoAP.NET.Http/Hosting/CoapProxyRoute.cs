using CoAP.NET.Http;

namespace CoAP.NET.Hosting;

/// <summary>A path that the proxy forwards to another server: a CoAP server or an HTTP server.</summary>
public sealed class CoapProxyRoute
{
    /// <summary>The path, such as <c>/floor1/{*path}</c>: the value of the catch-all is appended to the target. Required.</summary>
    public string? Path { get; set; }

    /// <summary>
    /// The target URI, such as <c>coap://[2001:db8::5]/</c> or <c>https://api.example.com/devices</c>. Required.
    /// </summary>
    public string? Target { get; set; }

    /// <summary>
    /// Whether to convert CBOR of devices to JSON for an HTTP server; see <see cref="CoapHttpTranslator.ConvertsJson"/>. Default false.
    /// </summary>
    public bool ConvertsJson { get; set; }

    /// <summary>
    /// How often to poll resources of an HTTP server that devices observe, 1 s to 1 day; see
    /// <see cref="CoapHttpBackendOptions.PollInterval"/>. Default null: not at all.
    /// </summary>
    public TimeSpan? PollInterval { get; set; }

    internal bool IsHttp => Target?.StartsWith("http", StringComparison.OrdinalIgnoreCase) == true;
}
