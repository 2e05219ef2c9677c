using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Binding;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Hosting.Tests.Binding;

/// <summary>Errors that are found before the first request, and the configuration of JSON.</summary>
public sealed class CheckTests
{
    [Fact]
    public void Missing_services_and_metadata_are_listed_with_the_remedy()
    {
        CoapRoutes routes = new();
        routes.MapGet("/a/{id}", (string id, IDeviceStore store) => store.Name);
        routes.MapGroup("/g").MapPost("/b", (Unknown body, [FromKeyedServices("k")] IDeviceStore store) => body);
        routes.MapGet("/c", (IDeviceStore? store) => store?.Name);
        routes.Routes.WithMetadata(Without(reflection: true));
        InvalidOperationException exception =
            Assert.Throws<InvalidOperationException>(() => routes.CheckBinding(new ServiceCollection().BuildServiceProvider()));
        string[] lines = exception.Message.Split(Environment.NewLine);
        Assert.Equal(5, lines.Length);
        lines[1].Begins(
            "GET /a/{id}: the parameter 'store' is a service of type CoAP.NET.Hosting.BoundRoutes.IDeviceStore, which is not registered.");
        lines[2].Mentions("with the key 'k'");
        lines[3].Begins("POST /g/b: the body 'body' is a CoAP.NET.Hosting.Tests.Binding.Unknown");
        lines[3].Mentions("[JsonSerializable(typeof(Unknown))]");
        lines[4].Begins("POST /g/b: what the handler returns is a ");
    }

    [Fact]
    public async Task Routes_whose_services_and_metadata_are_present_pass_the_check()
    {
        await using BoundServer bound = await BoundServer.StartAsync(server =>
        {
            SourceRoutes.Map(server);
            new AnswerRoutes().Map(server);
        });
        bound.Server.CheckBinding(bound.Services);
    }

    [Fact]
    public async Task A_type_without_metadata_is_a_handler_error_whose_details_are_not_sent_to_the_peer()
    {
        await using BoundServer bound = await BoundServer.StartAsync(server =>
            server.MapPost("/b", (Unknown body) => { }).WithMetadata(Without(reflection: true)));
        CoapResponse response = await bound.SendAsync(CoapMethod.Post, "/b", new CoapContent("{}"u8.ToArray()));
        Assert.Equal((CoapCode.InternalServerError, 0), (response.Code, response.Payload.Length));
        Assert.Equal(1, bound.Server.Counters[CoapCounter.HandlerErrors]);
    }

    [Fact]
    public async Task JSON_options_of_a_route_replace_those_of_its_group()
    {
        await using BoundServer bound = await BoundServer.StartAsync(server =>
        {
            CoapRouteGroup group = server.MapGroup("/g");
            group.WithMetadata(new CoapJsonOptions { PreferredFormat = CoapContentFormat.Cbor });
            group.MapGet("/cbor", () => new Unknown(1));
            group.MapGet("/json", () => new Unknown(2)).WithMetadata(new CoapJsonOptions());
        });
        Assert.Equal("a16576616c756501", Convert.ToHexStringLower((await bound.GetAsync("/g/cbor")).Payload.Span));
        await bound.GetAsync("/g/json").Says("""{"value":2}""");
        await bound.GetAsync("/g/cbor", request => request.Accept = CoapContentFormat.Json).Says("""{"value":1}""");
    }

    [Fact]
    public void PreferredFormat_refuses_XML() =>
        Assert.Throws<ArgumentException>(() => new CoapJsonOptions { PreferredFormat = CoapContentFormat.Xml });

    [Fact]
    public async Task Handlers_without_services_work_without_a_service_provider()
    {
        await using CoapServer server = new();
        server.MapGet("/x", (int n, IDeviceStore? store) => $"{n}");
        server.CheckBinding();
        server.MapGet("/y", (IDeviceStore store) => store.Name);
        Assert.Throws<InvalidOperationException>(() => server.CheckBinding());
    }

    [Fact]
    public void A_parameter_name_that_is_not_in_the_path_is_an_error_when_the_route_is_mapped()
    {
        CoapRoutes routes = new();
        ArgumentException exception = Assert.Throws<ArgumentException>(() => routes.MapGet("/a", ([CoapFromRoute] string id) => id));
        exception.Mentions("{id}");

        // Nothing is left of it.
        routes.MapGet("/a", () => "free");
    }

    [Fact]
    public void The_error_for_a_handler_in_a_variable_says_what_to_do()
    {
        CoapRoutes routes = new();
        Delegate handler = (int n) => $"{n}";
#pragma warning disable COAP0007
        InvalidOperationException exception = Assert.Throws<InvalidOperationException>(() => routes.MapGet("/a", handler));
#pragma warning restore COAP0007
        exception.Mentions("Pass a lambda");
    }

    [Fact]
    public void Mapping_a_bound_handler_returns_its_builder()
    {
        CoapRoutes routes = new();
        Assert.Equal("/a", routes.MapGet("/a", (int n) => n).WithTitle("still the builder").Template);
    }

    private static CoapJsonOptions Without(bool reflection)
    {
        CoapJsonOptions options = new();
        Assert.Equal(reflection, options.SerializerOptions.TypeInfoResolver is not null);
        options.SerializerOptions.TypeInfoResolver = JsonTypeInfoResolver.Combine(DeviceContext.Default);
        return options;
    }
}
