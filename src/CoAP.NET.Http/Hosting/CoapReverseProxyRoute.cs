namespace CoAP.NET.Hosting;

/// <summary>A path that the proxy forwards to another CoAP server.</summary>
public sealed class CoapReverseProxyRoute
{
    /// <summary>The path, such as <c>/floor1/{*path}</c>: the value of the catch-all is appended to the target. Required.</summary>
    public string? Path { get; set; }

    /// <summary>The target URI, such as <c>coap://[2001:db8::5]/</c>. Required.</summary>
    public string? Target { get; set; }
}
