using CoAP.NET.Http;

namespace CoAP.NET.Hosting;

/// <summary>A path that is served by asking an HTTP server.</summary>
public sealed class CoapHttpBackendRoute
{
    /// <summary>The path, such as <c>/telemetry/{*path}</c>: what stands for the catch-all is appended to the target. Required.</summary>
    public string? Path { get; set; }

    /// <summary>The URI that it stands for, such as <c>https://api.example.com/devices</c>. Required.</summary>
    public string? Target { get; set; }

    /// <summary>Whether CBOR of devices is JSON for the server; see <see cref="CoapHttpJson.Converts"/>. Default false.</summary>
    public bool ConvertsJson { get; set; }

    /// <summary>How often what devices observe is asked for again, 1 s to 1 day; see <see cref="CoapHttpBackendOptions.PollInterval"/>.
    /// Default null: not at all.</summary>
    public TimeSpan? PollInterval { get; set; }
}
