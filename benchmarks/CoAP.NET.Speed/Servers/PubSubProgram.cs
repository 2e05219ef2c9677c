using CoAP.NET.PubSub;

namespace CoAP.NET.Speed.Servers;

/// <summary>A broker whose publishers may be as fast as they can: <c>pubsub</c>.</summary>
internal static class PubSubProgram
{
    public const string Verb = "pubsub";

    public static async Task<int> RunAsync(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, ["--port"], [Child.WithParent]);
        await using CoapServer server = new();
        await using CoapPubSubBroker broker = server.MapPubSub("/ps", new CoapPubSubOptions { Limits = { PublicationsPerSecond = null } });
        server.Listen($"coap://127.0.0.1:{arguments.Number("--port", 0)}");
        await server.StartAsync();
        Child.EndWithParent(arguments);
        Console.WriteLine($"{Child.Listening}{server.LocalEndpoints[0]}");
        await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System);
        return 0;
    }
}
