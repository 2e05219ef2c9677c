using CoAP.NET.Dtls;
using CoAP.NET.Testing;

namespace CoAP.NET.Footprint.Processes;

/// <summary>
/// A server with coaps as a process of its own (<c>host secure</c>), so that nothing of its clients is measured. Its time stands still
/// until it is told to let some pass. Everything about sessions has its default.
/// </summary>
internal static class SecureHost
{
    public const string Verb = "secure";
    public const string Sessions = "sessions";
    public const string Advance = "advance ";

    /// <summary>The argument for a store whose answers never come.</summary>
    public const string SlowStore = "slow-store";
    private const string Done = "done";

    public static async Task<int> RunAsync(bool isSlow)
    {
        VirtualClock clock = new();
        CoapEndpointOptions options = new CoapEndpointOptions { TimeProvider = clock }
            .UseDtls(new CoapDtlsOptions
            {
                Server = new CoapDtlsServerOptions { PskStore = isSlow ? new SilentPskStore() : new SharedPskStore() },
            });
        await using CoapServer server = new(options);
        server.MapGet("/hello", () => CoapResults.Text(Frames.Hello));
        server.Listen("coaps://127.0.0.1:0");
        await server.StartAsync();
        Console.WriteLine(Host.Listening + server.LocalEndpoints[0]);
        while (Console.ReadLine() is { } line)
        {
            if (line == Sessions)
            {
                Console.WriteLine(SecureFigures.Now(server));
            }
            else if (line.StartsWith(Advance, StringComparison.Ordinal))
            {
                clock.Advance(TimeSpan.FromSeconds(int.Parse(line[Advance.Length..])));
                Console.WriteLine(Done);
            }
        }

        return 0;
    }
}
