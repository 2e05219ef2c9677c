using CoAP.NET.Cluster.Hosting;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Tests.Stores;
using CoAP.NET.Oscore.Sequences;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Npgsql;

namespace CoAP.NET.Cluster.Tests.PostgreSql;

[Collection(PostgreSqlCollection.Name)]
[External("postgres")]
public sealed class PostgreSqlStoreTests(PostgreSqlServer server) : SharedStoreSuite
{
    private const string EndConnections =
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'CoAP.NET.Cluster'";

    private static int s_schemas;

    private readonly string _schema = $"test{Interlocked.Increment(ref s_schemas)}";

    /// <summary>PostgreSQL looks first into the schema that has the name of the user, as soon as there is one.</summary>
    [Fact]
    public async Task The_store_does_not_change_the_schema_in_which_an_application_creates_its_tables()
    {
        Assert.Equal("public", await server.AskAsync<string>("select current_schema()::text"));
        CoapPostgreSqlClusterStore store = new(server.ConnectionString);
        await using (store)
        {
            await store.JoinAsync(Node(), FromHours(1), Token);
        }

        Assert.Equal("public", await server.AskAsync<string>("select current_schema()::text"));
    }

    [Theory]
    [InlineData("history = '1/00000001'", false, true)]
    [InlineData("history = '1/00000001'", true, false)]
    [InlineData("version = 0", false, true)]
    [InlineData("version = 0", true, true)]
    public async Task A_store_with_an_older_map_has_lost_writes_and_one_with_another_history_unless_it_has_a_synchronous_standby(
        string change, bool keepsWrites, bool isLost)
    {
        CoapPostgreSqlClusterOptions options = Options();
        options.HasSynchronousStandby = keepsWrites;
        await using CoapPostgreSqlClusterStore store = new(options);
        CoapClusterNode self = Node();
        CoapClusterSlotMap before = await store.JoinAsync(self, FromHours(1), Token);
        before = before.Assign(self.Id, CoapSlot.All);
        Assert.True(await store.TryChangeAsync(before, Token));
        await store.JoinAsync(self, FromHours(1), Token);
        await WriteAsync(store, Put("a", before[One].Fence, "of before"));

        // As a standby has it that lacks the last changes; whoever was connected is not any more.
        await server.DoAsync($"update {_schema}.map set {change}; {EndConnections}");
        CoapClusterSlotMap after = await store.JoinAsync(self, FromHours(1), Token);
        ICoapClusterStore other = Open();
        CoapClusterSlotMap seen = await other.JoinAsync(Node(), FromHours(1), Token);

        Assert.Equal(isLost, after.StaleFence.IsSet);
        Assert.Equal(isLost ? CoapSlot.Count : 0, after.Orphans().Count);
        Assert.Equal(isLost, after.IsAfterLoss);
        Assert.Equal((after.Version, after.StaleFence), (seen.Version, seen.StaleFence));
        Assert.Equal(isLost, after.IsStale((await store.FindAsync(Key("a"), Token))!));
        CoapWriteResult late = await store.WriteAsync((CoapRecordWrite[])[Put("a", before[One].Fence, "late")], Token);
        Assert.Equal(isLost ? 1 : 0, late.FencedCount);
        Assert.Equal(isLost, after.Version > before.Version);
    }

