namespace CoAP.NET.Hosting.Parts;

/// <summary>What parts need of the options of a hosted server: a keyed service by the server's name.</summary>
internal interface IServerSettings
{
    CoapEndpointOptions Endpoint { get; }
}
