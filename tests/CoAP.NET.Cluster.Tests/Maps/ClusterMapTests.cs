using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Tests.Maps;

public sealed class ClusterMapTests
{
    [Fact]
    public void A_map_after_a_loss_of_the_store_has_no_owners_and_a_higher_version_and_fence_than_any_lost_one()
    {
        CoapClusterNode node = new(CoapNodeId.New(), "");
        CoapClusterSlotMap map = new CoapClusterSlotMap(7, [node], new CoapSlotOwner[CoapSlot.Count]).Assign(node.Id, CoapSlot.All);
        CoapClusterSlotMap once = map.AfterLoss(known: 90, default);
        CoapClusterSlotMap again = once.AfterLoss(known: 0, default);

        Assert.True(once.Version > 90 + 100_000 && again.Version > once.Version);
        Assert.Equal(CoapSlot.Count, once.Orphans().Count);
        Assert.All(CoapSlot.All, slot => Assert.True(once[slot].Fence.Value > map[slot].Fence.Value + 100_000));
        Assert.True(again.StaleFence.Value > once[new CoapSlot(0)].Fence.Value);
        CoapClusterSlotMap taken = new CoapClusterSlotMap(
            once.Version, once.Nodes, [.. CoapSlot.All.Select(slot => once[slot])], once.StaleFence).Assign(node.Id, CoapSlot.All);
        Assert.Equal(once.StaleFence, taken.StaleFence);
        Assert.False(taken.IsStale(new CoapRecord(default, taken[new CoapSlot(0)].Fence, default, default)));
        Assert.True(taken.IsStale(new CoapRecord(default, map[new CoapSlot(0)].Fence, default, default)));
        Assert.False(once.HasSameContent(map));
    }

    // As with a standby that has not followed the one that took over before, or a backup that is restored twice.
    [Fact]
    public void A_store_that_is_restored_twice_to_the_same_state_reuses_neither_a_fence_nor_a_version()
    {
        DateTimeOffset first = new(2026, 11, 26, 0, 0, 0, TimeSpan.Zero);
        CoapClusterSlotMap map = CoapClusterSlotMap.Empty.Assign(CoapNodeId.New(), CoapSlot.All);

        CoapClusterSlotMap once = map.AfterLoss(known: 1, first);
        CoapClusterSlotMap again = map.AfterLoss(known: 1, first.AddMilliseconds(1));

        Assert.True(again.StaleFence.Value >= once.StaleFence.Value + (1 << 20));
        Assert.True(again.Version >= once.Version + (1 << 20));
    }

    [Fact]
    public void A_change_raises_the_version_and_the_fences_of_its_slots_and_leaves_the_old_map_unchanged()
    {
        CoapNodeId node = CoapNodeId.New();
        CoapSlot[] slots = [new(7), new(3), new(7)];

        CoapClusterSlotMap changed = CoapClusterSlotMap.Empty.Assign(node, slots);

        Assert.Equal(1, changed.Version);
        Assert.Equal([new CoapSlot(3), new CoapSlot(7)], changed.Changed);
        Assert.Equal(new CoapSlotOwner(node, new CoapFencingToken(1)), changed[new CoapSlot(7)]);
        Assert.Equal(default, changed[new CoapSlot(4)]);
        Assert.Equal(default, CoapClusterSlotMap.Empty[new CoapSlot(7)]);
        Assert.Throws<InvalidOperationException>(() => changed.Assign(node, slots));
    }

    [Fact]
    public void Orphans_are_slots_without_an_owner_or_with_an_absent_owner()
    {
        CoapClusterNode here = new(CoapNodeId.New(), "");
        CoapSlotOwner[] owners = new CoapSlotOwner[CoapSlot.Count];
        owners[5] = new CoapSlotOwner(here.Id, new CoapFencingToken(1));
        owners[6] = new CoapSlotOwner(CoapNodeId.New(), new CoapFencingToken(4));

        CoapClusterSlotMap map = new(9, [here], owners);

        Assert.Equal(CoapSlot.Count - 1, map.Orphans().Count);
        Assert.DoesNotContain(new CoapSlot(5), map.Orphans());
        Assert.True(map.IsThere(here.Id));
        Assert.False(map.IsThere(owners[6].Node));
    }

    // These numbers stand in databases: they never change.
    [Theory]
    [InlineData("", 197)]
    [InlineData("a", 237)]
    [InlineData("urn:dev:mac:0024befffe804ff1", 74)]
    public void The_slot_of_a_name_does_not_change_between_versions(string name, byte slot) =>
        Assert.Equal(new CoapSlot(slot), CoapSlot.OfName(Encoding.UTF8.GetBytes(name)));

    [Fact]
    public void Names_are_spread_over_all_slots()
    {
        int[] counts = new int[CoapSlot.Count];
        for (int i = 0; i < 25_600; i++)
        {
            counts[CoapSlot.OfName(Encoding.UTF8.GetBytes($"device-{i}")).Number]++;
        }

        Assert.All(counts, count => Assert.InRange(count, 50, 150));
    }

    [Fact]
    public void A_node_id_is_unique_and_the_length_of_a_node_address_is_limited()
    {
        Assert.NotEqual(CoapNodeId.New(), CoapNodeId.New());
        Assert.True(CoapNodeId.New().IsSet);
        Assert.False(default(CoapNodeId).IsSet);
        CoapClusterNode node = new(CoapNodeId.New(), new string('x', CoapClusterNode.MaxAddressLength));
        Assert.False(node.IsLeaving);
        Assert.Throws<ArgumentException>(() => new CoapClusterNode(node.Id, node.Address + 'x'));
        Assert.Throws<ArgumentException>(() => node with { Address = node.Address + 'x' });
    }

    [Fact]
    public void Keys_are_equal_by_content()
    {
        CoapRecordKey key = new(CoapRecordKind.Session, new CoapSlot(1), [1, 2]);

        Assert.Equal(key, new CoapRecordKey(CoapRecordKind.Session, new CoapSlot(1), [1, 2]));
        Assert.Equal(key.GetHashCode(), new CoapRecordKey(CoapRecordKind.Session, new CoapSlot(1), [1, 2]).GetHashCode());
        Assert.NotEqual(key, new CoapRecordKey(CoapRecordKind.Observer, new CoapSlot(1), [1, 2]));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapRecordKey(CoapRecordKind.Session, default, []));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapRecordKey(CoapRecordKind.Session, default, new byte[256]));
    }
}