    /// <summary>A failover would not be noticed, or one into a server that has a copy of the tables.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Stored_OSCORE_contexts_need_the_right_to_the_history_of_the_server_or_a_synchronous_standby(bool isSynchronous)
    {
        string role = $"limited_{_schema}";
        await server.DoAsync($"create role {role} login; grant create on database postgres to {role}; "
            + "revoke execute on function pg_control_system() from public");
        CoapPostgreSqlClusterOptions options = Options();
        options.ConnectionString = server.ConnectionString.Replace("Username=coap", $"Username={role}", Ordinal);
        options.HasSynchronousStandby = isSynchronous;
        ListLogger log = new();
        await using CoapCluster cluster = options.CreateCluster(ClusterTests.Options(FromSeconds(1)), logger: log);
        await cluster.StartAsync(Token);
        OscoreStoreKey key = new([.. Enumerable.Range(0, 32).Select(i => (byte)i)]);
        HealthCheckResult health = await HealthAsync();
        if (isSynchronous)
        {
            Assert.Equal(HealthStatus.Healthy, health.Status);
            await cluster.OscoreStore.OpenAsync(key, Token);
            Assert.Empty(log.Of(2525));
            return;
        }

        OscoreStoreException refused =
            await Assert.ThrowsAsync<OscoreStoreException>(async () => await cluster.OscoreStore.OpenAsync(key, Token));
        refused.Mentions($"grant execute on function pg_control_system() to \"{role}\"");
        Assert.Equal(HealthStatus.Degraded, health.Status);
        Assert.Equal(health.Description, health.Data["storeLimitation"]);

        // More renewals do not repeat it.
        for (int i = 0; i < 3; i++)
        {
            await cluster.Store.JoinAsync(cluster.Self, FromSeconds(5), Token);
        }

        Assert.Single(log.Of(2525));

        await server.DoAsync($"grant execute on function pg_control_system() to {role}");
        await cluster.Store.JoinAsync(cluster.Self, FromSeconds(5), Token);

        Assert.True((await cluster.OscoreStore.OpenAsync(key, Token)).IsNew);
        Assert.Equal(HealthStatus.Healthy, (await HealthAsync()).Status);

        Task<HealthCheckResult> HealthAsync() => new ClusterHealthCheck(cluster).CheckHealthAsync(new HealthCheckContext
        {
            Registration = new HealthCheckRegistration("store", _ => null!, HealthStatus.Degraded, null),
        });
    }

    /// <summary>The timeline shows a promotion without that right, too.</summary>
    [Theory]
    [InlineData("", "1/00000001", true)]
    [InlineData("1/00000001", "", true)]
    [InlineData("1/00000001", "1/00000001", true)]
    [InlineData("1/00000001", "/00000001", true)]
    [InlineData("/00000001", "1/00000001", true)]
    [InlineData("1/00000001", "/00000002", false)]
    [InlineData("/00000001", "1/00000002", false)]
    [InlineData("1/00000001", "2/00000001", false)]
    public void Nodes_with_and_without_the_right_agree_on_a_change_of_the_history(string noted, string now, bool isSame)
    {
        PostgreSqlHistory history = new(Options().Checked());

        Assert.Equal(isSame, history.IsNoted(noted, now));
        Assert.Equal(isSame, history.IsNoted(PostgreSqlHistory.ToNote(noted, now), noted));
        Assert.True(history.IsNoted(PostgreSqlHistory.ToNote(noted, now), now));
        Assert.Equal(isSame && noted.StartsWith('1') ? noted : now.Length == 0 ? noted : now, PostgreSqlHistory.ToNote(noted, now));
    }

    [Fact]
    public async Task A_dropped_schema_ends_the_use_of_numbers_and_is_no_new_store_until_the_loss_is_confirmed()
    {
        await using CoapCluster cluster = Options().CreateCluster(ClusterTests.Options(FromSeconds(1)));
        await cluster.StartAsync(Token);
        OscoreStoreKey key = new([.. Enumerable.Range(0, 32).Select(i => (byte)i)]);
        OscoreSequence numbers = new(
            cluster.OscoreStore, key, await cluster.OscoreStore.OpenAsync(key, Token), CoapThreadScheduler.Default, TimeProvider.System);
        await numbers.TakeAsync(Token);

        await server.DoAsync($"drop schema {_schema} cascade");

        await Eventually.IsTrueAsync(() => cluster.StoreLoss is not null);
        Assert.Equal(SenderSequenceNumberResult.Refused, numbers.TryTake(out _));
        await FailsAsync(CoapClusterStoreFault.Lost, async () => await Open().JoinAsync(Node(), Lease, Token),
            "new Master Secrets", $"drop schema {_schema}_mark");
        await server.DoAsync($"drop schema {_schema}_mark");
        Assert.Equal(0, (await Open().JoinAsync(Node(), Lease, Token)).Version);
    }

