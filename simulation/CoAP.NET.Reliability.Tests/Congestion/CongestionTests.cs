using CoAP.NET.Simulation.Congestion;

namespace CoAP.NET.Reliability.Tests.Congestion;

/// <summary>What docs/congestion.md says of the timings, in the cases that decide.</summary>
public sealed class CongestionTests
{
    [Fact]
    public async Task The_same_seed_gives_the_same_result()
    {
        CongestionScenario scenario = Find("10 clients, losses at random", "100 ms, 10 %");
        CongestionResult first = await CongestionRun.RunAsync(scenario, CoapRetransmissionAlgorithm.Fasor, 7);
        Assert.Equal(first, await CongestionRun.RunAsync(scenario, CoapRetransmissionAlgorithm.Fasor, 7));
        Assert.NotEqual(first, await CongestionRun.RunAsync(scenario, CoapRetransmissionAlgorithm.Fasor, 8));
    }

    [Fact]
    public async Task Measured_timings_have_more_goodput_and_no_more_failures_than_fixed_timings_on_a_lossy_path()
    {
        CongestionScenario scenario = Find("10 clients, losses at random", "100 ms, 10 %");
        CongestionResult fixedTiming = await CongestionRun.RunAsync(scenario, CoapRetransmissionAlgorithm.Default, 1);
        CongestionResult fasor = await CongestionRun.RunAsync(scenario, CoapRetransmissionAlgorithm.Fasor, 1);
        Assert.True(fasor.Goodput > 3 * fixedTiming.Goodput, $"{fasor} against {fixedTiming}");
        Assert.True(fasor.Failed <= fixedTiming.Failed, $"{fasor} against {fixedTiming}");
    }

    [Fact]
    public async Task Measured_timings_send_few_unneeded_retransmissions_behind_a_long_queue()
    {
        CongestionScenario scenario = Find("A bottleneck in each direction, round trip 100 ms without it",
            "50 clients, 500 B/s, queue 200");
        CongestionResult fixedTiming = await CongestionRun.RunAsync(scenario, CoapRetransmissionAlgorithm.Default, 1);
        CongestionResult fasor = await CongestionRun.RunAsync(scenario, CoapRetransmissionAlgorithm.Fasor, 1);
        Assert.True(fixedTiming.SpuriousShare > 100, $"{fixedTiming}");
        Assert.True(fasor.SpuriousShare < 20, $"{fasor}");
        Assert.True(fasor.Goodput > 2 * fixedTiming.Goodput, $"{fasor} against {fixedTiming}");
    }

    [Fact]
    public void Unneeded_retransmissions_are_distinguished_from_needed_ones()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock,
            new InMemoryNetworkOptions { Conditions = NetworkConditions.Delayed(TimeSpan.FromSeconds(1)) });
        using ScriptedPeer server = network.CreatePeer(InMemoryNetwork.Address("192.0.2.1:5683"));
        using ScriptedPeer client = network.CreatePeer(InMemoryNetwork.Address("192.0.2.2:40000"), server.Address);

        // The first copy is lost, the second one answered, the third one sent before the answer arrives.
        network.DropNext(1, from: client.Address);
        client.Send("40010001");
        client.Send("40010001");
        clock.Advance(TimeSpan.FromSeconds(1));
        server.Expect("40010001");
        server.SendTo(client.Address, "60450001");
        client.Send("40010001");
        clock.Advance(TimeSpan.FromSeconds(1));
        server.SendTo(client.Address, "60450001");

        // The answer is lost, so the copy was needed.
        client.Send("40010002");
        clock.Advance(TimeSpan.FromSeconds(1));
        network.DropNext(1, to: client.Address);
        server.SendTo(client.Address, "60450002");
        client.Send("40010002");
        clock.Advance(TimeSpan.FromSeconds(1));
        server.SendTo(client.Address, "60450002");
        clock.Advance(TimeSpan.FromSeconds(1));

        SpuriousCopies counts = SpuriousCopies.Count(network.Trace, server.Address);
        Assert.Equal((3, 1), (counts.Copies, counts.Spurious));
    }

    [Fact]
    public async Task Block_transfers_use_measured_retransmission_times_by_default()
    {
        TransferScenario scenario = TransferScenario.All.Single(
            one => one is { Table: "Download of 5 MiB", Name: "20 ms, 5 %" }) with
        { Length = 256 << 10 };
        TransferResult plain = await TransferRun.RunAsync(scenario, TransferWay.All[0], 1);
        TransferResult measured = await TransferRun.RunAsync(scenario, TransferWay.All[1], 1);
        Assert.Equal(measured, await TransferRun.RunAsync(scenario, TransferWay.All[1], 1));
        Assert.Equal((1, 1), (plain.Complete, measured.Complete));
        Assert.True(measured.Time < plain.Time / 3, $"{measured} against {plain}");
        Assert.True(measured.Datagrams < plain.Datagrams * 1.1, $"{measured} against {plain}");
    }

    [Fact]
    public async Task Measured_block_timings_send_fewer_datagrams_behind_a_long_queue_than_RFC_timings()
    {
        TransferScenario scenario = TransferScenario.All.Single(
            one => one.Name == "20 clients, 16 KiB each, 2500 B/s, queue 100");
        TransferResult plain = await TransferRun.RunAsync(scenario, TransferWay.All[0], 1);
        TransferResult measured = await TransferRun.RunAsync(scenario, TransferWay.All[1], 1);
        Assert.Equal(0, measured.Failed);
        Assert.True(measured.Spurious < plain.Spurious / 2, $"{measured} against {plain}");
        Assert.True(measured.Datagrams < plain.Datagrams / 2, $"{measured} against {plain}");
    }

    private static CongestionScenario Find(string table, string name) =>
        CongestionScenario.All.Single(scenario => scenario.Table == table && scenario.Name == name);
}
