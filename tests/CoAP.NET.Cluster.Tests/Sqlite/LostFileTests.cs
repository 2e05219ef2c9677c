using CoAP.NET.Cluster.Hosting;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Files;
using CoAP.NET.Oscore.Sequences;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace CoAP.NET.Cluster.Tests.Sqlite;

/// <summary>Files that were removed, replaced, emptied or half written: the store reports it and never reuses message numbers.</summary>
public sealed class LostFileTests : FolderTest
{
    private static readonly OscoreStoreKey s_key = new([.. Enumerable.Range(0, 32).Select(i => (byte)i)]);
    private static readonly CoapSlot s_slot = new(1);

    private string FilePath => Path.Combine(Folder, "coap.db");

    private string LogPath => FilePath + "-wal";

    private string MarkPath => FilePath + "-mark";

    [Fact]
    public async Task A_store_whose_file_was_removed_confirms_no_more_writes_and_does_not_create_the_file_again()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows does not remove or move an open file");
        await using CoapSqliteClusterStore store = await OwnerAsync();
        Assert.Equal(CoapWriteOutcome.Written, await WriteAsync(store, "a"));
        File.Delete(FilePath);
        File.Delete(LogPath);

        for (int i = 0; i < 3; i++)
        {
            (await LostAsync(() => WriteAsync(store, "b"))).Mentions("removed");
            await LostAsync(() => FindAsync(store, "a"));
            await LostAsync(() => JoinAsync(store));
        }