    [Fact]
    public async Task A_user_that_owns_the_schema_needs_no_right_to_create_one()
    {
        string role = $"owner_{_schema}";
        await server.DoAsync($"create role {role} login; create schema {_schema} authorization {role}; "
            + "revoke create on database postgres from public");
        CoapPostgreSqlClusterOptions options = Options();
        options.ConnectionString = server.ConnectionString.Replace("Username=coap", $"Username={role}", Ordinal);
        await using CoapPostgreSqlClusterStore store = new(options);

        Assert.Single((await store.JoinAsync(Node(), Lease, Token)).Nodes);
    }

    [Fact]
    public async Task A_server_that_does_not_answer_delays_the_end_of_a_store_for_a_limited_time()
    {
        VirtualClock clock = new();
        CoapPostgreSqlClusterOptions options = Options();
        options.TimeProvider = clock;
        CoapPostgreSqlClusterStore store = new(options);
        await store.JoinAsync(Node(), FromHours(1), Token);
        int process = await server.AskAsync<int>($"select pid {OfThisStore} and query like 'select 0 as what%'");
        await PostgreSqlServer.Signal("STOP", process);

        await clock.AdvanceUntilAsync(store.DisposeAsync().AsTask(), FromSeconds(10));

        await PostgreSqlServer.Signal("CONT", process);
    }

    [Theory]
    [InlineData("off", "on")]
    [InlineData("local", "on")]
    [InlineData("remote_apply", "remote_apply")]
    public async Task Transactions_of_a_user_with_asynchronous_commit_are_made_synchronous(string setting, string expected)
    {
        CoapPostgreSqlClusterOptions options = Options();
        options.ConnectionString += $";Options=-c synchronous_commit={setting}";
        await using PostgreSqlConnections connections = new(options, new PostgreSqlHistory(options));
        await using NpgsqlConnection connection = await connections.OpenOwnAsync(Token);
        await using NpgsqlCommand command = new("show synchronous_commit", connection);

        Assert.Equal(expected, await command.ExecuteScalarAsync(Token));
    }

    /// <summary>As after the promotion of a standby that followed neither the first nor the second server.</summary>
    [Fact]
    public async Task A_database_that_is_restored_twice_to_the_same_state_reuses_no_fence()
    {
        await using CoapPostgreSqlClusterStore store = new(Options());
        CoapClusterNode self = Node();
        CoapClusterSlotMap map = await store.JoinAsync(self, FromHours(1), Token);
        Assert.True(await store.TryChangeAsync(map.Assign(self.Id, CoapSlot.All), Token));
        await server.DoAsync($"create table {_schema}.map_of_standby as table {_schema}.map; "
            + $"create table {_schema}.slots_of_standby as table {_schema}.slots");
        HashSet<CoapFencingToken> fences = [];
        for (int i = 1; i <= 3; i++)
        {
            await server.DoAsync($"""
                delete from {_schema}.map; insert into {_schema}.map select version, stale, '1/00000001' from {_schema}.map_of_standby;
                delete from {_schema}.slots; insert into {_schema}.slots table {_schema}.slots_of_standby; {EndConnections};
                """);

            // A process that knows nothing of the time before, as it is after a restart of all nodes.
            await using CoapPostgreSqlClusterStore restarted = new(Options());
            CoapClusterNode node = Node();
            map = await restarted.JoinAsync(node, FromHours(1), Token);
            CoapClusterSlotMap taken = map.Assign(node.Id, CoapSlot.All);
            Assert.True(await restarted.TryChangeAsync(taken, Token));

            Assert.True(map.IsAfterLoss);
            Assert.True(fences.Add(taken[One].Fence));
        }
    }

