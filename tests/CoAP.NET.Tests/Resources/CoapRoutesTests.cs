namespace CoAP.NET.Tests.Resources;

public sealed class CoapRoutesTests
{
    [Fact]
    public async Task Routes_that_were_mapped_before_the_server_was_made_are_served()
    {
        CoapRoutes routes = new();
        routes.MapGet("/early", () => "bird");
        await using CoapServer server = new(new CoapEndpointOptions { Routes = routes });
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        routes.MapGet("/late", () => "owl");
        await using CoapClient client = new();

        await client.GetAsync($"{server.LocalEndpoints[0]}early").Says("bird");
        await client.GetAsync($"{server.LocalEndpoints[0]}late").Says("owl");
    }

    [Fact]
    public async Task Sharing_a_CoapRoutes_instance_between_two_endpoints_is_refused()
    {
        CoapRoutes routes = new();
        await using CoapServer first = new(new CoapEndpointOptions { Routes = routes });

        InvalidOperationException error =
            Assert.Throws<InvalidOperationException>(() => new CoapServer(new CoapEndpointOptions { Routes = routes }));
        error.Mentions("CoapRoutes for each endpoint");
    }
}
