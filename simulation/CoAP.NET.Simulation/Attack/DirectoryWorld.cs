using CoAP.NET.ResourceDirectory;

namespace CoAP.NET.Simulation.Attack;

/// <summary>A Resource Directory on the wire of an attack.</summary>
internal sealed class DirectoryWorld : IAsyncDisposable
{
    private DirectoryWorld(AttackServer server, CoapDirectoryServer directory) => (Server, Directory) = (server, directory);

    public AttackServer Server { get; }

    public CoapDirectoryServer Directory { get; }

    public CoapDirectoryCounters Counters => Directory.GetCounters();

    public static async Task<DirectoryWorld> StartAsync(Action<CoapDirectoryOptions>? configure = null,
        Action<CoapEndpointOptions>? configureEndpoint = null, Action<CoapServer>? map = null)
    {
        TimeProvider clock = TimeProvider.System;
        CoapDirectoryServer directory = null!;
        AttackServer server = await AttackServer.StartAsync(
            options =>
            {
                clock = options.TimeProvider;
                configureEndpoint?.Invoke(options);
            },
            server =>
            {
                CoapDirectoryOptions options = new() { TimeProvider = clock };
                configure?.Invoke(options);
                directory = new CoapDirectoryServer(options);
                server.Routes.MapResourceDirectory(directory);
                map?.Invoke(server);
            });
        return new DirectoryWorld(server, directory);
    }

    /// <summary>A client in a network of its own, which is a source of its own.</summary>
    /// <param name="number">Which; those of attackers begin with 0x10000.</param>
    public WireClient Client(int number) => new(Server, AddressOf(number));

    /// <summary>The address of a source: another /56 for each number.</summary>
    public static CoapAddress AddressOf(int number, int port = 5683) =>
        new(0x2001_0db8_0000_0000 + ((ulong)number << 8), 1, (ushort)port, 0);

    public static Task<CoapMessage> RegisterAsync(WireClient client, string name, string links = "</x>", params string[] more) =>
        client.AskAsync(CoapMethod.Post, "rd", [$"ep={name}", .. more], Encoding.UTF8.GetBytes(links));

    /// <summary>The links that a lookup gives.</summary>
    public static async Task<string> LookupAsync(WireClient client, bool ofLinks, params string[] queries)
    {
        string path = ofLinks ? "rd-lookup/res" : "rd-lookup/ep";
        CoapMessage answer = await client.AskAsync(CoapMethod.Get, path, queries);
        return answer.Code == CoapCode.Content
            ? Encoding.UTF8.GetString(answer.Payload.Span)
            : throw new InvalidOperationException($"{answer.Code} {Encoding.UTF8.GetString(answer.Payload.Span)}");
    }

    public async ValueTask DisposeAsync()
    {
        await Server.DisposeAsync();
        await Directory.DisposeAsync();
    }
}
