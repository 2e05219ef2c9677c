namespace CoAP.NET.Tests.Structure;

/// <summary>The snippets of README.md, so that they compile. What they do is tested elsewhere.</summary>
public sealed class ReadmeTests
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() =>
        Snippets.AllStandInTests("../README.md", "Structure", 2);

    internal static async Task ServeAsync(Devices store, Sensor sensor, CancellationToken cancellationToken)
    {
        await using CoapServer server = new();
        server.Listen("coap://[::]:5683");

        server.MapGet("/temperature", () => CoapResults.Text(sensor.Read())).Observable();
        server.MapGet("/devices/{id}", request => CoapResults.Text($"device {request.Route["id"]}"));
        server.MapPost("/devices", async (request, cancellationToken) =>
        {
            await store.AddAsync(request.Payload, cancellationToken);
            return CoapResults.Created("/devices/7");
        });

        await server.RunAsync(cancellationToken);
    }

    internal static async Task AskAsync(CancellationToken cancellationToken)
    {
        await using CoapClient client = new();

        CoapResponse response = await client.GetAsync("coap://[::1]/temperature", cancellationToken);
        Console.WriteLine(response.GetText());

        await using CoapObservation temperature = await client.ObserveAsync("coap://[::1]/temperature", cancellationToken);
        temperature.StateChanged += (_, _) => ReportState();
        ReportState();
        await foreach (CoapResponse change in temperature.ReadAllAsync(cancellationToken))
        {
            if (change.IsSuccess)
            {
                Console.WriteLine(change.GetText());
            }
        }

        // Prints why nothing comes: no server, a wrong key, an error response.
        // The observation keeps trying.
        void ReportState() => Console.Error.WriteLine(temperature.Error?.Message ?? $"{temperature.State}");
    }

    internal sealed class Devices
    {
        public Task AddAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken) =>
            Task.CompletedTask.WaitAsync(FromDays(payload.Length), cancellationToken);
    }

    internal sealed class Sensor
    {
        private readonly string _celsius = "21.5";

        public string Read() => _celsius;
    }
}
