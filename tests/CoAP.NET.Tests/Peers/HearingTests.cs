using CoAP.NET.Execution;
using CoAP.NET.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Peers;

public class HearingTests
{
    private const int Rounds = 20_000;

    private readonly CoapChannel _channel;

    public HearingTests()
    {
        CoapShard shard = new(0, new CoapEnvironment
        {
            TimeProvider = new VirtualClock(),
            Random = new VirtualRandom(1),
            Scheduler = CoapThreadScheduler.Default,
            Limits = new CoapLimits(),
            Counters = new CoapCounters(),
            Logger = NullLogger.Instance,
            ParametersOf = static _ => CoapTransmissionParameters.Default,
        });
        _channel = new CoapChannel(shard, new NullTransport(), 0, CoapAddress.FromIPv4(1, 1), CoapAddress.FromIPv4(2, 5683),
            CoapTransmissionParameters.Default);
    }

    // A processor may execute a read before an earlier write of the same thread. Then both threads may miss each other, and the caller
    // waits for a device that has just spoken and sleeps again.
    [Fact]
    public void A_message_that_arrives_while_a_caller_begins_to_wait_ends_the_wait_or_is_visible_to_the_caller()
    {
        int missed = 0;
        using Barrier round = new(2);
        Thread receiving = new(() =>
        {
            for (int i = 1; i <= Rounds; i++)
            {
                round.SignalAndWait();
                _channel.LastSeen = i;
                round.SignalAndWait();
            }
        });
        receiving.Start();
        for (int i = 1; i <= Rounds; i++)
        {
            round.SignalAndWait();
            Task heard = CoapPeer.Of(_channel).WhenHeardAsync();
            long seen = _channel.LastSeen;
            round.SignalAndWait();
            missed += heard.IsCompleted || seen == i ? 0 : 1;

            // Ends the wait of this round.
            _channel.LastSeen = i;
        }

        receiving.Join();
        Assert.Equal(0, missed);
    }
}
