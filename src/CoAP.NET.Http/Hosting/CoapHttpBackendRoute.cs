using CoAP.NET.Http;

namespace CoAP.NET.Hosting;

/// <summary>A path that the proxy forwards to an HTTP server.</summary>
public sealed class CoapHttpBackendRoute
{
    /// <summary>The path, such as <c>/telemetry/{*path}</c>: the value of the catch-all is appended to the target. Required.</summary>
    public string? Path { get; set; }

    /// <summary>The target URI, such as <c>https://api.example.com/devices</c>. Required.</summary>
    public string? Target { get; set; }

    /// <summary>
    /// Whether to convert CBOR of devices to JSON for the server; see <see cref="CoapHttpJson.Converts"/>. Default false.
    /// </summary>
    public bool ConvertsJson { get; set; }

    /// <summary>
    /// How often to poll resources that devices observe, 1 s to 1 day; see <see cref="CoapHttpBackendOptions.PollInterval"/>. Default null:
    /// not at all.
    /// </summary>
    public TimeSpan? PollInterval { get; set; }
}
