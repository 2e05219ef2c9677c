namespace CoAP.NET.Tests.Resources;

/// <summary>A proxy route says at once what it lacks.</summary>
public sealed class ProxyRouteArgumentTests
{
    [Fact]
    public async Task A_proxy_route_needs_the_names_of_the_server()
    {
        await using CoapServer server = new();

        ArgumentNullException error = Assert.Throws<ArgumentNullException>(
            () => server.MapProxy(null!, static (_, _) => ValueTask.FromResult(CoapResults.NotFound())));

        Assert.Equal("names", error.ParamName);
    }
}
