using CoAP.NET.Oscore;

namespace CoAP.NET.Speed.Servers;

/// <summary>A server with a security context for each of its clients, which answers without protection as well: <c>oscore</c>.</summary>
internal static class OscoreProgram
{
    public const string Verb = "oscore";

    public static async Task<int> RunAsync(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, ["--port", "--contexts"], [Child.WithParent]);
        OscoreContexts contexts = new();
        for (int i = 0; i < arguments.Number("--contexts", 1); i++)
        {
            using OscoreParameters parameters = ProtectedPeer.ServerParameters(i);
            contexts.Add(OscoreContext.CreateVolatile(parameters));
        }

        await using CoapServer server = new(new CoapEndpointOptions().UseOscore(contexts));
        server.Listen($"coap://127.0.0.1:{arguments.Number("--port", 0)}");
        server.MapGet("/hello", () => CoapResults.Text("hello world!"));
        await server.StartAsync();
        Child.EndWithParent(arguments);
        Console.WriteLine($"{Child.Listening}{server.LocalEndpoints[0]}");
        await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System);
        return 0;
    }
}