    [Fact]
    public async Task The_loss_of_one_or_all_connections_does_not_end_a_node()
    {
        ICoapClusterStore first = Open();
        CoapClusterNode one = Node();
        await first.JoinAsync(one, FromHours(1), Token);
        ICoapClusterStore second = Open();
        CoapClusterNode two = Node();
        await second.JoinAsync(two, FromHours(1), Token);
        await using IAsyncEnumerator<CoapClusterSlotMap> watch = second.WatchAsync(Token).GetAsyncEnumerator(Token);
        CoapClusterSlotMap seen = await UntilAsync(watch, map => map.Nodes.Count == 2);

        await server.DoAsync(EndConnections);

        // Each reading from now on: over the connection of the lease, and over the one that watches, which shows no map without the node.
        Assert.Equal(seen.Nodes, (await second.JoinAsync(two, FromHours(1), Token)).Nodes);
        Assert.True(await second.TryChangeAsync(seen.Assign(two.Id, [One]), Token));
        Assert.True(await watch.MoveNextAsync());
        Assert.Equal((1, 2), (watch.Current.Version, watch.Current.Nodes.Count));
        Assert.Equal(seen.Nodes, (await first.JoinAsync(one, FromHours(1), Token)).Nodes);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_pooler_in_transaction_mode_is_refused_with_the_remedy_and_a_pooler_in_session_mode_works(bool isSessionMode)
    {
        await using ScriptedPooler pooler = new(server.Folder, isSessionMode);
        await using CoapPostgreSqlClusterStore store = new(new CoapPostgreSqlClusterOptions
        {
            ConnectionString = pooler.ConnectionString,
            Schema = _schema,
        });
        CoapClusterNode self = Node();
        if (isSessionMode)
        {
            CoapClusterSlotMap map = await store.JoinAsync(self, Lease, Token);
            Assert.True(await store.TryChangeAsync(map.Assign(self.Id, [One]), Token));
            await WriteAsync(store, Put("a", new CoapFencingToken(1), "state"));
            Assert.Equal(["a=state"], await TextsAsync(store));
            return;
        }

        await FailsAsync(
            CoapClusterStoreFault.Incompatible, async () => await store.JoinAsync(self, Lease, Token), "pooler in transaction mode",
                "pool_mode = session");
    }

    [Theory]
    [InlineData("42P05")]
    [InlineData("26000")]
    public void Prepared_statements_of_another_connection_are_attributed_to_a_pooler(string state)
    {
        CoapClusterStoreException exception = PostgreSqlFaults.Of(new PostgresException("prepared statement", "ERROR", "ERROR", state));

        Assert.Equal(CoapClusterStoreFault.Incompatible, exception.Fault);
        exception.Mentions("pooler in transaction mode");
    }

    [Fact]
    public async Task OSCORE_sequence_numbers_continue_in_new_tables_of_any_version()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        byte[] numbers = [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 1, 0, 7];
        await WriteAsync(store, PutNumbers("a", fence, numbers), Put("a", fence, "state"));
        await store.DisposeAsync();
        Assert.Equal((3L, 256L), (await server.AskAsync<long>($"select epoch from {_schema}.oscore"),
            await server.AskAsync<long>($"select bound from {_schema}.oscore")));

        // What an operator does to go back to an older version.
        await server.DoAsync($"drop table {_schema}.schema_version, {_schema}.map, {_schema}.slots, {_schema}.nodes, {_schema}.writers, "
            + $"{_schema}.records; drop sequence {_schema}.generations");
        (store, _) = await OwnerAsync();

        Assert.Equal(numbers, (await store.FindAsync(NumbersKey("a"), Token))!.State.ToArray());
        Assert.Empty(await TextsAsync(store));
    }

    /// <summary>The promise of docs/cluster-deployment.md: what a fleet writes grows with its messages, not with its keys.</summary>
    [Fact]
    public async Task A_message_of_a_device_causes_at_most_150_bytes_of_write_ahead_log()
    {
        const int Devices = 1_000;
        const int Messages = 10;
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, [.. Changes(CoapRecordKind.Session, 320)]);

        // The first messages make the records, and room for the next versions of the rows.
        for (int i = 0; i < 3; i++)
        {
            await WriteAsync(store, [.. Changes(CoapRecordKind.SessionProgress, 24)]);
        }

        await server.DoAsync($"vacuum {_schema}.records");
        decimal before = await PositionAsync();
        for (int i = 0; i < Messages; i++)
        {
            await WriteAsync(store, [.. Changes(CoapRecordKind.SessionProgress, 24)]);
        }

        decimal bytes = (await PositionAsync() - before) / (Devices * Messages);
        TestContext.Current.TestOutputHelper!.WriteLine($"{bytes} bytes of log for a message");
        Assert.InRange(bytes, 1, 150);

