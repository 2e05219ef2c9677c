using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Dtls;

/// <summary>
/// What the store has of a session, and what of it a server loads. What messages change of a session is a record of its own, which a
/// restored session needs if it is there.
/// </summary>
public sealed class StoredSessionTests
{
    private const string Identity = "device-1";
    private static readonly byte[] s_key = "secretPSK-1234567"u8.ToArray();

    [Theory]
    [InlineData(null, 1)]
    [InlineData(1L << 21, 1)]
    [InlineData(1L << 27, 0)]
    public async Task A_session_is_loaded_with_or_without_a_progress_record(long? reserved, int expected)
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        CoapMemoryCluster memory = new();
        await using CoapClient client = Client();
        await using (CoapCluster cluster = new(memory.Open(), ClusterTests.Options(FromHours(1))))
        {
            await cluster.StartAsync();
            CoapRecordKey session;
            await using (CoapServer server = Server(cluster))
            {
                await server.StartAsync();
                await client.GetAsync($"{server.LocalEndpoints[0]}who");
                session = await FindSessionAsync(cluster);
            }

            // After the server has written its last state.
            if (reserved is { } sequence)
            {
                byte[] progress = new byte[24];
                BinaryPrimitives.WriteInt64BigEndian(progress.AsSpan(16), sequence);
                CoapRecordWrite change = CoapRecordWrite.Put(
                    new CoapRecordKey(CoapRecordKind.SessionProgress, session.Slot, session.Bytes.Span),
                    cluster.FenceOf(session.Slot), progress, FromHours(1));
                Assert.Equal(CoapWriteOutcome.Written, (await cluster.Store.WriteAsync(new[] { change }, default))[0]);
            }
        }

        await using CoapCluster next = new(memory.Open(), ClusterTests.Options(FromHours(1)));
        await next.StartAsync();
        await using CoapServer again = Server(next);
        await again.StartAsync();

        Assert.Equal(expected, again.Endpoint.ConnectedPeers.Count);
    }

    [Fact]
    public async Task A_change_of_the_progress_leaves_the_state_unchanged_and_the_end_of_the_session_removes_both()
    {
        CoapMemoryCluster memory = new();
        await using CoapCluster cluster = new(memory.Open(), ClusterTests.Options(FromHours(1)));
        ICoapDtlsSessionBackup backup = cluster.CreateSessionBackup().Backup;
        await cluster.StartAsync();
        int before = memory.Count;
        byte[] id = [1, 2, 3, 4, 5, 6, 7, 8];
        DateTimeOffset expires = TimeProvider.System.GetUtcNow() + FromHours(1);
        CoapRecordKey session = new(CoapRecordKind.Session, new CoapSlot(1), [0, .. id]);
        CoapRecordKey progress = new(CoapRecordKind.SessionProgress, new CoapSlot(1), [0, .. id]);

        await backup.SaveAsync([new CoapDtlsSessionChange(CoapDtlsSessionChangeKind.Made, id, new byte[] { 7 }, expires)], default);
        await backup.SaveAsync(
            [new CoapDtlsSessionChange(CoapDtlsSessionChangeKind.Heard, id, default, expires) { Progress = new byte[] { 8 } }], default);

        Assert.Equal([7], (await cluster.Store.FindAsync(session, default))!.State.ToArray());
        await using ICoapClusterStore below = memory.Open();
        Assert.Equal([8], (await below.FindAsync(progress, default))!.State.ToArray());

        await backup.SaveAsync([new CoapDtlsSessionChange(CoapDtlsSessionChangeKind.Ended, id, default, default)], default);
        Assert.Equal(before, memory.Count);
    }

    [Theory]
    [InlineData(false, 1)]
    [InlineData(true, 0)]
    public async Task A_session_that_ended_before_its_slot_was_read_and_is_written_later_is_loaded_unless_its_slot_moves(
        bool moves, int expected)
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        CoapMemoryCluster memory = new();
        await using CoapCluster cluster = new(memory.Open(), ClusterTests.Options(FromHours(1)));
        await cluster.StartAsync();
        (CoapRecordKey key, byte[] state) = await StoreSessionAsync(cluster);
        CoapFencingToken fence = cluster.FenceOf(key.Slot);
        await cluster.Store.WriteAsync(new[] { CoapRecordWrite.Remove(key, fence) }, default);
        CoapDtlsSessionBackupOptions backup = cluster.CreateSessionBackup();
        await using CoapServer again = Server(cluster, backup);
        await again.StartAsync();
        Assert.Empty(again.Endpoint.ConnectedPeers);
        if (moves)
        {
            cluster.Releases.Mark(key.Slot, fence);
        }

        await backup.Backup.SaveAsync(
            [new CoapDtlsSessionChange(CoapDtlsSessionChangeKind.Stopped, key.Bytes[1..], state,
                TimeProvider.System.GetUtcNow() + FromHours(1))], default);

        Assert.Equal(expected, again.Endpoint.ConnectedPeers.Count);
        Assert.NotNull(await cluster.Store.FindAsync(key, default));
    }

    /// <summary>It would serve, and the next owner would not know what it did.</summary>
    [Fact]
    public async Task A_session_is_not_loaded_while_its_slot_moves_to_another_node()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        CoapMemoryCluster memory = new();
        await using CoapCluster cluster = new(memory.Open(), ClusterTests.Options(FromHours(1)));
        await cluster.StartAsync();
        (CoapRecordKey key, _) = await StoreSessionAsync(cluster);
        cluster.Releases.Mark(key.Slot, cluster.FenceOf(key.Slot));

        await using CoapServer again = Server(cluster);
        await again.StartAsync();

        Assert.Empty(again.Endpoint.ConnectedPeers);
    }

    // What a server leaves in the store that had a session and stopped.
    private static async Task<(CoapRecordKey Key, byte[] State)> StoreSessionAsync(CoapCluster cluster)
    {
        await using CoapClient client = Client();
        await using CoapServer server = Server(cluster);
        await server.StartAsync();
        await client.GetAsync(server.LocalEndpoints[0].Resolve("/who"));
        CoapRecordKey key = await FindSessionAsync(cluster);
        await server.StopAsync();
        return (key, (await cluster.Store.FindAsync(key, default))!.State.ToArray());
    }

    private static CoapClient Client() => new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
    {
        Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(Identity, s_key) },
    }));

    private static CoapServer Server(CoapCluster cluster, CoapDtlsSessionBackupOptions? backup = null)
    {
        CoapServer server = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
        {
            Server = new CoapDtlsServerOptions
            {
                PskStore = new CoapPskDictionary { { Identity, s_key } },
                SessionBackup = backup ?? cluster.CreateSessionBackup(),
            },
        }));
        server.Listen($"coaps://{IPAddress.Loopback}:0");
        server.MapGet("/who", () => CoapResults.Text("who"));
        return server;
    }

    private static async Task<CoapRecordKey> FindSessionAsync(CoapCluster cluster)
    {
        for (int looks = 0; ; looks++)
        {
            foreach (CoapSlot slot in CoapSlot.All)
            {
                await foreach (CoapRecord record in cluster.Store.ReadAsync(CoapRecordKind.Session, slot, default))
                {
                    return record.Key;
                }
            }

            await Eventually.PauseAsync(looks);
        }
    }
}
