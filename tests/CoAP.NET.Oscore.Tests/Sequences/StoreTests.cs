using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Oscore.Tests.Sequences;

/// <summary>What every store promises: of memory, and of files.</summary>
public sealed class StoreTests : IDisposable
{
    private static readonly OscoreStoreKey s_key = new(Enumerable.Range(1, 32).Select(n => (byte)n).ToArray());
    private static readonly OscoreStoreKey s_other = new(new byte[32]);

    private readonly string _directory = Path.Combine(Path.GetTempPath(), $"oscore-{Guid.NewGuid():N}");
    private FileOscoreStore? _files;

    public void Dispose()
    {
        _files?.Dispose();
        if (Directory.Exists(_directory))
        {
            Directory.Delete(_directory, recursive: true);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_context_is_new_only_once(bool isFile)
    {
        IOscoreStore store = Make(isFile);
        OscoreStoredState first = await store.OpenAsync(s_key, default);
        Assert.True(first.IsNew);
        Assert.Equal(0UL, first.Next);
        store = Again(store);
        OscoreStoredState second = await store.OpenAsync(s_key, default);
        Assert.False(second.IsNew);
        Assert.Null(second.Received);
        Assert.True(second.Epoch > first.Epoch);
        Assert.True((await store.OpenAsync(s_other, default)).IsNew);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_context_never_starts_below_its_reserved_numbers(bool isFile)
    {
        IOscoreStore store = Make(isFile);
        OscoreStoredState state = await store.OpenAsync(s_key, default);
        await store.ReserveAsync(s_key, state.Epoch, 32, default);
        await store.ReserveAsync(s_key, state.Epoch, 32, default);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => store.ReserveAsync(s_key, state.Epoch, 31, default).AsTask());
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            () => store.ReserveAsync(s_key, state.Epoch, (1UL << 40) + 1, default).AsTask());
        store = Again(store);
        Assert.Equal(32UL, (await store.OpenAsync(s_key, default)).Next);
        Assert.Equal(0UL, (await store.OpenAsync(s_other, default)).Next);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_saved_window_is_returned_once_so_that_it_is_unknown_after_a_crash(bool isFile)
    {
        IOscoreStore store = Make(isFile);
        OscoreStoredState state = await store.OpenAsync(s_key, default);
        await store.CloseAsync(s_key, state.Epoch, new OscoreReceivedNumbers(10, [0b0000_0101]), default);
        store = Again(store);
        OscoreReceivedNumbers? received = (await store.OpenAsync(s_key, default)).Received;
        Assert.NotNull(received);
        Assert.Equal(10UL, received.Next);
        Assert.Equal([0b0000_0101], received.Seen.ToArray());
        Assert.Equal([1, 7, 9], Enumerable.Range(1, 10).Where(number => received.Contains((ulong)number)));
        Assert.Null((await Again(store).OpenAsync(s_key, default)).Received);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_context_is_not_closed_without_its_received_numbers(bool isFile)
    {
        IOscoreStore store = Make(isFile);
        OscoreStoredState state = await store.OpenAsync(s_key, default);

        ArgumentNullException error = await Assert.ThrowsAsync<ArgumentNullException>(
            async () => await store.CloseAsync(s_key, state.Epoch, null!, default));

        // Otherwise the next start would accept old requests again: it takes what came from the store, once.
        Assert.Equal("received", error.ParamName);
        await store.CloseAsync(s_key, state.Epoch, new OscoreReceivedNumbers(3, [0b0000_0111]), default);
        Assert.Equal(3UL, (await Again(store).OpenAsync(s_key, default)).Received?.Next);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_superseded_epoch_can_neither_reserve_numbers_nor_close_the_context(bool isFile)
    {
        IOscoreStore store = Make(isFile);
        OscoreStoredState first = await store.OpenAsync(s_key, default);
        OscoreStoredState second = await store.OpenAsync(s_key, default);
        await AssertSuperseded(() => store.ReserveAsync(s_key, first.Epoch, 32, default));
        await AssertSuperseded(() => store.CloseAsync(s_key, first.Epoch, new OscoreReceivedNumbers(0, []), default));
        await store.CloseAsync(s_key, second.Epoch, new OscoreReceivedNumbers(0, []), default);
        await AssertSuperseded(() => store.ReserveAsync(s_key, second.Epoch, 32, default));
        OscoreStoredState third = await store.OpenAsync(s_key, default);
        Assert.Equal(0UL, third.Next);
        Assert.NotNull(third.Received);
    }

    [Fact]
    public async Task A_second_process_is_refused_while_the_first_process_runs()
    {
        FileOscoreStore store = FileOscoreStore.Open(_directory);
        OscoreStoredState state = await store.OpenAsync(s_key, default);
        OscoreStoreException exception = Assert.Throws<OscoreStoreException>(() => FileOscoreStore.Open(_directory));
        Assert.Equal(OscoreStoreFault.InUse, exception.Fault);
        exception.Mentions(_directory);
        store.Dispose();
        _files = FileOscoreStore.Open(_directory);
        OscoreStoreException late = await Assert.ThrowsAsync<OscoreStoreException>(
            () => store.ReserveAsync(s_key, state.Epoch, 32, default).AsTask());
        Assert.Equal(OscoreStoreFault.Superseded, late.Fault);
    }

    [Fact]
    public async Task Files_are_accessible_by_their_owner_only_and_contain_no_secret()
    {
        using OscoreParameters parameters = new("sixteen bytes of"u8, [1], [2]) { MasterSalt = "and salt"u8.ToArray() };
        OscoreStoreKey key = OscoreStoreKey.Of(parameters);
        await Make(isFile: true).OpenAsync(key, default);
        string file = Assert.Single(Directory.GetFiles(_directory, "*.json"));
        Assert.Equal(key + ".json", Path.GetFileName(file));
        string text = await File.ReadAllTextAsync(file);
        text.Omits("sixteen");
        Assert.DoesNotContain(Convert.ToHexStringLower("sixteen bytes of"u8), text, StringComparison.OrdinalIgnoreCase);
        if (!OperatingSystem.IsWindows())
        {
            foreach (string path in Directory.GetFiles(_directory))
            {
                Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(path));
            }

            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute, File.GetUnixFileMode(_directory));
        }
    }

    [Fact]
    public async Task A_truncated_file_is_an_error_and_not_a_new_start()
    {
        IOscoreStore store = Make(isFile: true);
        OscoreStoredState state = await store.OpenAsync(s_key, default);
        await store.ReserveAsync(s_key, state.Epoch, 32, default);
        string file = Assert.Single(Directory.GetFiles(_directory, "*.json"));
        byte[] whole = await File.ReadAllBytesAsync(file);
        for (int length = 0; length < whole.Length; length++)
        {
            Assert.Null(OscoreStateFile.Parse(whole.AsSpan(0, length), s_key));
        }

        Assert.NotNull(OscoreStateFile.Parse(whole, s_key));
        await File.WriteAllBytesAsync(file, whole[..^1]);
        OscoreStoreException exception = await Assert.ThrowsAsync<OscoreStoreException>(() => store.OpenAsync(s_key, default).AsTask());
        Assert.Equal(OscoreStoreFault.Corrupt, exception.Fault);
        await File.WriteAllBytesAsync(file, []);
        exception = await Assert.ThrowsAsync<OscoreStoreException>(() => store.ReserveAsync(s_key, state.Epoch, 64, default).AsTask());
        Assert.Equal(OscoreStoreFault.Corrupt, exception.Fault);
    }

    [Fact]
    public async Task A_file_with_a_modified_byte_is_refused_or_read_unchanged()
    {
        IOscoreStore store = Make(isFile: true);
        OscoreStoredState state = await store.OpenAsync(s_key, default);
        await store.ReserveAsync(s_key, state.Epoch, 12_345, default);
        await store.CloseAsync(s_key, state.Epoch, new OscoreReceivedNumbers(77, [1, 2, 3]), default);
        byte[] whole = await File.ReadAllBytesAsync(Assert.Single(Directory.GetFiles(_directory, "*.json")));
        Random random = new(1);
        for (int i = 0; i < 2_000; i++)
        {
            byte[] changed = [.. whole];
            changed[random.Next(changed.Length)] = (byte)random.Next(256);
            if (OscoreStateFile.Parse(changed, s_key) is { } read)
            {
                Assert.Equal(12_345UL, read.Bound);
                Assert.Equal(77UL, read.Received!.Next);
                Assert.Equal([1, 2, 3], read.Received.Seen.ToArray());
            }
        }
    }

    [Fact]
    public async Task The_file_of_a_context_is_refused_for_another_context()
    {
        IOscoreStore store = Make(isFile: true);
        await store.OpenAsync(s_key, default);
        File.Copy(Path.Combine(_directory, s_key + ".json"), Path.Combine(_directory, s_other + ".json"));
        OscoreStoreException exception = await Assert.ThrowsAsync<OscoreStoreException>(() => store.OpenAsync(s_other, default).AsTask());
        Assert.Equal(OscoreStoreFault.Corrupt, exception.Fault);
    }

    [Fact]
    public async Task Removing_a_file_in_use_is_an_error()
    {
        IOscoreStore store = Make(isFile: true);
        OscoreStoredState state = await store.OpenAsync(s_key, default);
        File.Delete(Path.Combine(_directory, s_key + ".json"));
        OscoreStoreException exception = await Assert.ThrowsAsync<OscoreStoreException>(
            () => store.ReserveAsync(s_key, state.Epoch, 32, default).AsTask());
        Assert.Equal(OscoreStoreFault.Corrupt, exception.Fault);
    }

    [Fact]
    public async Task A_crash_during_a_write_leaves_the_previous_file()
    {
        IOscoreStore store = Make(isFile: true);
        OscoreStoredState state = await store.OpenAsync(s_key, default);
        await store.ReserveAsync(s_key, state.Epoch, 32, default);
        await File.WriteAllTextAsync(Path.Combine(_directory, s_key + ".json.new"), "{ \"version\": 1, \"nextUnres");
        store = Again(store);
        Assert.Equal(32UL, (await store.OpenAsync(s_key, default)).Next);
    }

    [Fact]
    public async Task A_store_that_cannot_write_reports_an_error_with_the_file()
    {
        IOscoreStore store = Make(isFile: true);
        OscoreStoredState state = await store.OpenAsync(s_key, default);

        // A directory at the place of the file that is made.
        Directory.CreateDirectory(Path.Combine(_directory, s_key + ".json.new"));
        OscoreStoreException exception = await Assert.ThrowsAsync<OscoreStoreException>(
            () => store.ReserveAsync(s_key, state.Epoch, 32, default).AsTask());
        Assert.Equal(OscoreStoreFault.Failed, exception.Fault);
        exception.Mentions(s_key.ToString());
    }

    private static async Task AssertSuperseded(Func<ValueTask> call) => Assert.Equal(OscoreStoreFault.Superseded,
        (await Assert.ThrowsAsync<OscoreStoreException>(() => call().AsTask())).Fault);

    private IOscoreStore Make(bool isFile)
    {
        if (!isFile)
        {
            return new MemoryOscoreStore();
        }

        _files = FileOscoreStore.Open(_directory);
        return _files;
    }

    // As after a restart.
    private IOscoreStore Again(IOscoreStore store)
    {
        if (store is not FileOscoreStore files)
        {
            return store;
        }

        files.Dispose();
        return _files = FileOscoreStore.Open(_directory);
    }
}