        IEnumerable<CoapRecordWrite> Changes(CoapRecordKind kind, int length)
        {
            for (int i = 0; i < Devices; i++)
            {
                byte[] state = new byte[length];
                CoapRandomSource.Secure.Fill(state);
                yield return CoapRecordWrite.Put(
                    new CoapRecordKey(kind, One, [0, 1, .. BitConverter.GetBytes(i), 2, 3, 4]), fence, state, FromDays(1));
            }
        }

        Task<decimal> PositionAsync() => server.AskAsync<decimal>("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
    }

    [Fact]
    public async Task A_write_waits_for_a_concurrent_move_of_its_slot_and_is_refused()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, Put("a", fence, "before"));
        await using NpgsqlConnection mover = await server.OpenAsync();
        await using NpgsqlTransaction move = await mover.BeginTransactionAsync();
        await PostgreSqlServer.DoAsync(mover, $"update {_schema}.slots set fence = fence + 1 where slot = 1");

        Task<CoapWriteResult> write = store.WriteAsync(
            (CoapRecordWrite[])
            [
                Put("a", fence, "too late"),
                CoapRecordWrite.Put(Key("b", slot: Two), fence, "held"u8.ToArray(), Timeout.InfiniteTimeSpan),
            ],
            Token).AsTask();
        await WaitsForLockAsync();
        Assert.False(write.IsCompleted);
        await move.CommitAsync();

        CoapWriteResult result = await write;
        Assert.Equal((CoapWriteOutcome.Fenced, CoapWriteOutcome.Written), (result[0], result[1]));
        Assert.Equal(["a=before"], await TextsAsync(store));
        Assert.Single(await ReadAsync(store, Two));
    }

    [Fact]
    public async Task A_move_waits_for_a_concurrent_write_and_sees_its_result()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, Put("a", fence, "before"));

        // Holds up the write after it has its locks.
        await using NpgsqlConnection other = await server.OpenAsync();
        await using NpgsqlTransaction hold = await other.BeginTransactionAsync();
        await PostgreSqlServer.DoAsync(other, $"select from {_schema}.records for update");
        Task<CoapWriteResult> write = store.WriteAsync((CoapRecordWrite[])[Put("a", fence, "under way")], Token).AsTask();
        await WaitsForLockAsync();
        ICoapClusterStore taker = Open();
        CoapClusterNode self = Node();
        CoapClusterSlotMap map = await taker.JoinAsync(self, Lease, Token);
        Task<bool> move = taker.TryChangeAsync(map.Assign(self.Id, [One, Two]), Token).AsTask();
        await WaitsForLockAsync(2);
        Assert.False(move.IsCompleted);

        await hold.CommitAsync();

        Assert.True(await move);
        Assert.Equal(["a=under way"], await TextsAsync(taker));
        Assert.Equal(CoapWriteOutcome.Written, (await write)[0]);
    }

    [Fact]
    public async Task A_pending_write_of_a_lost_connection_takes_effect_before_later_writes_or_not_at_all()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        CoapPostgreSqlClusterOptions options = Options().Checked();
        PostgreSqlHistory history = new(options);
        await using PostgreSqlConnections connections = new(options, history);
        Guid id = CoapNodeId.New().Value;
        PostgreSqlWriter lost = new(connections, history, id);
        await lost.WriteAsync((CoapRecordWrite[])[Put("a", fence, "1")], Token);

        // A batch of the lost connection that the server has begun.
        await using NpgsqlConnection begun = await server.OpenAsync();
        await using NpgsqlTransaction transaction = await begun.BeginTransactionAsync();
        await PostgreSqlServer.DoAsync(begun, $"select from {_schema}.writers where writer = '{id}' for share");
        await PostgreSqlServer.DoAsync(begun, $"update {_schema}.records set state = '2'");
        PostgreSqlWriter next = new(connections, history, id);
        Task<CoapWriteResult?> later = next.WriteAsync((CoapRecordWrite[])[Put("a", fence, "3")], Token);
        await WaitsForLockAsync();
        Assert.False(later.IsCompleted);
        await transaction.CommitAsync();
        Assert.Equal(0, (await later)!.FencedCount);
        Assert.Equal(["a=3"], await TextsAsync(store));

        // One that arrives only now.
        Assert.Null(await lost.TryWriteAsync((CoapRecordWrite[])[Put("a", fence, "4")], Token));
        await lost.EndAsync(Token);
        await next.EndAsync(Token);
        Assert.Equal(["a=3"], await TextsAsync(store));
    }

    [Fact]
    public async Task A_write_to_a_suspended_server_times_out_and_never_undoes_a_later_write()
    {
        await using CoapPostgreSqlClusterStore store = new(Options(commandTimeout: FromSeconds(1)));
        CoapClusterNode self = Node();
        CoapClusterSlotMap map = await store.JoinAsync(self, Lease, Token);
        Assert.True(await store.TryChangeAsync(map.Assign(self.Id, [One]), Token));
        CoapFencingToken fence = new(1);
        await WriteAsync(store, Put("a", fence, "1"));
        int process = await server.AskAsync<int>($"select pid {OfThisStore} and query like 'with server as%writers%'");

        await PostgreSqlServer.Signal("STOP", process);
        await FailsAsync(
            CoapClusterStoreFault.TimedOut, async () => await store.WriteAsync((CoapRecordWrite[])[Put("a", fence, "2")], Token));
        await WriteAsync(store, Put("a", fence, "3"));
        await PostgreSqlServer.Signal("CONT", process);
        for (int looks = 0; await server.AskAsync<long>($"select count(*) from pg_stat_activity where pid = {process}") > 0; looks++)
        {
            await Eventually.PauseAsync(looks);
        }

        Assert.Equal(["a=3"], await TextsAsync(store));
    }

    [Fact]
    public async Task The_store_reconnects_to_a_restarted_database_and_watches_continue()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, Put("a", fence, "before"));
        Assert.Single(await ReadAsync(store));
        await using IAsyncEnumerator<CoapClusterSlotMap> watch = store.WatchAsync(Token).GetAsyncEnumerator(Token);
        CoapClusterSlotMap map = await UntilAsync(watch, seen => seen.Version == 1);

        await server.StopAsync();
        await FailsAsync(
            CoapClusterStoreFault.Unavailable, async () => await store.WriteAsync((CoapRecordWrite[])[Put("b", fence, "")], Token));
        await FailsAsync(CoapClusterStoreFault.Unavailable, async () => await store.FindAsync(Key("a"), Token));
        await server.StartAsync();

        await WriteAsync(store, Put("b", fence, "after"));
        Assert.Equal(["a=before", "b=after"], await TextsAsync(store), Unordered);
        Assert.True(await store.TryChangeAsync(map.Assign(CoapNodeId.New(), [One]), Token));
        await UntilAsync(watch, seen => seen.Version == 2);
    }

    [Fact]
    public async Task Nodes_that_start_concurrently_create_the_tables_once()
    {
        CoapClusterSlotMap[] maps = await Task.WhenAll(Enumerable.Range(0, 6).Select(_ => Open().JoinAsync(Node(), Lease, Token).AsTask()));

        Assert.All(maps, map => Assert.Equal(0, map.Version));
        Assert.Equal(CoapSlot.Count, await server.AskAsync<long>($"select count(*) from {_schema}.slots"));
        Assert.Equal(PostgreSqlSchema.Version, await server.AskAsync<int>($"select version from {_schema}.schema_version"));
    }

    [Theory]
    [InlineData(99, "")]
    [InlineData(2, "new Master Secrets")]
    public async Task Tables_of_a_newer_version_or_of_a_preview_with_encrypted_OSCORE_numbers_are_refused(
        int version, string says)
    {
        await server.DoAsync($"create schema {_schema}; create table {_schema}.schema_version as select {version} as version");

        await FailsAsync(CoapClusterStoreFault.Incompatible, async () => await Open().JoinAsync(Node(), Lease, Token),
            $"version {version}; this one supports", says);
    }

    [Fact]
    public async Task A_user_without_permission_to_the_tables_gets_a_denied_error()
    {
        await server.DoAsync($"create role guest_{_schema} login; revoke create on database postgres from public");
        await using CoapPostgreSqlClusterStore store = new(new CoapPostgreSqlClusterOptions
        {
            ConnectionString = server.ConnectionString.Replace("Username=coap", $"Username=guest_{_schema}", Ordinal),
            Schema = _schema,
        });

        CoapClusterStoreException exception = await Assert.ThrowsAsync<CoapClusterStoreException>(async () =>
            await store.FindAsync(Key("a"), Token));

        Assert.Equal(CoapClusterStoreFault.Denied, exception.Fault);
        Assert.False(exception.IsTransient);
    }

    [Fact]
    public async Task A_disposed_store_removes_its_node_and_writer_rows()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, Put("a", fence, "state"));

        await store.DisposeAsync();

        Assert.Equal(0, await server.AskAsync<long>($"select count(*) from {_schema}.nodes"));
        Assert.Equal(0, await server.AskAsync<long>($"select count(*) from {_schema}.writers"));
        Assert.Equal(1, await server.AskAsync<long>($"select count(*) from {_schema}.records"));
    }

    [Fact]
    public void Invalid_options_are_refused()
    {
        Assert.Throws<ArgumentException>(() => new CoapPostgreSqlClusterStore(""));
        Assert.Throws<ArgumentException>(() => new CoapPostgreSqlClusterStore("no connection string"));
        Assert.Throws<ArgumentException>(() => new CoapPostgreSqlClusterStore(
            new CoapPostgreSqlClusterOptions { ConnectionString = "Host=db", Schema = "a; drop table b" }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapPostgreSqlClusterStore(
            new CoapPostgreSqlClusterOptions { ConnectionString = "Host=db", PollInterval = TimeSpan.Zero }));
    }

    [Theory]
    [InlineData("")]
    [InlineData(";Target Session Attributes=any")]
    [InlineData(";Target Session Attributes=prefer-primary")]
    public void Several_hosts_without_a_primary_target_are_refused_with_the_required_setting(string attributes)
    {
        ArgumentException exception = Assert.Throws<ArgumentException>(() => new CoapPostgreSqlClusterStore("Host=db1,db2" + attributes));

        exception.Mentions("'Target Session Attributes=primary'");
        exception.Mentions("standby");
    }

    [Theory]
    [InlineData("primary")]
    [InlineData("read-write")]
    public async Task The_primary_is_found_among_several_hosts(string attributes)
    {
        CoapPostgreSqlClusterOptions options = Options();
        options.ConnectionString = server.ConnectionString.Replace(
            $"Host={server.Folder}", $"Host={server.Folder}-absent,{server.Folder};Target Session Attributes={attributes}",
            Ordinal);
        await using CoapPostgreSqlClusterStore store = new(options);

        Assert.Single((await store.JoinAsync(Node(), Lease, Token)).Nodes);
        Assert.Empty(await TextsAsync(store));
        Assert.Equal(1, new NpgsqlConnectionStringBuilder(options.Checked().ConnectionString).HostRecheckSeconds);
    }

    private protected override ICoapClusterStore OpenStore() => new CoapPostgreSqlClusterStore(Options());

    // What was to end at some time ends so much earlier.
    private protected override Task PassAsync(TimeSpan time) => server.DoAsync(string.Create(
        System.Globalization.CultureInfo.InvariantCulture,
        $"""
        update {_schema}.nodes set lease = lease - make_interval(secs => {time.TotalSeconds});
        update {_schema}.records set expires = expires - make_interval(secs => {time.TotalSeconds}) where expires < 'infinity';
        """));

    // Earlier tests may have left connections behind.
    private string OfThisStore =>
        $"from pg_stat_activity where application_name = 'CoAP.NET.Cluster' and query like '% {_schema}.%'";

    private CoapPostgreSqlClusterOptions Options(TimeSpan? commandTimeout = null) => new()
    {
        ConnectionString = server.ConnectionString,
        Schema = _schema,
        CommandTimeout = commandTimeout ?? FromMinutes(2),
        PollInterval = FromMilliseconds(20),
    };

    private async Task WaitsForLockAsync(int count = 1)
    {
        string waiting = $"select count(*) {OfThisStore} and wait_event_type = 'Lock'";
        for (int looks = 0; await server.AskAsync<long>(waiting) < count; looks++)
        {
            await Eventually.PauseAsync(looks);
        }
    }
}
