namespace CoAP.NET.Hosting.Tests.Binding;

/// <summary>Handlers on what <c>AddCoapServer</c> gives.</summary>
public sealed class HostedTests : HostTest
{
    [Fact]
    public async Task Handlers_get_services_from_the_scope_of_their_request()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddScoped<Visit>().AddSingleton<IDeviceStore, DeviceStore>();
        ICoapServerBuilder server = builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
        server.MapGet("/visit",
            (Visit first, [CoapFromServices] Visit second, IDeviceStore store) =>
                $"{ReferenceEquals(first, second)} {first.Number > 0} {store.Name}");
        server.MapGroup("/devices").MapPut("/{id}", (string id, Device device, IDeviceStore store) => store.Save(device with { Id = id }));
        server.MapGet("/devices/{id}", (string id, IDeviceStore store, CancellationToken ct) => store.FindAsync(id, ct)).Observable();
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();
        string address = AddressOf(host);
        await Within(client.GetAsync(address + "/visit")).Says("True True main");
        CoapContent content = CoapContent.Cbor(new Device("other", 5), DeviceContext.Default.Device);
        await Within(client.PutAsync(address + "/devices/lamp", content)).Gives(CoapCode.Changed);
        await Within(client.GetAsync(address + "/devices/lamp")).Says("""{"id":"lamp","setpoint":5,"tags":null}""");
        await Within(client.GetAsync(address + "/devices/none")).Gives(CoapCode.NotFound);
    }

    [Fact]
    public async Task A_class_is_bound_as_a_service_when_it_is_registered_and_as_the_body_otherwise()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddScoped<Visit>().AddSingleton<DeviceStore>();
        ICoapServerBuilder server = builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
        server.MapPost("/json", (DeviceStore store, Device device, Visit visit) => $"{store.Name} {device.Id} {visit.Number > 0}");
        server.MapPost("/bytes", (byte[] body, DeviceStore? store) => $"{store?.Name} {body.Length}");
        server.MapPut("/none", (DeviceStore store) => store.Name);
        server.MapPost("/optional", (DeviceStore store, Device? device) => $"{store.Name} {device?.Id ?? "none"}");
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();
        string address = AddressOf(host);
        CoapContent content = CoapContent.Cbor(new Device("lamp", 5), DeviceContext.Default.Device);
        await Within(client.PostAsync(address + "/json", content)).Says("main lamp True");
        await Within(client.PostAsync(address + "/json", new CoapContent(ReadOnlyMemory<byte>.Empty))).Gives(CoapCode.BadRequest);
        await Within(client.PostAsync(address + "/bytes", content)).Says($"main {content.Bytes.Length}");
        await Within(client.PutAsync(address + "/none", new CoapContent(ReadOnlyMemory<byte>.Empty))).Says("main");
        await Within(client.PostAsync(address + "/optional", new CoapContent(ReadOnlyMemory<byte>.Empty))).Says("main none");
    }

    [Fact]
    public async Task Two_unregistered_classes_as_parameters_prevent_the_start()
    {
        HostApplicationBuilder builder = Builder();
        ICoapServerBuilder server = builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
        server.MapPost("/d", (Device device, DeviceStore store) => store.Name);
        server.MapPost("/e", ([CoapFromBody] Device device, DeviceStore store) => store.Name);
        IHost host = Build(builder);
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => Within(host.StartAsync()));
        exception.Mentions(
            "POST /d: the parameters 'device' and 'store' would all be the body, but a request has one. Register what is a service: "
            + "services.AddSingleton<Device>() or services.AddSingleton<DeviceStore>().");
        exception.Mentions(
            "POST /e: the parameters 'device' and 'store' would all be the body, but a request has one. Register what is a service: "
            + "services.AddSingleton<DeviceStore>().");
    }

    [Fact]
    public async Task An_unregistered_service_prevents_the_start()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"))
            .MapGet("/d/{id}", (string id, IDeviceStore store) => store.Name);
        IHost host = Build(builder);
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => Within(host.StartAsync()));
        exception.Mentions("GET /d/{id}: the parameter 'store'");
    }

    [Fact]
    public async Task Route_settings_apply_to_bound_handlers()
    {
        HostApplicationBuilder builder = Builder();
        ICoapServerBuilder server = builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
        server.MapPost("/small", (byte[] body) => body.Length).WithMaxBodySize(4);
        server.MapGet("/value", (int n) => n);
        server.MapGet("/filtered", (int n) => $"{n}").AddFilter(async (request, next, ct) =>
        {
            CoapResult result = await next(request, ct);
            return result.Code.IsSuccess ? CoapResults.Text("filtered") : result;
        });
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();
        string address = AddressOf(host);
        await Within(client.PostAsync(address + "/small", CoapContent.Text("12345"))).Gives(CoapCode.RequestEntityTooLarge);
        await Within(client.GetAsync(address + "/filtered?n=1")).Says("filtered");
        await Within(client.GetAsync(address + "/filtered")).Gives(CoapCode.BadRequest);
        string links = (await Within(client.GetAsync(address + "/.well-known/core"))).GetText();
        links.Mentions("</filtered>;ct=0");
        links.Mentions("</value>;ct=\"50 60\"");
    }

    internal sealed class Visit
    {
        private static int s_last;

        public int Number { get; } = Interlocked.Increment(ref s_last);
    }
}
