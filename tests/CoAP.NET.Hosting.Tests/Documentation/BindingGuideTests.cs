using CoAP.NET.Hosting.Tests.Generators;

namespace CoAP.NET.Hosting.Tests.Documentation;

/// <summary>The snippets of docs/binding.md, compiled and run.</summary>
public sealed class BindingGuideTests : HostTest
{
    [Fact]
    public async Task Handlers_get_their_parameters_by_binding()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddSingleton<IDeviceStore, DeviceStore>().AddSingleton<Restarter>();
        ICoapServerBuilder server = builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));

        server.MapGet("/devices/{id}", (string id, IDeviceStore store, CancellationToken ct) => store.FindAsync(id, ct));
        server.MapPut("/devices/{id}", (string id, Device device, IDeviceStore store) => store.Save(device with { Id = id }));
        server.MapGet("/devices", (IDeviceStore store, int limit = 20) => store.List(limit));

        server.MapPost("/devices/{id}/restart", (string id, [CoapFromServices] Restarter restarter) => restarter.Restart(id));
        server.MapGet("/find",
            ([CoapFromQuery(Name = "rt")] string? resourceType, [CoapFromQuery] int[] id) => $"{resourceType} {id.Length}");
        server.MapGet("/priority", ([CoapFromOption(65000)] uint? priority) => $"{priority ?? 0}");

        server.MapPut("/setpoint", ([CoapFromBody] double degrees) => $"{degrees:0.0}");

        builder.Services.ConfigureCoapJson(options =>
        {
            options.SerializerOptions.TypeInfoResolverChain.Insert(0, DeviceContext.Default);
            options.PreferredFormat = CoapContentFormat.Cbor;
        });

        CoapContent content = CoapContent.Cbor(new Device("lamp", 21.5), DeviceContext.Default.Device);

        builder.Services.AddCoapFormatter(new CsvFormatter());
        server.MapPost("/readings", (Reading reading) => reading with { Sensor = reading.Sensor.ToUpperInvariant() });

        string address = AddressOf(await StartAsync(builder));
        await using CoapClient client = new();
        await Within(client.PutAsync(address + "/devices/hall", content)).Gives(CoapCode.Changed);
        CoapResponse response = await Within(client.GetAsync(address + "/devices?limit=5"));
        Assert.Equal(CoapContentFormat.Cbor, response.ContentFormat);
        Assert.Equal("hall", Assert.Single(response.ReadCbor(DeviceContext.Default.ListDevice)!).Id);
        Assert.Equal(21.5, (await Within(client.GetAsync(address + "/devices/hall"))).ReadCbor(DeviceContext.Default.Device)!.Setpoint);
        await Within(client.PostAsync(address + "/devices/hall/restart", null)).Says("again: hall");
        await Within(client.GetAsync(address + "/find?rt=core.s&id=1&id=2")).Says("core.s 2");
        await Within(client.GetAsync(address + "/priority")).Says("0");
        await Within(client.PutAsync(address + "/setpoint", CoapContent.Text("21.5"))).Gives(CoapCode.Changed);
        CoapRequest post = new(CoapMethod.Post, address + "/readings")
        {
            Content = new CoapContent("hall,21.5"u8.ToArray(), new CoapContentFormat(65000)),
            Accept = new CoapContentFormat(65000),
        };
        await Within(client.SendAsync(post)).Says("HALL,21.5");
    }

    [Fact]
    public void Every_snippet_is_compiled() => Page.HasOnlyCompiledSnippets("binding.md", 5);

    [Fact]
    public void Every_diagnostic_is_documented()
    {
        string page = Page.Read("binding.md");
        Assert.All(Snippet.Descriptors, descriptor =>
            page.Mentions(
                $"| [{descriptor.Id}](diagnostics/{descriptor.Id}.md) | {descriptor.DefaultSeverity.ToString().ToLowerInvariant()} |"),
            throwIfEmpty: true);
    }

    internal sealed class Restarter
    {
        private readonly string _word = "again";

        public string Restart(string id) => $"{_word}: {id}";
    }
}
