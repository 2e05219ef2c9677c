using System.Net;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Groups;

/// <summary>
/// Groups over real sockets, with each engine and several shards. Nothing leaves the machine: the loopback interface where it can, and
/// ports that nobody knows.
/// </summary>
public sealed class GroupSocketTests
{
    private static readonly CoapSocketEngine[] s_engines = LinuxUdpEngine.IsSupported
        ? [CoapSocketEngine.LinuxLoop, CoapSocketEngine.Portable, PortableUdpEngine.WithTwoSockets]
        : [CoapSocketEngine.Portable, PortableUdpEngine.WithTwoSockets];

    public static TheoryData<CoapSocketEngine, int, string> Cases
    {
        get
        {
            TheoryData<CoapSocketEngine, int, string> cases = [];
            foreach (CoapSocketEngine engine in s_engines)
            {
                foreach (int shards in (int[])[1, 4])
                {
                    cases.Add(engine, shards, "coap://0.0.0.0:0");
                    cases.Add(engine, shards, "coap://[::]:0");
                }
            }

            return cases;
        }
    }

    public static TheoryData<CoapSocketEngine, int> EnginesAndShards
    {
        get
        {
            TheoryData<CoapSocketEngine, int> cases = [];
            foreach (CoapSocketEngine engine in s_engines)
            {
                cases.Add(engine, 1);
                cases.Add(engine, 4);
            }

            return cases;
        }
    }

    [MulticastTheory]
    [MemberData(nameof(Cases))]
    [Rfc("gc-3.9-1", "gc-3.1.4-2", "7252-8.1-2", "7252-8.2-1")]
    public Task A_server_answers_an_IPv4_group_once_from_an_address_of_its_own(CoapSocketEngine engine, int shards, string listen) =>
        AnswersOnce(engine, shards, listen, MulticastTheoryAttribute.InterfaceOf(ipv6: false)!, "224.0.1.187");

    [MulticastTheory(ipv6: true)]
    [MemberData(nameof(EnginesAndShards))]
    [Rfc("gc-3.9-1", "gc-3.1.4-2")]
    public async Task A_server_answers_the_IPv6_groups_once_from_an_address_of_its_own(CoapSocketEngine engine, int shards)
    {
        string adapter = MulticastTheoryAttribute.InterfaceOf(ipv6: true)!;
        await AnswersOnce(engine, shards, "coap://[::]:0", adapter, "[ff02::fd]");
        await AnswersOnce(engine, shards, "coap://[::]:0", adapter, "[ff05::fd]");
    }

    [MulticastTheory]
    [MemberData(nameof(EnginesAndShards))]
    [Rfc("gc-4-1")]
    public async Task A_server_without_JoinGroups_receives_no_group_request(CoapSocketEngine engine, int shards)
    {
        string adapter = MulticastTheoryAttribute.InterfaceOf(ipv6: false)!;
        await using CoapServer server = Make(engine, shards);
        server.MapGet("/x", () => "x").AllowMulticast();
        server.Listen("coap://0.0.0.0:0");
        await server.StartAsync();

        // Somebody else on the machine has joined; that must not open the server's ears.
        using Socket other = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        int index = UdpGroupManager.IndexOf(adapter, ipv6: false);
        other.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.AddMembership,
            new MulticastOption(IPAddress.Parse("224.0.1.187"), index));
        await using CoapClient client = MakeClient(engine);
        int port = server.LocalEndpoints[0].Port;
        await using IAsyncEnumerator<CoapGroupResponse> answers = client
            .GetFromGroupAsync($"coap://224.0.1.187:{port}/x", options: new CoapGroupRequestOptions { Interface = adapter })
            .GetAsyncEnumerator();
        ValueTask<bool> waits = answers.MoveNextAsync();

        // The one is sent before the other, through the same socket to the same.
        await client.GetAsync($"coap://127.0.0.1:{port}/x").WaitAsync(FromMinutes(2)).Says("x");
        Assert.Equal(1, server.Counters[CoapCounter.DatagramsReceived]);
        Assert.False(waits.IsCompleted);
        await client.DisposeAsync();
        await Assert.ThrowsAsync<CoapException>(async () => await waits);
    }

    [Fact]
    public async Task A_group_that_cannot_be_joined_fails_the_start_and_the_error_says_why()
    {
        await using CoapServer one = new();
        one.Listen("coap://127.0.0.1:0").JoinGroups();
        (await Assert.ThrowsAsync<CoapException>(() => one.StartAsync())).Mentions("listen on coap://[::]");
        await using CoapServer none = new();
        none.Listen("coap://0.0.0.0:0").JoinGroups(new CoapGroupOptions { Interfaces = { "no such interface" } });
        (await Assert.ThrowsAsync<CoapException>(() => none.StartAsync())).Mentions("no interface 'no such interface'");
        await using CoapServer far = new();
        far.Listen("coap://0.0.0.0:0").JoinGroups(new CoapGroupOptions { Interfaces = { "99999" } });
        (await Assert.ThrowsAsync<CoapException>(() => far.StartAsync())).Mentions("could be joined");
    }

    private static async Task AnswersOnce(CoapSocketEngine engine, int shards, string listen, string adapter, string group)
    {
        const int Requests = 5;
        int calls = 0;
        await using CoapServer server = Make(engine, shards);
        server.MapGet("/x", request => request.IsMulticast ? $"{Interlocked.Increment(ref calls)}" : "one").AllowMulticast();
        server.Listen(listen).JoinGroups(new CoapGroupOptions { Interfaces = { adapter } });
        await server.StartAsync();
        await using CoapClient client = MakeClient(engine, shards);
        int port = server.LocalEndpoints[0].Port;
        CoapGroupRequestOptions options = new() { Interface = adapter, HopLimit = 1 };
        CoapPeer? peer = null;
        for (int i = 1; i <= Requests; i++)
        {
            await using IAsyncEnumerator<CoapGroupResponse> answers = client.GetFromGroupAsync($"coap://{group}:{port}/x", options: options)
                .GetAsyncEnumerator();
            Assert.True(await answers.MoveNextAsync().AsTask().WaitAsync(FromMinutes(2)));
            Assert.Equal($"{i}", answers.Current.Response.GetText());
            peer = answers.Current.Peer;
            Assert.False(peer.Address.IsMulticast);
            Assert.Equal(port, peer.Address.Port);
        }

        // What came to another socket would have come by now: the same peer is answered there as well.
        await peer!.GetAsync("/x").WaitAsync(FromMinutes(2)).Says("one");
        Assert.Equal(Requests, calls);
        Assert.Equal(0, server.Counters[CoapCounter.Duplicates]);
        Assert.Equal(Requests + 1, server.Counters[CoapCounter.DatagramsReceived]);
        Assert.Equal(Requests + 1, client.Endpoint.Counters[CoapCounter.DatagramsReceived]);
    }

    // Datagrams are counted, so that nothing may be sent twice because the machine is busy.
    private static CoapClient MakeClient(CoapSocketEngine engine, int shards = 1) =>
        new(new CoapEndpointOptions
        {
            Transports = { UdpEngine = engine, Shards = shards },
            Parameters = new() { AckTimeout = FromMinutes(2) }
        });

    private static CoapServer Make(CoapSocketEngine engine, int shards) =>
        new(new CoapEndpointOptions
        {
            Transports = { UdpEngine = engine, Shards = shards },
            Parameters = new() { DefaultLeisure = FromMilliseconds(20), PiggybackWindow = FromMinutes(2) }
        });
}
