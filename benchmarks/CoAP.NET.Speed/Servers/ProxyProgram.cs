using CoAP.NET.Proxy;

namespace CoAP.NET.Speed.Servers;

/// <summary>A forward proxy with its defaults, for servers of this machine: <c>proxy</c>.</summary>
internal static class ProxyProgram
{
    public const string Verb = "proxy";

    /// <summary>What is asked of one server at a time: all that a row has under way, where the default of RFC 7252 is one.</summary>
    public const int NStart = 1000;

    public static async Task<int> RunAsync(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, ["--port"], [Child.WithParent]);
        CoapProxyOptions options = new()
        {
            ConfigureClient = client => client.Parameters = CoapTransmissionParameters.Default with { NStart = NStart },
        };
        options.Targets.AllowNetwork("127.0.0.0/8:*");
        await using CoapProxy proxy = new(options);
        await using CoapServer server = new();
        server.Listen($"coap://127.0.0.1:{arguments.Number("--port", 0)}");
        server.MapForwardProxy(proxy);
        await server.StartAsync();
        Child.EndWithParent(arguments);
        Console.WriteLine($"{Child.Listening}{server.LocalEndpoints[0]}");
        await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System);
        return 0;
    }
}
