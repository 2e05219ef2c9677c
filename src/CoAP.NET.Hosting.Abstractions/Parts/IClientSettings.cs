namespace CoAP.NET.Hosting.Parts;

/// <summary>The options of a hosted client that parts need.</summary>
internal interface IClientSettings
{
    CoapUri? BaseAddress { get; }

    CoapUri? Proxy { get; }

    TimeSpan? Timeout { get; }

    string? Server { get; }

    CoapEndpointOptions Endpoint { get; }
}
