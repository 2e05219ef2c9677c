namespace CoAP.NET.Content.Tests;

/// <summary>Responses as clients get them, over a network in memory.</summary>
internal static class Answer
{
    /// <summary>What a client gets when a handler returns a content.</summary>
    public static Task<CoapResponse> OfAsync(CoapContent content) => OfAsync(CoapResults.Content(content));

    /// <summary>What a client gets when a handler returns a result.</summary>
    public static async Task<CoapResponse> OfAsync(CoapResult result)
    {
        await using CoapEndpointPair pair = new();
        pair.Server.MapGet("/a", _ => result);
        await pair.StartAsync();
        return await pair.RunAsync(() => pair.Client.GetAsync(CoapEndpointPair.Address + "/a"));
    }
}
