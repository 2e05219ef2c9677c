namespace CoAP.NET.Hosting.Parts;

/// <summary>What parts need of the options of a hosted client.</summary>
internal interface IClientSettings
{
    CoapUri? BaseAddress { get; }

    CoapUri? Proxy { get; }

    TimeSpan? Timeout { get; }

    string? Server { get; }

    CoapEndpointOptions Endpoint { get; }
}
