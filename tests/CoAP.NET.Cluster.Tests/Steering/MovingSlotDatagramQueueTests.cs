using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Steering;

namespace CoAP.NET.Cluster.Tests.Steering;

public sealed class MovingSlotDatagramQueueTests
{
    private const int MaxBytes = 64 << 10;
    private static readonly CoapSlot s_slot = new(7);

    private readonly VirtualClock _clock = new();
    private readonly RelayCounters _counts = new();
    private readonly MovingSlotDatagramQueue _held;

    public MovingSlotDatagramQueueTests() => _held = new MovingSlotDatagramQueue(MaxBytes, FromSeconds(8), _counts, _clock);

    [Fact]
    public void Held_datagrams_of_a_slot_are_released_once_in_their_order_of_arrival()
    {
        Add(s_slot, source: 1, 1);
        Add(new CoapSlot(8), source: 1, 2);
        Add(s_slot, source: 2, 3);

        Assert.Equal([s_slot, new CoapSlot(8)], _held.Slots.Order());
        Assert.Equal([1, 3], Taken(s_slot));
        Assert.Empty(Taken(s_slot));
        Assert.Equal(1, _held.Count);
        Assert.Equal((3, 0), (_counts.DatagramsQueued, _counts.QueuedDatagramsDropped));
    }

    [Fact]
    public void Datagrams_that_are_not_due_stay_held()
    {
        Add(s_slot, source: 1, 1);

        Assert.Empty(_held.Take(s_slot, _ => false));
        Assert.Equal([1], Taken(s_slot));
    }

    [Fact]
    public void A_flooding_source_evicts_its_own_datagrams_only()
    {
        for (byte i = 0; i < 10; i++)
        {
            Add(s_slot, source: 100 + i, i);
        }

        for (int i = 0; i < 10_000; i++)
        {
            Add(new CoapSlot((byte)i), source: 1, 255);
        }

        // Who comes last is honest too.
        Add(s_slot, source: 200, 10);

        Assert.Equal(Enumerable.Range(0, 11).Select(i => (byte)i), Taken(s_slot).Where(first => first != 255));
        Assert.InRange(_held.Count, 100, MaxBytes / 128);
        Assert.Equal(10_011 - (MaxBytes / 129), _counts.QueuedDatagramsDropped);
    }

    [Fact]
    public void Datagrams_are_dropped_after_their_maximum_wait_and_a_datagram_that_can_never_fit_is_not_held()
    {
        Add(s_slot, source: 1, 1);
        _clock.Advance(FromSeconds(5));
        Add(s_slot, source: 1, 2);
        _clock.Advance(FromSeconds(4));
        _held.RemoveOld();

        Assert.Equal(1, _held.Count);
        Assert.Equal([2], Taken(s_slot));
        _held.Add(s_slot, 0, 0, Address(1), new byte[MaxBytes]);
        Assert.Equal(0, _held.Count);
        Assert.Equal(2, _counts.QueuedDatagramsDropped);
    }

    [Fact]
    public void Each_source_gets_at_most_its_share_when_many_datagrams_are_relayed()
    {
        RelayRateLimiter budget = new(_clock);
        for (int i = 0; i < RelayRateLimiter.Free; i++)
        {
            Assert.True(budget.TryUse(Address(1)));
        }

        Assert.Equal(RelayRateLimiter.Share, Enumerable.Range(0, 1_000).Count(_ => budget.TryUse(Address(1))));
        Assert.True(budget.TryUse(Address(2)));
        _clock.Advance(FromSeconds(1));
        Assert.True(budget.TryUse(Address(1)));
    }

    [Fact]
    public void Bytes_that_are_not_a_relayed_datagram_are_not_parsed_as_a_relay_item()
    {
        Assert.False(RelayedDatagram.TryRead([], [], out _));
        Assert.False(RelayedDatagram.TryRead([], new byte[31], out _));
        byte[] bytes = new byte[32];
        Assert.True(RelayedDatagram.TryRead([], bytes, out RelayedDatagram item));
        Assert.True(item.Datagram.IsEmpty && item.Slot is null);

        // It would have to name a node.
        bytes[8] = 255;
        Assert.False(RelayedDatagram.TryRead([], bytes, out _));
    }

    private static CoapAddress Address(int source) => CoapAddress.FromIPv4(0xC000_0200 + (uint)source, 5684);

    private void Add(CoapSlot slot, int source, byte content) => _held.Add(slot, 0, 0, Address(source), [content]);

    private IEnumerable<byte> Taken(CoapSlot slot) => _held.Take(slot, _ => true).Select(held => held.Bytes[0]);
}