        await store.DisposeAsync();
        Assert.Equal([MarkPath], Directory.GetFileSystemEntries(Folder));
    }

    [Fact]
    public async Task A_file_that_replaced_the_store_file_is_refused()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows does not remove or move an open file");
        string backup = Path.Combine(Folder, "backup");
        await using (CoapSqliteClusterStore before = await OwnerAsync())
        {
            await WriteAsync(before, "a");
        }

        File.Copy(FilePath, backup);
        await using CoapSqliteClusterStore store = new(FilePath);
        await WriteAsync(store, "b");
        File.Move(backup, FilePath, overwrite: true);

        await LostAsync(() => WriteAsync(store, "c"));
        await LostAsync(() => FindAsync(store, "b"));
    }

    [Fact]
    public async Task A_store_file_that_was_moved_back_is_used_again_with_all_confirmed_records()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows does not remove or move an open file");
        await using CoapSqliteClusterStore store = await OwnerAsync();
        await WriteAsync(store, "a");
        File.Move(FilePath, FilePath + ".away");
        await LostAsync(() => WriteAsync(store, "b"));

        File.Move(FilePath + ".away", FilePath);
        Assert.Equal(CoapWriteOutcome.Written, await WriteAsync(store, "c"));
        Assert.NotNull(await FindAsync(store, "a"));
        Assert.Null(await FindAsync(store, "b"));
    }

    [Fact]
    public async Task A_store_whose_file_was_removed_does_not_disturb_the_store_in_the_new_file()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows does not remove or move an open file");
        await using CoapSqliteClusterStore first = await OwnerAsync();
        await WriteAsync(first, "a");
        File.Delete(FilePath);
        File.Delete(LogPath);

        // Only after the loss was confirmed.
        await LostAsync(OpenAsync);
        File.Delete(MarkPath);
        await using CoapSqliteClusterStore second = await OwnerAsync();
        await WriteAsync(second, "b");

        await LostAsync(() => WriteAsync(first, "c"));
        await first.DisposeAsync();

        Assert.True(File.Exists(LogPath));
        Assert.Equal(CoapWriteOutcome.Written, await WriteAsync(second, "d"));
        Assert.Null(await FindAsync(second, "a"));
    }

    [Fact]
    public async Task A_store_whose_log_was_removed_confirms_no_more_writes_and_saves_its_records_when_it_is_closed()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows does not remove or move an open file");
        CoapSqliteClusterStore store = await OwnerAsync();
        await WriteAsync(store, "a");
        File.Delete(LogPath);
        (await LostAsync(() => WriteAsync(store, "b"))).Mentions("orderly");
        await store.DisposeAsync();

        await using CoapSqliteClusterStore again = new(FilePath);
        Assert.NotNull(await FindAsync(again, "a"));
    }

    [Fact]
    public async Task OSCORE_numbers_are_neither_used_nor_reserved_in_a_removed_file_and_the_health_reports_the_failure()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows does not remove or move an open file");
        CoapClusterOptions options = ClusterTests.Options(FromHours(1));
        options.Writer.StopTimeout = TimeSpan.Zero;
        await using CoapCluster cluster = new(new CoapSqliteClusterStore(FilePath), options);
        await cluster.StartAsync();
        OscoreStoredState state = await cluster.OscoreStore.OpenAsync(s_key, default);
        OscoreSequence numbers = new(cluster.OscoreStore, s_key, state, CoapThreadScheduler.Default, TimeProvider.System);
        await numbers.TakeAsync(default);
        Assert.Equal(SenderSequenceNumberResult.Taken, numbers.TryTake(out _));
        File.Delete(FilePath);
        File.Delete(LogPath);
        using CancellationTokenSource enough = new();

        Task reservation = cluster.OscoreStore.ReserveAsync(s_key, state.Epoch, 100, enough.Token).AsTask();

        await Eventually.IsTrueAsync(() => cluster.Health.Failure?.Fault == CoapClusterStoreFault.Lost);

        // Another process may have begun at 0, with a new file.
        Assert.Equal(SenderSequenceNumberResult.Refused, numbers.TryTake(out _));
        numbers.Refusal.Message.Mentions("removed");
        cluster.Health.Failure!.Mentions("new Master Secrets");
        Assert.False(reservation.IsCompleted);
        Assert.False(File.Exists(FilePath));
        await enough.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reservation);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(14)]
    [InlineData(99)]
    public async Task A_file_shorter_than_a_header_is_refused_as_damaged(int length)
    {
        await File.WriteAllBytesAsync(FilePath, new byte[length], TestContext.Current.CancellationToken);

        await CorruptAsync(OpenAsync);

        Assert.Equal(length, new FileInfo(FilePath).Length);
    }

    [Fact]
    public async Task An_empty_store_file_is_refused_and_its_log_is_kept()
    {
        byte[] log = await CrashedLogAsync();
        await File.WriteAllBytesAsync(FilePath, [], TestContext.Current.CancellationToken);

        await CorruptAsync(OpenAsync);

        Assert.Equal(log, await File.ReadAllBytesAsync(LogPath, TestContext.Current.CancellationToken));
        Assert.Equal(0, new FileInfo(FilePath).Length);
    }

    [Fact]
    public async Task A_log_without_its_store_file_is_refused_as_damaged_and_kept()
    {
        byte[] log = await CrashedLogAsync();
        File.Delete(FilePath);

        (await LostAsync(OpenAsync)).Mentions(LogPath);

        Assert.Equal(log, await File.ReadAllBytesAsync(LogPath, TestContext.Current.CancellationToken));
        Assert.False(File.Exists(FilePath));
    }

    [Fact]
    public async Task An_SQLite_file_without_tables_is_refused()
    {
        Change("create table one (a); drop table one; vacuum");
        Assert.True(new FileInfo(FilePath).Length > 0);

        CoapClusterStoreException refused = await Assert.ThrowsAsync<CoapClusterStoreException>(OpenAsync);

        Assert.Equal(CoapClusterStoreFault.Incompatible, refused.Fault);
    }

    [Fact]
    public async Task Files_of_an_unfinished_creation_are_removed_and_do_not_prevent_the_start()
    {
        string half = $"{FilePath}.{new string('a', 32)}.new";
        string mine = $"{FilePath}.mine.new";
        await File.WriteAllBytesAsync(half, new byte[1_000], TestContext.Current.CancellationToken);
        await File.WriteAllBytesAsync(mine, new byte[1_000], TestContext.Current.CancellationToken);

        await using CoapSqliteClusterStore store = await OwnerAsync();

        Assert.Equal(CoapWriteOutcome.Written, await WriteAsync(store, "a"));
        Assert.Equal(new[] { FilePath, LogPath, MarkPath, mine }.Order(StringComparer.Ordinal),
            Directory.GetFiles(Folder).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void The_creation_of_a_store_does_not_replace_a_file_that_appeared_meanwhile()
    {
        Assert.True(DurableFile.TryCreate(FilePath, "first"u8));
        Assert.False(DurableFile.TryCreate(FilePath, "second"u8));

        Assert.Equal("first", File.ReadAllText(FilePath));
        Assert.Single(Directory.GetFileSystemEntries(Folder));
    }

    [Fact]
    public async Task A_store_whose_file_is_missing_stays_unusable_until_an_operator_removes_its_mark()
    {
        await (await OwnerAsync()).DisposeAsync();
        File.Delete(FilePath);
        CoapClusterOptions options = ClusterTests.Options(FromHours(1));
        await using (CoapCluster cluster = new(new CoapSqliteClusterStore(FilePath), options))
        {
            await cluster.StartAsync(TestContext.Current.CancellationToken);
            await Assert.ThrowsAsync<OscoreStoreException>(async () => await cluster.OscoreStore.OpenAsync(s_key, default));
            HealthCheckResult health = await new ClusterHealthCheck(cluster).CheckHealthAsync(new HealthCheckContext());
            Assert.Equal(HealthStatus.Unhealthy, health.Status);
            health.Description.Mentions($"Removing {MarkPath} confirms the loss");
            health.Description.Mentions("new Master Secrets");
        }

        Assert.Equal([MarkPath], Directory.GetFileSystemEntries(Folder));
        File.Delete(MarkPath);
        await OpenAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_older_copy_or_another_file_is_refused_at_the_start(bool isOther)
    {
        string copy = Path.Combine(Folder, "copy");
        await (await OwnerAsync()).DisposeAsync();
        File.Copy(FilePath, copy);
        if (isOther)
        {
            await using CoapSqliteClusterStore other = new(copy = Path.Combine(Folder, "other"));
            await JoinAsync(other);
        }
        else
        {
            // A start and an end are enough: the copy may lack numbers that were used meanwhile.
            await OpenAsync();
        }

        File.Move(copy, FilePath, overwrite: true);

        (await LostAsync(OpenAsync)).Mentions("older copy");
    }

    /// <summary>The process runs throughout, and writes for more than a minute.</summary>
    [Fact]
    public async Task A_copy_of_a_running_store_that_was_put_back_after_a_crash_is_refused()
    {
        VirtualClock clock = new();
        string[] suffixes = ["", "-wal"];
        CoapSqliteClusterStore store = new(new CoapSqliteClusterOptions { Path = FilePath, TimeProvider = clock });
        CoapClusterNode self = new(CoapNodeId.New(), "");
        CoapClusterSlotMap map = await store.JoinAsync(self, FromMinutes(10), default);
        Assert.True(await store.TryChangeAsync(map.Assign(self.Id, [s_slot]), default));
        await WriteAsync(store, "a");
        string copy = Path.Combine(Folder, "copy");
        CopyTo(copy);
        clock.Advance(FromMinutes(1));
        await WriteAsync(store, "b");
        string crashed = Path.Combine(Folder, "crashed");
        CopyTo(crashed);
        string mark = await File.ReadAllTextAsync(MarkPath, TestContext.Current.CancellationToken);
        await store.DisposeAsync();

        PutBack(copy);
        (await LostAsync(OpenAsync)).Mentions("older copy");
        PutBack(crashed);
        await OpenAsync();

        void CopyTo(string path)
        {
            foreach (string suffix in suffixes)
            {
                using FileStream from = new(FilePath + suffix, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
                using FileStream to = new(path + suffix, FileMode.CreateNew);
                from.CopyTo(to);
            }
        }

        void PutBack(string path)
        {
            File.WriteAllText(MarkPath, mark);
            foreach (string suffix in suffixes)
            {
                File.Move(path + suffix, FilePath + suffix, overwrite: true);
            }
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4_095)]
    public async Task A_truncated_store_file_is_refused_as_damaged(int cut)
    {
        await (await OwnerAsync()).DisposeAsync();
        await using (FileStream file = new(FilePath, FileMode.Open))
        {
            file.SetLength(file.Length - cut);
        }

        (await CorruptAsync(OpenAsync)).Mentions("cut off");
    }

    [Theory]
    [InlineData("")]
    [InlineData("0 0")]
    public async Task A_store_with_an_unreadable_mark_is_refused_as_damaged(string text)
    {
        await (await OwnerAsync()).DisposeAsync();
        await File.WriteAllTextAsync(MarkPath, text, TestContext.Current.CancellationToken);

        (await CorruptAsync(OpenAsync)).Mentions(MarkPath);
    }

    // After a fault of the disk the store opens its file again. Meanwhile anything may have happened to the file.
    [Fact]
    public void A_store_reopens_only_the_same_file_after_a_fault()
    {
        using SqliteFile file = new(new CoapSqliteClusterOptions { Path = FilePath }.Checked(), new CoapClusterMapFeed());
        CoapClusterNode self = new(CoapNodeId.New(), "");
        CoapClusterSlotMap map = file.Do(open => open.Join(self));
        string older = Keep("older");
        Assert.True(file.Do(open => open.TryChange(map.Assign(self.Id, [s_slot]))));
        string mine = Keep("mine");

        Refused(file).Mentions("removed");
        Assert.False(File.Exists(FilePath));

        File.Copy(older, FilePath);
        Refused(file).Mentions("older");
        File.Delete(FilePath);

        string mark = File.ReadAllText(MarkPath);
        File.Delete(MarkPath);
        using (SqliteFile other = new(new CoapSqliteClusterOptions { Path = FilePath }.Checked(), new CoapClusterMapFeed()))
        {
            CoapClusterSlotMap others = other.Do(open => open.Show());
            Assert.True(other.Do(open => open.TryChange(others.Assign(self.Id, [s_slot]))));
        }

        Refused(file).Mentions("another file");
        File.WriteAllText(MarkPath, mark);

        File.Copy(mine, FilePath, overwrite: true);
        Assert.Equal(self.Id, file.Do(open => open.Show())[s_slot].Node);

        // A fault closes the file, so that all of it is at this path.
        string Keep(string name)
        {
            Assert.Throws<CoapClusterStoreException>(() => file.Do<int>(_ =>
                throw new CoapClusterStoreException(CoapClusterStoreFault.Unavailable, "The disk was away.")));
            string kept = Path.Combine(Folder, name);
            if (name == "mine")
            {
                File.Move(FilePath, kept);
            }
            else
            {
                File.Copy(FilePath, kept);
            }

            return kept;
        }
    }

    private static CoapClusterStoreException Refused(SqliteFile file)
    {
        CoapClusterStoreException refused = Assert.Throws<CoapClusterStoreException>(() => file.Do(open => open.Show()));
        Assert.Equal(CoapClusterStoreFault.Lost, refused.Fault);
        return refused;
    }

    private static Task<CoapClusterStoreException> CorruptAsync(Func<Task> call) => RefusedAsync(CoapClusterStoreFault.Corrupt, call);

    private static Task<CoapClusterStoreException> LostAsync(Func<Task> call) => RefusedAsync(CoapClusterStoreFault.Lost, call);

    private static async Task<CoapClusterStoreException> RefusedAsync(CoapClusterStoreFault fault, Func<Task> call)
    {
        CoapClusterStoreException refused = await Assert.ThrowsAsync<CoapClusterStoreException>(call);
        Assert.Equal(fault, refused.Fault);
        Assert.False(refused.IsTransient);
        return refused;
    }

    private static Task<CoapClusterSlotMap> JoinAsync(CoapSqliteClusterStore store) =>
        store.JoinAsync(new CoapClusterNode(CoapNodeId.New(), ""), FromMinutes(10), default).AsTask();

    private static Task<CoapRecord?> FindAsync(CoapSqliteClusterStore store, string name) =>
        store.FindAsync(KeyOf(name), default).AsTask();

    private static async Task<CoapWriteOutcome> WriteAsync(CoapSqliteClusterStore store, string name) =>
        (await store.WriteAsync(
            new[] { CoapRecordWrite.Put(KeyOf(name), new CoapFencingToken(1), new byte[100], Timeout.InfiniteTimeSpan) }, default))[0];

    private static CoapRecordKey KeyOf(string name) =>
        new(CoapRecordKind.Session, s_slot, Encoding.ASCII.GetBytes(name));

    private async Task<CoapSqliteClusterStore> OwnerAsync()
    {
        CoapSqliteClusterStore store = new(FilePath);
        CoapClusterNode self = new(CoapNodeId.New(), "");
        CoapClusterSlotMap map = await store.JoinAsync(self, FromMinutes(10), default);
        Assert.True(await store.TryChangeAsync(map.Assign(self.Id, [s_slot]), default));
        return store;
    }

    private async Task OpenAsync()
    {
        await using CoapSqliteClusterStore store = new(FilePath);
        await JoinAsync(store);
    }

    // The log as a crash leaves it, beside the file.
    private async Task<byte[]> CrashedLogAsync()
    {
        byte[] log;
        await using (CoapSqliteClusterStore store = await OwnerAsync())
        {
            await WriteAsync(store, "a");
            await using FileStream file = new(LogPath, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            log = new byte[file.Length];
            await file.ReadExactlyAsync(log);
        }

        Assert.NotEmpty(log);
        await File.WriteAllBytesAsync(LogPath, log);
        return log;
    }

    private void Change(string sql) => SqliteSql.Run(FilePath, sql);
}
