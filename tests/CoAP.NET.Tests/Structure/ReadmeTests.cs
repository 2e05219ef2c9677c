using System.IO.Pipelines;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Options;
using CoAP.NET.Serialization;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Structure;

/// <summary>The snippets of README.md, so that they compile. What they do is tested elsewhere.</summary>
public sealed class ReadmeTests
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests()
    {
        Snippets.AllStandInTests("../README.md", "Structure", 6);
        Assert.NotNull((Delegate)ServeAsync);
        Assert.NotNull((Delegate)ObserveAsync);
        Assert.NotNull((Delegate)AskAsync);
        Assert.NotNull((Delegate)SerializeAsync);
        Assert.NotNull((Delegate)PutInBlock);
    }

    private static async Task ServeAsync(Devices store, Sensor sensor, CancellationToken cancellationToken)
    {
        await using CoapServer server = new();
        server.Listen("coap://[::]:5683");

        server.MapGet("/temperature", () => CoapResults.Text("21.5"));
        server.MapGet("/devices/{id}", request => CoapResults.Text($"device {request.Route["id"]}"));
        server.MapPost("/devices", async (request, cancellationToken) =>
        {
            await store.AddAsync(request.Payload, cancellationToken);
            return CoapResults.Created("/devices/7");
        });

        await server.RunAsync(cancellationToken);

        CoapRouteHandlerBuilder temperature = server.MapGet("/temperature", () => CoapResults.Text(sensor.Read()))
            .Observable(maxAge: TimeSpan.FromMinutes(30));
        sensor.Changed += (_, _) => temperature.Notify();
    }

    private static async Task AskAsync(CancellationToken cancellationToken)
    {
        await using CoapClient client = new();

        CoapResponse response = await client.GetAsync("coap://[::1]/temperature", cancellationToken);
        Console.WriteLine(response.GetText());

        response = await client.SendAsync(new CoapRequest(CoapMethod.Put, "coap://[::1]/lamp")
        {
            Content = CoapContent.Text("on"),
            Confirmable = false,
            Timeout = TimeSpan.FromSeconds(5),
        }, cancellationToken);
        response.EnsureSuccess();

        IReadOnlyList<CoapLink> links = await client.DiscoverAsync("coap://[::1]", "rt=temperature*", cancellationToken);
        TimeSpan roundTrip = await client.PingAsync("coap://[::1]", cancellationToken);
        Console.WriteLine($"{links.Count} {roundTrip}");
    }

    private static async Task ObserveAsync(CoapClient client, CancellationToken cancellationToken)
    {
        await using CoapObservation temperature = await client.ObserveAsync("coap://[::1]/temperature", cancellationToken);
        await foreach (CoapResponse change in temperature.ReadAllAsync(cancellationToken))
        {
            Console.WriteLine($"{temperature.State}: {change.GetText()}");
        }
    }

    private static async Task SerializeAsync(CoapMessage message, Stream stream, PipeReader pipeReader, CancellationToken cancellationToken)
    {
        byte[] bytes = CoapDatagramSerializer.Default.Serialize(message); // RFC 7252
        CoapMessage read = CoapDatagramSerializer.Default.Deserialize(bytes);
        await CoapStreamSerializer.Default.SerializeAsync(stream, message, cancellationToken); // RFC 8323 framing
        CoapMessage next = await CoapStreamSerializer.Default.DeserializeAsync(pipeReader, cancellationToken);
        Console.WriteLine($"{read} {next} {message.Options.Get<ETag>()}");
    }

    private static void PutInBlock()
    {
        CoapEndpointOptions options = new();
        options.Pipeline.Insert(CoapSeams.MessagingToExchanges, () => new TransformBlock<CoapInbound, CoapInbound>(item =>
        {
            Console.WriteLine(item.Message);
            return item;
        }));
    }

    private sealed class Devices
    {
        public Task AddAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken) =>
            Task.CompletedTask.WaitAsync(TimeSpan.FromDays(payload.Length), cancellationToken);
    }

    private sealed class Sensor
    {
        public event EventHandler? Changed;

        public string Read()
        {
            Changed?.Invoke(this, EventArgs.Empty);
            return "21.5";
        }
    }
}
