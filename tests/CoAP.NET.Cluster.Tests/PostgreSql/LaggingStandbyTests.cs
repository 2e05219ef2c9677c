using ClusterSample;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Tests.Stores;
using Npgsql;

namespace CoAP.NET.Cluster.Tests.PostgreSql;

/// <summary>A standby that has not received the last confirmed writes takes over, while nodes run that may not have noticed yet.</summary>
/// <remarks>Real clock: PostgreSQL has no other.</remarks>
[External("postgres")]
public sealed class LaggingStandbyTests : IAsyncLifetime
{
    private const int Contexts = 8;
    private const ulong Jump = 1 << 24;
    private static readonly CoapSlot s_slot = new(1);

    private PostgreSqlProcess _primary = null!;
    private PostgreSqlProcess _standby = null!;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        _primary = await PostgreSqlProcess.StartAsync(isDurable: false);
        _standby = await _primary.FollowAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _standby.DisposeAsync();
        await _primary.DisposeAsync();
    }

    /// <summary>The lease is long: no renewal notices the promotion before the contexts are opened again.</summary>
    [Fact]
    public async Task OSCORE_numbers_are_not_used_twice_when_contexts_are_opened_at_once_after_the_promotion()
    {
        await using CoapCluster cluster = Options().CreateCluster(ClusterTests.Options(FromMinutes(30)));
        await cluster.StartAsync(Token);
        OscoreStoreKey[] keys = [.. Enumerable.Range(0, Contexts).Select(i => new OscoreStoreKey([.. Enumerable.Repeat((byte)i, 32)]))];
        await UseAsync(100);
        await LagAsync();
        await UseAsync(200);

        await PromoteAsync();

        foreach (OscoreStoreKey key in keys)
        {
            OscoreStoredState state = await OpenAsync(cluster, key);
            Assert.True(state.Next >= 200, $"{state.Next} was used before the promotion.");
            Assert.Equal((100 + Jump, false, null), (state.Next, state.IsNew, state.Received));
        }

        async Task UseAsync(ulong bound)
        {
            foreach (OscoreStoreKey key in keys)
            {
                OscoreStoredState state = await cluster.OscoreStore.OpenAsync(key, Token);
                await cluster.OscoreStore.ReserveAsync(key, state.Epoch, bound, Token);
                await cluster.OscoreStore.CloseAsync(key, state.Epoch, new OscoreReceivedNumbers(7, [1]), Token);
            }
        }
    }

    /// <summary>Sessions, tables, outboxes and observations are read in the same way as numbers.</summary>
    [Fact]
    public async Task Records_of_a_promoted_standby_are_stale_and_fences_of_before_are_refused_before_a_lease_is_renewed()
    {
        await using CoapPostgreSqlClusterStore store = new(Options());
        CoapFencingToken fence = await OwnAsync(store);
        await WriteAsync(store, fence, "before");
        Assert.False((await store.FindAsync(Key, Token))!.IsStale);
        await LagAsync();
        await WriteAsync(store, fence, "lost");

        await PromoteAsync();

        CoapWriteResult late = await UntilAvailableAsync(() => store.WriteAsync(Change(fence, "late"), Token));
        Assert.Equal(CoapWriteOutcome.Fenced, late[0]);
        CoapRecord found = (await UntilAvailableAsync(() => store.FindAsync(Key, Token)))!;
        Assert.Equal(("before", true), (Encoding.ASCII.GetString(found.State.Span), found.IsStale));
        await foreach (CoapRecord record in store.ReadAsync(CoapRecordKind.Session, s_slot, Token))
        {
            Assert.True(record.IsStale);
        }
    }

    [Fact]
    public async Task A_standby_is_not_read_and_its_promotion_is_noticed_over_a_connection_from_before()
    {
        await using (CoapPostgreSqlClusterStore first = new(Options()))
        {
            await WriteAsync(first, await OwnAsync(first), "before");
        }

        await CaughtUpAsync();

        // As with an address that moves before the promotion. Its one connection stays open.
        await using CoapPostgreSqlClusterStore store = new(new CoapPostgreSqlClusterOptions
        {
            ConnectionString = _standby.ConnectionString,
        });
        CoapClusterStoreException refused =
            await Assert.ThrowsAsync<CoapClusterStoreException>(async () => await store.FindAsync(Key, Token));
        Assert.Equal(CoapClusterStoreFault.Unavailable, refused.Fault);
        refused.Mentions("standby");

        await PromoteAsync();

        Assert.True((await UntilAvailableAsync(() => store.FindAsync(Key, Token)))!.IsStale);
    }

    [Fact]
    public async Task A_synchronous_standby_keeps_sessions_and_numbers()
    {
        CoapPostgreSqlClusterOptions options = Options();
        options.HasSynchronousStandby = true;
        await using CoapPostgreSqlClusterStore store = new(options);
        CoapFencingToken fence = await OwnAsync(store);
        await WriteAsync(store, fence, "before");
        await CaughtUpAsync();

        await PromoteAsync();

        CoapRecord found = (await UntilAvailableAsync(() => store.FindAsync(Key, Token)))!;
        Assert.False(found.IsStale);
        CoapWriteResult next = await UntilAvailableAsync(() => store.WriteAsync(Change(fence, "after"), Token));
        Assert.Equal(CoapWriteOutcome.Written, next[0]);
    }

    private static CoapRecordKey Key => new(CoapRecordKind.Session, s_slot, "a"u8);

    private static CoapRecordWrite[] Change(CoapFencingToken fence, string state) =>
        [CoapRecordWrite.Put(Key, fence, Encoding.ASCII.GetBytes(state), FromHours(1))];

    private static async Task WriteAsync(CoapPostgreSqlClusterStore store, CoapFencingToken fence, string state) =>
        Assert.Equal(CoapWriteOutcome.Written, (await store.WriteAsync(Change(fence, state), Token))[0]);

    private static async Task<CoapFencingToken> OwnAsync(CoapPostgreSqlClusterStore store)
    {
        CoapClusterNode self = new(CoapNodeId.New(), "");
        CoapClusterSlotMap map = await store.JoinAsync(self, FromMinutes(30), Token);
        map = map.Assign(self.Id, CoapSlot.All);
        Assert.True(await store.TryChangeAsync(map, Token));
        return map[s_slot].Fence;
    }

    private static async Task<OscoreStoredState> OpenAsync(CoapCluster cluster, OscoreStoreKey key)
    {
        for (int looks = 0; ; looks++)
        {
            try
            {
                return await cluster.OscoreStore.OpenAsync(key, Token);
            }
            catch (OscoreStoreException)
            {
                // Not opened is safe: the server is not found yet, or the node has no slots under the new fences yet.
                await Eventually.PauseAsync(looks);
            }
        }
    }

    private static async Task<T> UntilAvailableAsync<T>(Func<ValueTask<T>> call)
    {
        for (int looks = 0; ; looks++)
        {
            try
            {
                return await call();
            }
            catch (CoapClusterStoreException exception) when (exception.IsTransient)
            {
                await Eventually.PauseAsync(looks);
            }
        }
    }

    private CoapPostgreSqlClusterOptions Options() => new()
    {
        ConnectionString = _primary.ConnectionString.Replace(
            $"Host={_primary.Folder}", $"Host={_primary.Folder},{_standby.Folder};Target Session Attributes=primary", Ordinal),
        PollInterval = FromMilliseconds(20),
    };

    // The standby has all writes, and receives none of the later ones.
    private async Task LagAsync()
    {
        await CaughtUpAsync();
        await RunAsync(_standby, "alter system set primary_conninfo = ''");
        await RunAsync(_standby, "select pg_reload_conf()");
        await UntilAsync("select not exists (select from pg_stat_replication)");
    }

    private Task CaughtUpAsync() =>
        UntilAsync("select exists (select from pg_stat_replication where replay_lsn >= pg_current_wal_insert_lsn())");

    private async Task PromoteAsync()
    {
        await _primary.CrashAsync();
        await RunAsync(_standby, "select pg_promote()");
    }

    private async Task UntilAsync(string condition)
    {
        await using NpgsqlConnection connection = await _primary.OpenAsync();
        for (int looks = 0; !await PostgreSqlServer.AskAsync<bool>(connection, condition); looks++)
        {
            await Eventually.PauseAsync(looks);
        }
    }

    private static async Task RunAsync(PostgreSqlProcess server, string sql)
    {
        await using NpgsqlConnection connection = await server.OpenAsync();
        await PostgreSqlServer.DoAsync(connection, sql);
    }
}
