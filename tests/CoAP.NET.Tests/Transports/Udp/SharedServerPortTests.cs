using System.Net.Sockets;

namespace CoAP.NET.Tests.Transports.Udp;

/// <summary>Several servers at one UDP port, as several processes of a machine are.</summary>
public sealed class SharedServerPortTests
{
    private const int Clients = 16;

    [Fact]
    public async Task Servers_with_SharePort_answer_all_clients_and_continue_when_one_stops()
    {
        if (OperatingSystem.IsLinux())
        {
            await Eventually.BindsAgainAsync(ShareAsync);
        }
        else
        {
            Assert.Throws<PlatformNotSupportedException>(() => new CoapEndpointOptions { Processes = { SharePort = true } });
        }
    }

    private static async Task ShareAsync()
    {
        int port = LoopbackPort.FindFree();
        await using CoapServer one = Make("one", shares: true);
        await using CoapServer other = Make("other", shares: true);
        await using CoapServer stranger = Make("stranger", shares: false);
        one.Listen($"coap://127.0.0.1:{port}");
        other.Listen($"coap://127.0.0.1:{port}");
        stranger.Listen($"coap://127.0.0.1:{port}");
        await one.StartAsync();
        await other.StartAsync();
        CoapBindException error = await Assert.ThrowsAsync<CoapBindException>(() => stranger.StartAsync());
        Assert.Equal(SocketError.AddressAlreadyInUse, error.SocketError);

        string[] answers = await AskAsync(port);
        Assert.All(answers, static answer => Assert.Contains(answer, (string[])["one", "other"]));
        await one.StopAsync();
        answers = await AskAsync(port);
        Assert.All(answers, static answer => Assert.Equal("other", answer));
    }

    private static async Task<string[]> AskAsync(int port)
    {
        string[] answers = new string[Clients];
        for (int i = 0; i < answers.Length; i++)
        {
            await using CoapClient client = new();
            answers[i] = (await client.GetAsync($"coap://127.0.0.1:{port}/who").WaitAsync(FromMinutes(2))).GetText();
        }

        return answers;
    }

    private static CoapServer Make(string name, bool shares)
    {
        CoapServer server = new(new CoapEndpointOptions { Processes = { SharePort = shares } });
        server.MapGet("/who", () => CoapResults.Text(name));
        return server;
    }
}
