using System.Diagnostics;
using System.Net.Sockets;
using System.Security.Authentication;
using CoAP.NET.Tests.Messaging;
using CoAP.NET.Tests.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Streams.Engines;

/// <summary>
/// What the whole process has is counted, so nothing else may run. COAP_TCP_ROUNDS says how long the campaign is (default 80),
/// COAP_TEST_SEED what it does.
/// </summary>
public abstract class LeakSuite : EngineTest
{
    private const int Attackers = 4;
    private const int Idle = 1000;

    /// <summary>Descriptors and threads of others, such as of the test platform, may come and go.</summary>
    private const int Others = 20;

    [Fact]
    public async Task Connections_do_not_need_a_thread_each()
    {
        Options.Limits.Connections.MaxCountPerSource = 10_000;
        await StartAsync();
        await Within(Client.GetAsync(Uri + "/x")).Says("hi");
        int before = Threads();
        List<AsyncPeer> peers = [];
        for (int i = 0; i < (UsesTls ? Idle / 5 : Idle); i++)
        {
            peers.Add(await ConnectAsync());
        }

        foreach (AsyncPeer peer in peers)
        {
            await peer.SendAsync(GetX);
            await peer.ExpectAsync(AnswerX);
        }

        Assert.InRange(Threads(), 1, before + Others);
        foreach (AsyncPeer peer in peers)
        {
            await peer.DisposeAsync();
        }

        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task A_frame_that_announces_gibibytes_is_refused_without_allocating_them()
    {
        await StartAsync();
        await RefuseAsync(2);
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await RefuseAsync(20);
        Assert.InRange(GC.GetTotalAllocatedBytes(precise: true) - before, 0, 20 << 20);
        await AssertNothingLeftAsync();
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public async Task Requests_are_answered_beside_misbehaving_peers_and_no_state_is_left_behind()
    {
        int rounds = CampaignSetting.Of("COAP_TCP_ROUNDS", 80);
        byte[] big = Frames.Bytes(200_000);
        Options.Limits.Connections.MaxCountPerSource = 10_000;
        Options.Limits.Connections.SendQueueSize = 64 * 1024;
        Server.MapGet("/big", () => CoapResults.Bytes(big));
        Server.MapPut("/s", static _ => CoapResults.Changed());
        CoapRouteHandlerBuilder observed = Server.MapGet("/o", () => CoapResults.Bytes(big)).Observable();
        await StartAsync();
        await Within(Client.GetAsync(Uri + "/x")).Says("hi");
        await AttackAsync(Campaign.Seed, 4);
        await UntilAsync(() => Server.Endpoint.Connections.Count == 1, () => $"{Server.Endpoint.Connections.Count} connections are left.");
        int before = Descriptors();

        Task attacks = Task.WhenAll(Enumerable.Range(0, Attackers).Select(i => AttackAsync(Campaign.Seed + i, rounds / Attackers)));
        int answered = 0;
        while (!attacks.IsCompleted || answered < 100)
        {
            await Within(Client.GetAsync(Uri + "/x")).Says("hi");
            answered++;
            observed.Notify();
            Clock.Advance(FromMilliseconds(100));
        }

        await Within(attacks);
        await UntilAsync(() => Server.Endpoint.Connections.Count == 1,
            () => $"{Server.Endpoint.Connections.Count} connections are left; seed {Campaign.Seed}.");
        await PassAsync(Options.Transports.Streams.ReleaseTimeout);
        await UntilAsync(() => Descriptors() <= before + Others,
            () => $"{before} descriptors were open before, {Descriptors()} are now; seed {Campaign.Seed}.");
        await AssertNothingLeftAsync();
    }

    private static int Threads()
    {
        using Process process = Process.GetCurrentProcess();
        return process.Threads.Count;
    }

    // Elsewhere the system does not list them; that all threads and connections are gone is looked at nevertheless.
    private static int Descriptors() => OperatingSystem.IsLinux() ? Directory.EnumerateFileSystemEntries("/proc/self/fd").Count() : 0;

    private async Task RefuseAsync(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await using AsyncPeer peer = await ConnectAsync();
            await peer.SendAsync("f0ffffffff45");
            await peer.ReadToAnyEndAsync();
        }
    }

    private async Task AttackAsync(int seed, int rounds)
    {
        Random random = new(seed);
        for (int round = 0; round < rounds; round++)
        {
            try
            {
                await using AsyncPeer peer = await ConnectRawAsync(receiveBuffer: random.Next(3) == 0 ? 8192 : null);
                if (random.Next(8) > 0)
                {
                    await peer.SendAsync(random.Next(2) == 0 ? LargeCsm : BareCsm);
                }

                for (int step = random.Next(4); step >= 0; step--)
                {
                    await DoHarmAsync(peer, random);
                }

                await LeaveAsync(peer, random.Next(4));
            }
            catch (Exception exception)
                when (exception is IOException or SocketException or AuthenticationException or ObjectDisposedException)
            {
                // The server was first to end it.
            }
        }
    }

    private static async Task DoHarmAsync(AsyncPeer peer, Random random)
    {
        byte[] put = Wire.Hex(Frames.Write(Frames.Request(CoapMethod.Put, "s", payload: Frames.Bytes(random.Next(70_000)))));
        switch (random.Next(8))
        {
            case 0:
                // Answers that nobody reads.
                await peer.SendAsync(string.Concat(Enumerable.Repeat("4101ccb3626967", random.Next(1, 50))));
                break;
            case 1:
                foreach (byte one in Wire.Hex(GetX + "01e242"))
                {
                    await peer.SendAsync(new[] { one });
                }

                break;
            case 2:
                await peer.SendAsync(put.AsMemory(0, random.Next(1, put.Length + 1)));
                break;
            case 3:
                byte[] garbage = new byte[random.Next(1, 200)];
                random.NextBytes(garbage);
                await peer.SendAsync(garbage);
                break;
            case 4:
                await peer.SendAsync("310110605" + "16f");
                break;
            case 5:
                await peer.SendAsync(random.Next(3) == 0 ? "f0ffffffff45" : "00e4");
                break;
            case 6:
                await peer.SendAsync(put);
                break;
            default:
                await peer.SendAsync(GetX);
                await peer.ReceiveAsync(1);
                break;
        }
    }

    private static async Task LeaveAsync(AsyncPeer peer, int how)
    {
        switch (how)
        {
            case 0:
                peer.Reset();
                break;
            case 1:
                peer.EndSending();
                await peer.ReadToAnyEndAsync();
                break;
            case 2:
                peer.EndSending();
                break;
            default:
                break;
        }
    }
}
