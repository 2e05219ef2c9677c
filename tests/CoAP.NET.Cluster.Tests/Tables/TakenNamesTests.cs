using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Tables;

/// <summary>A table with the simplest rules: names that are taken once.</summary>
public sealed class TakenNamesTests
{
    [Fact]
    public async Task A_name_can_be_taken_once_and_again_by_its_owner()
    {
        await using CoapCluster cluster = new(new CoapMemoryCluster().Open(), ClusterTests.Options());
        await cluster.StartAsync();
        Assert.True(await TakeAsync(cluster));
        await using CoapReplicatedTable table = CoapReplicatedTable.InMemory(new Names());
        Assert.True(await TakeAsync(table, "bob"));
        Assert.True(await TakeAsync(table, "bob"));
        Assert.False(await TakeAsync(table, "carol"));
    }

    private static async Task<bool> TakeAsync(CoapCluster cluster)
    {
        await using CoapReplicatedTable names = cluster.OpenTable(CoapReplicatedTableKind.Application, new Names());
        await names.StartAsync();

        CoapTableKey key = names.KeyOf("meter-7"u8);
        ReadOnlyMemory<byte> reply = await names.RequestAsync(key, "alice"u8.ToArray());
        Console.WriteLine(reply.Span[0] == 1 ? "the name is ours" : "somebody else has it");
        return reply.Span[0] == 1;
    }

    private static async Task<bool> TakeAsync(CoapReplicatedTable names, string who) =>
        (await names.RequestAsync(names.KeyOf("meter-7"u8), Encoding.UTF8.GetBytes(who))).Span[0] == 1;

    internal sealed class Names : ICoapReplicatedTableRules
    {
        public CoapTableDecision Decide(CoapTableDecisionContext question) =>
            question.Current is { } owner && !owner.Span.SequenceEqual(question.Bytes.Span)
                ? CoapTableDecision.Keep(new byte[] { 0 })
                : CoapTableDecision.Put(question.Bytes, lifetime: TimeSpan.FromHours(1), reply: new byte[] { 1 });

        public void OnChanged(CoapTableChange change) => Console.WriteLine(change.Value is null
            ? $"{change.Key} is free"
            : $"{change.Key} is taken for {change.Remaining}");
    }
}
