namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>Strangers who send IDs that nobody has, as many as they can.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ForgedKidTests
{
    private const int Sources = 4;
    private const int Requests = 2_000;

    [Fact]
    [Trait("Category", "Campaign")]
    public async Task Forged_IDs_cause_few_lookups_and_refusals_for_each_source_and_leave_no_state()
    {
        int factor = CampaignSetting.Of("COAP_TEST_CAMPAIGN", 1);
        await using OscoreWorld world = new();
        Nobody nobody = new();
        OscoreContexts contexts = new() { Resolver = nobody };
        contexts.Add(OscoreWorld.ServerContext());
        CoapServer server = world.Server(options => options.UseOscore(contexts));
        server.MapGet("/a", () => CoapResults.Text("a")).RequireOscore();
        await server.StartAsync();
        ScriptedPeer[] attackers = [.. Enumerable.Range(1, Sources).Select(i => world.Network.CreatePeer(
            InMemoryNetwork.Address($"[2001:db8:{i}::1]:1000"), InMemoryNetwork.Address("[2001:db8::1]:5683")))];

        int answers = 0;
        for (int i = 0; i < Requests * factor; i++)
        {
            foreach (ScriptedPeer attacker in attackers)
            {
                attacker.Send(Forged(i));
            }

            if (i % 100 == 99)
            {
                world.Clock.Advance(FromMilliseconds(100));
                answers += attackers.Sum(attacker => Drain(attacker));
                lock (world.Wire)
                {
                    world.Wire.Clear();
                }
            }
        }

        OscoreLimits limits = contexts.Limits;
        double seconds = world.Clock.Elapsed.TotalSeconds;
        Assert.InRange(nobody.Asked, Sources, Sources * (limits.LookupBurst + (limits.LookupsPerSecond * seconds) + 1));
        Assert.InRange(answers, Sources, Sources * (limits.RefusalBurst + (limits.RefusalsPerSecond * seconds) + 1));
        Assert.Equal(1, contexts.Count);
        await world.GetAsync(world.Client(OscoreWorld.ClientContext()), "/a").Says("a");
        foreach (ScriptedPeer attacker in attackers)
        {
            attacker.Dispose();
        }
    }

    private static byte[] Forged(int i)
    {
        CoapMessage message = new(CoapCode.Post)
        {
            Type = CoapMessageType.Confirmable,
            MessageId = (ushort)i,
            Payload = new byte[16],
        };
        message.Options.Add(OptionNumber.Oscore, [0x09, 0x00, 0xff, (byte)i, (byte)(i >> 8), (byte)(i >> 16)]);
        return CoapDatagramSerializer.Default.Serialize(message);
    }

    // How many answers have a code; acknowledgements alone have none.
    private static int Drain(ScriptedPeer attacker)
    {
        int answers = 0;
        while (attacker.Receive() is { } datagram)
        {
            answers += datagram.Data.Span[1] == 0 ? 0 : 1;
        }

        return answers;
    }

    private sealed class Nobody : IOscoreContextResolver
    {
        private int _asked;

        public int Asked => Volatile.Read(ref _asked);

        public ValueTask<OscoreContext?> FindAsync(
            ReadOnlyMemory<byte> kid, ReadOnlyMemory<byte>? idContext, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _asked);
            return default;
        }
    }
}
