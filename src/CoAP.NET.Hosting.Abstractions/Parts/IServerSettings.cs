namespace CoAP.NET.Hosting.Parts;

/// <summary>The options of a hosted server that parts need: a keyed service by the server's name.</summary>
internal interface IServerSettings
{
    CoapEndpointOptions Endpoint { get; }
}
