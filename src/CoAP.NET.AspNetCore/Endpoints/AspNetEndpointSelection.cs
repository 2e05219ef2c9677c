namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>The endpoint that serves a request.</summary>
/// <param name="Endpoint">The endpoint; null for none.</param>
/// <param name="Refusal">The response if there is none.</param>
internal readonly record struct AspNetEndpointSelection(ServedEndpoint? Endpoint, CoapResult? Refusal)
{
    public static AspNetEndpointSelection None(CoapResult refusal) => new(null, refusal);
}
