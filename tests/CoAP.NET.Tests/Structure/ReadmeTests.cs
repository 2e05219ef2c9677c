namespace CoAP.NET.Tests.Structure;

/// <summary>The snippets of README.md, so that they compile. What they do is tested elsewhere.</summary>
public sealed class ReadmeTests
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() =>
        Snippets.AllStandInTests("../README.md", "Structure", 2);

    internal static async Task ServeAsync()
    {
        await using CoapServer server = new();
        server.Listen("coap://[::]:5683");

        server.MapGet("/temperature", () => CoapResults.Text("21.5")).Observable();
        server.MapGet("/devices/{id}", request => CoapResults.Text($"device {request.Route["id"]}"));
        server.MapPost("/devices", async (request, cancellationToken) =>
        {
            await File.AppendAllTextAsync("devices.txt", request.GetText(), cancellationToken);
            return CoapResults.Created("/devices/7");
        });

        await server.RunAsync();
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
}
