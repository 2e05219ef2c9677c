using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Testing;

public class NetworkDeterminismTests
{
    private static readonly NetworkConditions s_bad = new()
    {
        Loss = 0.2,
        Duplication = 0.2,
        Corruption = 0.1,
        Reordering = 0.2,
        MinDelay = FromMilliseconds(1),
        MaxDelay = FromMilliseconds(80),
    };

    private static readonly CoapAddress[] s_hosts = [.. Enumerable.Range(1, 4).Select(i => InMemoryNetwork.Address($"192.0.2.{i}:5683"))];

    [Fact]
    public void The_same_seed_gives_the_same_trace()
    {
        string first = Run(7, s_hosts).ToString();
        Assert.Equal(first, Run(7, s_hosts).ToString());
        first.Mentions("Lost");
        first.Mentions("Corrupted");
        first.Mentions("Duplicated");
        first.Mentions("Reordered");
    }

    [Fact]
    public void Another_seed_gives_another_trace() => Assert.NotEqual(Run(7, s_hosts).ToString(), Run(8, s_hosts).ToString());

    [Fact]
    public void The_order_of_host_creation_does_not_change_the_trace() =>
        Assert.Equal(Run(7, s_hosts).ToString(), Run(7, [.. s_hosts.Reverse()]).ToString());

    [Fact]
    public void Traffic_between_other_hosts_does_not_change_the_fate_of_a_datagram()
    {
        Assert.Equal(Fates(withOthers: false), Fates(withOthers: true));

        static List<string> Fates(bool withOthers)
        {
            VirtualClock clock = new();
            InMemoryNetwork network = new(clock, new() { Seed = 3, Conditions = s_bad });
            ScriptedPeer[] peers = [.. s_hosts.Select(address => network.CreatePeer(address))];
            for (int i = 0; i < 200; i++)
            {
                if (withOthers)
                {
                    peers[2].SendTo(s_hosts[3], "40010000");
                    peers[1].SendTo(s_hosts[0], "40010000");
                }

                peers[0].SendTo(s_hosts[1], $"4001{i:x4}");
                clock.Advance(FromMilliseconds(3));
            }

            clock.Advance(FromSeconds(1));
            return [.. peers[1].Received.Select(received => $"{received.Time} {received.Hex}")];
        }
    }

    [Fact]
    public void A_changed_duplication_probability_does_not_change_the_lost_datagrams()
    {
        // The datagrams that get through with duplication on are those that get through with it off.
        Assert.Equal(Arrived(0), Arrived(0.5));

        static List<int> Arrived(double duplication)
        {
            VirtualClock clock = new();
            InMemoryNetwork network = new(clock, new() { Seed = 3, Conditions = new() { Loss = 0.5, Duplication = duplication } });
            ScriptedPeer a = network.CreatePeer(s_hosts[0], s_hosts[1]);
            ScriptedPeer b = network.CreatePeer(s_hosts[1]);
            for (int i = 0; i < 200; i++)
            {
                a.Send($"4001{i:x4}");
            }

            return [.. b.Received.Select(received => (int)received.MessageId).Distinct()];
        }
    }

    /// <summary>Four hosts that ask and answer each other over a bad network.</summary>
    private static InMemoryNetwork Run(ulong seed, CoapAddress[] order)
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock, new() { Seed = seed, Conditions = s_bad });
        Dictionary<CoapAddress, ScriptedPeer> peers = [];
        foreach (CoapAddress address in order)
        {
            ScriptedPeer peer = network.CreatePeer(address);
            peer.Responder = received =>
            {
                if (received.Type == CoapMessageType.Confirmable)
                {
                    peer.Acknowledge(received);
                }

                return true;
            };
            peers.Add(address, peer);
        }

        VirtualRandom random = new(seed);
        for (int i = 0; i < 300; i++)
        {
            CoapAddress from = s_hosts[random.NextUInt64() % 4];
            CoapAddress to = s_hosts[random.NextUInt64() % 4];
            peers[from].SendTo(to, $"4001{i:x4}");
            clock.Advance(FromMilliseconds(random.NextDouble() * 10));
        }

        clock.RunUntilIdle(FromMinutes(1));
        return network;
    }
}
