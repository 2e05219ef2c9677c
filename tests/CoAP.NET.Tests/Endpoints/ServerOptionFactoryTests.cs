using CoAP.NET.Tests.Options;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Option factories that users register at a server.</summary>
public sealed class ServerOptionFactoryTests
{
    [Fact]
    public async Task A_handler_sees_the_options_created_by_the_factories_of_the_server()
    {
        CountingPaths factory = new();
        await using CoapServer server = new(new CoapEndpointOptions { Registry = CoapOptionRegistry.Default.With(factory) });
        List<string> read = [];
        server.MapGet("/a/b", request =>
        {
            read.AddRange([.. request.Options.GetAll<UriPathOption>().Select(static path => path.Value), request.Path]);
            return "found";
        });
        DirectTransport transport = new();
        server.Endpoint.AddTransport(transport);
        await server.StartAsync();

        // A route matches the bytes that arrived.
        transport.Receive(CoapAddress.FromIPv4(0xc0000201, 40_000), "40010001b1610162");
        Assert.Single(transport.TakeSent()).Begins("60450001");
        Assert.Equal(["A", "B", "/A/B"], read);
    }

    [Fact]
    public void The_path_of_a_request_consists_of_the_options_created_by_the_factories()
    {
        CoapOptionRegistry registry = CoapOptionRegistry.Default.With(new CountingPaths());
        CoapDatagramSerializer serializer = new(new CoapSerializerOptions { Registry = registry });

        Assert.Equal("/A/B", ReceivedRequest.Of(serializer.Deserialize(Wire.Hex("40010001b1610162"))).Path);
    }
}
