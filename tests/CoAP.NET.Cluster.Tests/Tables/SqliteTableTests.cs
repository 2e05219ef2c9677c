using static CoAP.NET.Cluster.Tests.Tables.TableExtensions;

namespace CoAP.NET.Cluster.Tests.Tables;

public sealed class SqliteTableTests : FolderTest
{
    [Fact]
    public async Task Confirmed_changes_survive_a_crash_during_further_changes()
    {
        string file = Path.Combine(Folder, "coap.db");
        string left = Path.Combine(Folder, "left.db");
        const int Count = 2000;
        await using (CoapCluster cluster = new(new CoapSqliteClusterStore(file), ClusterTests.Options(FromHours(1))))
        {
            CoapReplicatedTable table = await StartAsync(cluster, new NoteRules());
            await Task.WhenAll(Enumerable.Range(0, Count).Select(i => table.AskAsync(Key(i % 256, $"{i}"), $"put {i}")));
            for (int i = 0; i < Count; i += 2)
            {
                await table.AskAsync(Key(i % 256, $"{i}"), i % 4 == 0 ? "remove" : "add more");
            }

            Task[] more = [.. Enumerable.Range(Count, 100).Select(i => table.AskAsync(Key(i % 256, $"{i}"), $"put {i}"))];

            // As a kill leaves it.
            File.Copy(file, left);
            if (File.Exists(file + "-wal"))
            {
                File.Copy(file + "-wal", left + "-wal");
            }

            await Task.WhenAll(more);
        }

        await using CoapCluster again = new(new CoapSqliteClusterStore(left), ClusterTests.Options(FromHours(1)));
        NoteRules rules = new();
        CoapReplicatedTable restored = await StartAsync(again, rules);
        for (int i = 0; i < Count; i++)
        {
            string expected = i % 4 == 0 ? "nothing" : i % 2 == 0 ? $"{i}more" : $"{i}";
            Assert.Equal(expected, await restored.AskAsync(Key(i % 256, $"{i}"), "read"));
        }

        Assert.Equal(restored.Count, rules.Told.Count);
        Assert.InRange(restored.Count, Count * 3 / 4, (Count * 3 / 4) + 100);
        await again.LeaveAsync();
    }

    private static async Task<CoapReplicatedTable> StartAsync(CoapCluster cluster, NoteRules rules)
    {
        await cluster.StartAsync();
        CoapReplicatedTable table = cluster.OpenTable(TableWorld.Kind, rules);
        await table.StartAsync();
        return table;
    }
}
