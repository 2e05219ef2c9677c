using System.Text.RegularExpressions;

namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>Key logs for the debugging of sessions.</summary>
public sealed partial class KeyLogTests
{
    [Fact]
    public async Task Client_and_server_write_the_same_key_log_line_once()
    {
        ConcurrentQueue<string> ofClient = new();
        ConcurrentQueue<string> ofServer = new();
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Client = settings.Client with { KeyLog = ofClient.Enqueue };
        settings.Server = settings.Server with { KeyLog = ofServer.Enqueue };
        using ClientBench bench = new(settings);
        byte[]? hello = null;
        bench.Loses = (_, toServer, bytes) =>
        {
            hello ??= [.. bytes];
            return false;
        };
        await bench.ConnectAsync();
        string line = Assert.Single(ofClient);
        Assert.Equal([line], ofServer);
        Assert.Matches(Line(), line);

        // The random stands behind the headers of record and message and the version.
        line.Begins($"CLIENT_RANDOM {Convert.ToHexStringLower(hello.AsSpan(13 + 12 + 2, 32))} ");
    }

    [GeneratedRegex("^CLIENT_RANDOM [0-9a-f]{64} [0-9a-f]{96}$")]
    private static partial Regex Line();
}
