using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Tests.Stores;

namespace CoAP.NET.Cluster.Tests.Sqlite;

public sealed class SqliteStoreTests : StoreSuite
{
    private readonly VirtualClock _clock = new();
    private readonly string _folder = Directory.CreateTempSubdirectory("coap-cluster-").FullName;

    private string FilePath => Path.Combine(_folder, "state", "coap.db");

    [Fact]
    public async Task A_second_store_on_the_same_file_is_refused_until_the_first_store_has_ended()
    {
        (ICoapClusterStore first, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(first, Put("a", fence, "state"));
        ICoapClusterStore second = Open();

        await FailsAsync(CoapClusterStoreFault.InUse, async () => await second.JoinAsync(Node(), Lease, Token), FilePath);

        // The first one still has it, and the second one finds it when it may.
        await WriteAsync(first, Put("b", fence, "state"));
        await first.DisposeAsync();
        await second.JoinAsync(Node(), Lease, Token);
        Assert.Equal(["a=state", "b=state"], await TextsAsync(second), Unordered);
    }

    [Fact]
    public async Task The_file_is_made_readable_by_its_owner_only()
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("needs Unix permissions");
            return; // for the analyzer of platforms
        }

        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, Put("a", fence, "state"));
        foreach (string file in Directory.GetFiles(Path.GetDirectoryName(FilePath)!))
        {
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(file));
        }

        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute,
            File.GetUnixFileMode(Path.GetDirectoryName(FilePath)!));
        await store.DisposeAsync();

        File.SetUnixFileMode(FilePath, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.OtherRead);
        store = Open();
        await store.JoinAsync(Node(), Lease, Token);
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(FilePath));
    }

    [Fact]
    public async Task A_file_that_is_not_a_store_is_refused_and_left_unchanged()
    {
        Directory.CreateDirectory(Path.GetDirectoryName(FilePath)!);
        await File.WriteAllTextAsync(FilePath, new string('x', 8_192), Token);
        await FailsAsync(CoapClusterStoreFault.Corrupt, async () => await Open().JoinAsync(Node(), Lease, Token));
        Assert.Equal(new string('x', 8_192), await File.ReadAllTextAsync(FilePath, Token));
        File.Delete(FilePath);

        Change("create table notes (text)");
        await FailsAsync(
            CoapClusterStoreFault.Incompatible, async () => await Open().JoinAsync(Node(), Lease, Token), "another application");
    }

    [Theory]
    [InlineData(99, "version 99")]
    [InlineData(2, "new Master Secrets")]
    public async Task A_file_of_a_newer_version_or_of_a_preview_with_encrypted_OSCORE_numbers_is_refused(
        int version, string says)
    {
        ICoapClusterStore store = Open();
        await store.JoinAsync(Node(), Lease, Token);
        await store.DisposeAsync();
        Change($"pragma user_version = {version}");

        CoapClusterStoreException exception = await Assert.ThrowsAsync<CoapClusterStoreException>(async () =>
            await Open().JoinAsync(Node(), Lease, Token));

        Assert.Equal((CoapClusterStoreFault.Incompatible, false), (exception.Fault, exception.IsTransient));
        exception.Mentions($"version {version}");
        exception.Mentions(says);
    }

    [Theory]
    [InlineData("insert into slots values (999, zeroblob(8), 1)")]
    [InlineData("update slots set node = zeroblob(3)")]
    [InlineData("update slots set fence = -1")]
    [InlineData("update slots set fence = 9223372036854775807")]
    [InlineData("update map set version = 'text'")]
    [InlineData("pragma user_version = -1")]
    public async Task Values_that_the_store_cannot_have_written_are_damage(string change)
    {
        (ICoapClusterStore store, _) = await OwnerAsync();
        await store.DisposeAsync();
        Change(change);

        await FailsAsync(CoapClusterStoreFault.Corrupt, async () => await Open().JoinAsync(Node(), Lease, Token));
    }

    [Fact]
    public async Task A_disposed_store_throws_ObjectDisposedException_with_its_type_name_to_each_caller()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await store.DisposeAsync();

        await SaysSoAsync(async () => await store.JoinAsync(Node(), Lease, Token));
        await SaysSoAsync(() => WriteAsync(store, Put("a", fence, "state")));
        await SaysSoAsync(() => TextsAsync(store));
        await SaysSoAsync(async () =>
        {
            await foreach (CoapClusterSlotMap map in store.WatchAsync(Token))
            {
                Assert.Fail($"A closed store shows map {map.Version}.");
            }
        });

        static async Task SaysSoAsync(Func<Task> call) => Assert.Equal(typeof(CoapSqliteClusterStore).FullName,
            (await Assert.ThrowsAsync<ObjectDisposedException>(call)).ObjectName);
    }

    [Fact]
    public async Task Reading_a_damaged_file_reports_the_damage()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, [.. Enumerable.Range(0, 2_000).Select(i => Put(Name(i), fence, new string('s', 100)))]);
        await store.DisposeAsync();
        await using (FileStream file = new(FilePath, FileMode.Open))
        {
            // All pages but the first ones, which have the tables.
            file.Position = 6 * 4_096;
            await file.WriteAsync(Enumerable.Repeat((byte)0xa5, (int)(file.Length - file.Position)).ToArray(), Token);
        }

        store = Open();
        await FailsAsync(CoapClusterStoreFault.Corrupt, async () => await ReadAsync(store), "move the file away");
    }

    [Fact]
    public async Task A_full_file_refuses_writes_keeps_its_records_and_accepts_writes_after_a_removal()
    {
        await using CoapSqliteClusterStore store = new(
            new CoapSqliteClusterOptions { Path = FilePath, MaxBytes = 1 << 20, TimeProvider = _clock });
        CoapClusterNode self = Node();
        CoapClusterSlotMap map = await store.JoinAsync(self, Lease, Token);
        Assert.True(await store.TryChangeAsync(map.Assign(self.Id, [One]), Token));
        CoapFencingToken fence = new(1);
        CoapRecordWrite[] large = [.. Enumerable.Range(0, 40).Select(i => CoapRecordWrite.Put(
            Key(Name(i)), fence, new byte[50_000], Timeout.InfiniteTimeSpan))];
        await WriteAsync(store, large[0]);

        CoapClusterStoreException exception = await Assert.ThrowsAsync<CoapClusterStoreException>(async () =>
            await store.WriteAsync(large, Token));
        Assert.Equal(CoapClusterStoreFault.Full, exception.Fault);
        Assert.True(exception.IsTransient);
        Assert.Single(await ReadAsync(store));

        await WriteAsync(store, CoapRecordWrite.Remove(Key("0"), fence));
        await WriteAsync(store, large[1..5]);
        Assert.Equal(4, (await ReadAsync(store)).Count);
    }

    [Fact]
    public async Task A_folder_that_is_not_writable_is_an_error_until_it_is_writable()
    {
        // A file in the place of the folder, as the tests may run as root, who may everything.
        await File.WriteAllTextAsync(Path.GetDirectoryName(FilePath)!, "", Token);
        ICoapClusterStore store = Open();
        await FailsAsync(CoapClusterStoreFault.Unavailable, async () => await store.JoinAsync(Node(), Lease, Token));

        File.Delete(Path.GetDirectoryName(FilePath)!);
        await store.JoinAsync(Node(), Lease, Token);
    }

    [Fact]
    public async Task A_store_that_is_never_used_creates_no_file()
    {
        await new CoapSqliteClusterStore(FilePath).DisposeAsync();

        Assert.False(File.Exists(FilePath));
    }

    [Fact]
    public async Task Calls_beyond_the_queue_limit_are_refused()
    {
        QueueOnly threads = new();
        CoapSqliteClusterStore store = new(
            new CoapSqliteClusterOptions { Path = FilePath, MaxWaitingCalls = 16, Scheduler = threads, TimeProvider = _clock });
        Task[] waiting = [.. Enumerable.Range(0, 16).Select(_ => store.RemoveExpiredAsync(Token).AsTask())];

        await FailsAsync(CoapClusterStoreFault.Busy, async () => await store.RemoveExpiredAsync(Token));

        threads.RunAll();
        await Task.WhenAll(waiting);
        Task end = store.DisposeAsync().AsTask();
        threads.RunAll();
        await end;
    }

    [Fact]
    public async Task A_call_without_a_thread_fails_and_the_next_call_succeeds_when_a_thread_is_available()
    {
        QueueOnly threads = new() { HasThreads = false };
        CoapSqliteClusterStore store = new(
            new CoapSqliteClusterOptions { Path = FilePath, Scheduler = threads, TimeProvider = _clock });
        await FailsAsync(CoapClusterStoreFault.Busy, async () => await store.RemoveExpiredAsync(Token));

        threads.HasThreads = true;
        Task<int> next = store.RemoveExpiredAsync(Token).AsTask();
        threads.RunAll();
        Assert.Equal(0, await next);

        threads.HasThreads = false;
        await store.DisposeAsync();
    }

    // The promise of the file: what a write was told to have kept is there when the process is killed in the next moment.
    [Fact]
    public async Task Confirmed_records_survive_a_crash_without_closing_the_file()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, Put("a", fence, "confirmed"));

        // The file and its log as a crash leaves them.
        string copy = Path.Combine(_folder, "copy.db");
        foreach (string suffix in (string[])["", "-wal"])
        {
            await using FileStream from = new(FilePath + suffix, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            await using FileStream to = new(copy + suffix, FileMode.CreateNew);
            await from.CopyToAsync(to, Token);
        }

        await using CoapSqliteClusterStore after = new(new CoapSqliteClusterOptions { Path = copy, TimeProvider = _clock });
        await after.JoinAsync(Node(), Lease, Token);
        Assert.Equal(["a=confirmed"], await TextsAsync(after));
    }

    [Fact]
    public void Invalid_options_are_refused()
    {
        Assert.Throws<ArgumentException>(() => new CoapSqliteClusterStore(""));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapSqliteClusterStore(
            new CoapSqliteClusterOptions { Path = "a", MaxBytes = 1_000 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapSqliteClusterStore(
            new CoapSqliteClusterOptions { Path = "a", MaxWaitingCalls = 0 }));
    }

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    private protected override ICoapClusterStore OpenStore() =>
        new CoapSqliteClusterStore(new CoapSqliteClusterOptions { Path = FilePath, TimeProvider = _clock });

    private protected override Task PassAsync(TimeSpan time)
    {
        _clock.Advance(time);
        return Task.CompletedTask;
    }

    private void Change(string sql) => SqliteSql.Run(FilePath, sql);
}
