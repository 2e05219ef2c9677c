using CoAP.NET.Resources;

namespace CoAP.NET.Tests.Resources;

/// <summary>A proxy route says at once what it lacks.</summary>
public sealed class ProxyRouteArgumentTests
{
    [Fact]
    public async Task MapProxy_without_names_throws()
    {
        await using CoapServer server = new();

        ArgumentNullException error = Assert.Throws<ArgumentNullException>(
            () => server.MapProxy(null!, static (_, _) => ValueTask.FromResult(CoapResults.NotFound())));

        Assert.Equal("names", error.ParamName);
    }
}
