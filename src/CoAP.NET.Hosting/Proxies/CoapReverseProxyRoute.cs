namespace CoAP.NET.Hosting;

/// <summary>A path that is served by asking another server.</summary>
public sealed class CoapReverseProxyRoute
{
    /// <summary>The path, such as <c>/floor1/{*path}</c>: what stands for the catch-all is appended to the target. Required.</summary>
    public string? Path { get; set; }

    /// <summary>The URI that it stands for, such as <c>coap://[2001:db8::5]/</c>. Required.</summary>
    public string? Target { get; set; }
}
