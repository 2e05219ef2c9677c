using CoAP.NET.Diagnostics;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Dtls.Tests.Steering;

/// <summary>Servers over sockets that share their sessions, behind a balancer that sprays.</summary>
public sealed class SteeredEndpointTests
{
    private const int Slots = 24;
    private static readonly TimeSpan s_hangLimit = TimeSpan.FromMinutes(3);

    public static TheoryData<CoapSocketEngine> Engines => LinuxUdpEngine.IsSupported
        ? new(CoapSocketEngine.LinuxLoop, CoapSocketEngine.Portable)
        : new(CoapSocketEngine.Portable);

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Slots_move_under_load_without_a_handshake_a_lost_request_or_a_repeated_execution(CoapSocketEngine engine)
    {
        const int Clients = 4;
        const int Requests = 12;
        const int AnswersOfRound = 5;
        ConcurrentDictionary<string, int> runs = new();
        ConcurrentDictionary<string, bool> answers = new();
        using SemaphoreSlim answered = new(0);
        await using SteeredEndpoints steered = await SteeredEndpoints.StartAsync(3, engine,
            (server, number) => server.MapPost("/count", request =>
            {
                runs.AddOrUpdate(request.GetText(), 1, static (_, count) => count + 1);
                return CoapResults.Text($"by {number}");
            }));
        CoapClient[] clients = [.. Enumerable.Range(0, Clients).Select(_ => steered.Client())];
        string host = steered.Balancer.Host;
        foreach (CoapClient client in clients)
        {
            Assert.Equal("hello", (await client.GetAsync($"{host}/hello").WaitAsync(s_hangLimit)).GetText());
        }

        steered.Balancer.LosesEach = 6;
        Task load = Task.WhenAll(clients.Select(AskAsync));

        // Each slot goes from one server to the next and back, while requests are under way.
        for (int round = 0; round < Clients * Requests / AnswersOfRound; round++)
        {
            for (int i = 0; i < AnswersOfRound; i++)
            {
                await answered.WaitAsync().WaitAsync(s_hangLimit);
            }

            for (byte slot = 0; slot < Slots; slot++)
            {
                await steered.Slots.MoveAsync(slot, 1 + ((slot + round) % 3)).WaitAsync(s_hangLimit);
            }
        }

        await load.WaitAsync(s_hangLimit);
        Assert.Equal(["by 1", "by 2", "by 3"], answers.Keys.Order());
        Assert.Equal(Clients * Requests, runs.Count);
        Assert.DoesNotContain(runs, static run => run.Value != 1);
        Assert.Equal(Clients, steered.Handshakes);
        Assert.All(clients, static client => Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]));
        Assert.All(clients, static client => Assert.Equal(0, client.Endpoint.Counters[CoapCounter.MessageIdReused]));
        Assert.Equal(0, steered.Balancer.Strange);
        Assert.All(Enumerable.Range(1, 3), number => Assert.True(steered.Slots[number].Relayed > 0));

        async Task AskAsync(CoapClient client, int i)
        {
            for (int j = 0; j < Requests; j++)
            {
                answers[(await client.PostAsync($"{host}/count", CoapContent.Text($"{i}/{j}"))).GetText()] = true;
                answered.Release();
            }
        }
    }
}
