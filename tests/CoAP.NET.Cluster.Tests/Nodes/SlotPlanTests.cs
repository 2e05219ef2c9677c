using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;

namespace CoAP.NET.Cluster.Tests.Nodes;

public sealed class SlotPlanTests
{
    private const string Linked = "coaps+tcp://192.0.2.1:5690";

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(7)]
    [InlineData(50)]
    [InlineData(100)]
    public void Nodes_that_start_together_get_fair_shares_of_all_slots(int count)
    {
        CoapClusterSlotMap map = CoapClusterSlotMap.Empty.With(Nodes(count));
        foreach (CoapClusterNode node in map.Nodes)
        {
            map = map.Assign(node.Id, SharedOf(map, SlotPlan.Of(map), node.Id)).Read(map.Nodes);
        }

        AssertFair(map);
    }

    [Fact]
    public void Slots_move_at_most_once_and_shares_become_fair_in_whatever_order_the_nodes_act()
    {
        for (int seed = 0; seed < 40; seed++)
        {
            Random random = new(seed);
            CoapClusterNode[] nodes = Nodes(random.Next(1, 8), random);
            CoapNodeId[] owners = [.. nodes.Select(node => node.Id), CoapNodeId.New(), default];
            CoapSlotOwner[] slots =
                [.. CoapSlot.All.Select(_ => new CoapSlotOwner(owners[random.Next(owners.Length)], new CoapFencingToken(1)))];
            if (random.Next(3) == 0 && nodes.Length > 1)
            {
                nodes[0] = nodes[0] with { IsLeaving = true };
            }

            CoapClusterSlotMap map = new(1, nodes, slots);
            CoapClusterSlotMap end = Carried(map, random, out int moves);

            Assert.Equal(moves, CoapSlot.All.Count(slot => end[slot].Fence != map[slot].Fence));
            Assert.True(moves <= Needed(map), $"{moves} moves in place of {Needed(map)} with seed {seed}");
            AssertFair(end);
        }
    }

    [Fact]
    public void Every_node_derives_the_same_plan_from_the_same_map()
    {
        CoapClusterNode[] nodes = Nodes(5);
        SlotPlan one = SlotPlan.Of(CoapClusterSlotMap.Empty.With(nodes));
        SlotPlan other = SlotPlan.Of(CoapClusterSlotMap.Empty.With([.. nodes.Reverse()]));

        Assert.All(CoapSlot.All, slot => Assert.Equal(one[slot], other[slot]));
    }

    [Fact]
    public void A_single_node_has_all_slots_when_no_node_has_a_link()
    {
        CoapClusterNode[] nodes = [.. Nodes(3).Select(node => node with { Address = "" })];
        CoapClusterSlotMap map = CoapClusterSlotMap.Empty.With(nodes);
        map = map.Assign(nodes[1].Id, SlotPlan.Of(map).ToTake(nodes[1].Id)).Read(nodes);

        Assert.Equal(CoapSlot.Count, map.SlotsOf(nodes[1].Id).Count);
        Assert.All(nodes, node => Assert.Empty(SlotPlan.Of(map).ToTake(node.Id)));
        Assert.All(nodes, node => Assert.Empty(SlotPlan.Of(map).ToGive(node.Id)));
        Assert.Equal(CoapSlot.Count, SlotPlan.Of(map.Read([nodes[0], nodes[2]])).ToTake(nodes[2].Id).Count);
    }

    [Fact]
    public void A_node_without_a_link_takes_no_slots_while_others_have_links_and_keeps_its_own()
    {
        CoapClusterNode[] nodes = Nodes(3);
        nodes[0] = nodes[0] with { Address = "" };
        CoapClusterSlotMap map = CoapClusterSlotMap.Empty.With(nodes);
        Assert.Empty(SlotPlan.Of(map).ToTake(nodes[0].Id));

        CoapClusterSlotMap had = map.Assign(nodes[0].Id, CoapSlot.All).Read(nodes);
        Assert.All(nodes, node => Assert.Empty(SlotPlan.Of(had).ToGive(node.Id)));
    }

    [Fact]
    public void A_leaving_node_gives_away_all_slots_and_takes_none_unless_it_is_the_only_node()
    {
        CoapClusterNode[] nodes = Nodes(3);
        CoapClusterSlotMap map = Carried(CoapClusterSlotMap.Empty.With(nodes), new Random(1), out _);
        CoapClusterNode leaving = nodes[1] with { IsLeaving = true };

        SlotPlan plan = SlotPlan.Of(map.Read([nodes[0], leaving, nodes[2]]));
        Assert.Equal(map.SlotsOf(leaving.Id), plan.ToGive(leaving.Id).Select(move => move.Slot));
        Assert.Empty(SlotPlan.Of(CoapClusterSlotMap.Empty.With([nodes[0], leaving])).ToTake(leaving.Id));
        CoapClusterSlotMap alone = map.Read([leaving]);
        Assert.Empty(SlotPlan.Of(alone).ToGive(leaving.Id));
        Assert.Empty(SlotPlan.Of(alone).ToTake(leaving.Id));
    }

    // The slots without a live owner that the plan gives to a node.
    private static CoapSlot[] SharedOf(CoapClusterSlotMap map, SlotPlan plan, CoapNodeId node) =>
        [.. map.Orphans().Where(slot => plan[slot] == node)];

    // What nodes do one after the other, each a part of what it sees in its plan.
    private static CoapClusterSlotMap Carried(CoapClusterSlotMap map, Random random, out int moves)
    {
        moves = 0;
        for (int steps = 0; steps < 10_000; steps++)
        {
            SlotPlan plan = SlotPlan.Of(map);
            List<(CoapNodeId To, CoapSlot[] Slots)> changes = [];
            foreach (CoapNodeId node in map.Nodes.Select(node => node.Id))
            {
                changes.Add((node, SharedOf(map, plan, node)));
                changes.AddRange(plan.ToGive(node).GroupBy(move => move.To)
                    .Select(group => (group.Key, group.Select(move => move.Slot).ToArray())));
            }

            changes.RemoveAll(change => change.Slots.Length == 0);
            if (changes.Count == 0)
            {
                return map;
            }

            (CoapNodeId to, CoapSlot[] slots) = changes[random.Next(changes.Count)];
            random.Shuffle(slots);
            CoapSlot[] part = slots[..random.Next(1, slots.Length + 1)];
            moves += part.Length;
            map = map.Assign(to, part).Read(map.Nodes);
        }

        throw new InvalidOperationException("The plan has no end.");
    }

    private static int Needed(CoapClusterSlotMap map)
    {
        HashSet<CoapNodeId> members = [.. SlotPlan.Of(map).Members];
        int homeless = CoapSlot.All.Count(slot => !members.Contains(map[slot].Node));

        // What is above the share even where as many as can have the greater one.
        int[] counts = [.. members.Select(node => map.SlotsOf(node).Count).OrderDescending()];
        int above = counts.Select((count, at) =>
            Math.Max(0, count - (CoapSlot.Count / counts.Length) - (at < CoapSlot.Count % counts.Length ? 1 : 0))).Sum();
        return homeless + above;
    }

    private static void AssertFair(CoapClusterSlotMap map)
    {
        IReadOnlyList<CoapNodeId> members = SlotPlan.Of(map).Members;
        int share = CoapSlot.Count / members.Count;
        Assert.All(members, node => Assert.InRange(map.SlotsOf(node).Count, share, share + 1));
        Assert.Equal(CoapSlot.Count, members.Sum(node => map.SlotsOf(node).Count));
    }

    private static CoapClusterNode[] Nodes(int count, Random? random = null)
    {
        Random numbers = random ?? new Random(count);
        byte[] id = new byte[16];
        return [.. Enumerable.Range(0, count).Select(_ =>
        {
            numbers.NextBytes(id);
            return new CoapClusterNode(new CoapNodeId(new Guid(id)), Linked);
        })];
    }
}
