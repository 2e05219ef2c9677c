namespace CoAP.NET.Dtls.Tests.SessionBackups;

/// <summary>Whether the clients of loaded sessions are still admitted.</summary>
public sealed class LoadedSessionCredentialCheckTests
{
    public enum First
    {
        ClientSpeaks,
        ServerSends,
    }

    [Theory]
    [InlineData("", First.ClientSpeaks)]
    [InlineData("", First.ServerSends)]
    [InlineData("another key", First.ClientSpeaks)]
    [InlineData("another key", First.ServerSends)]
    public async Task A_loaded_session_whose_key_was_removed_or_replaced_ends_before_it_receives_or_sends(string key, First first)
    {
        foreach (bool isFile in (bool[])[false, true])
        {
            (MemorySessionBackup backup, RecordLayer client) = await StoppedAsync(isFile);
            Keys keys = new(key);
            using SessionRig after = new(backupOptions: BackupOptionsOf(backup, isFile), store: keys);
            Assert.Equal(1, await after.Server.SessionBackup!.StartAsync(default));
            DtlsSession loaded = Assert.Single(after.Opened);
            List<ContentType> sent = [];
            after.OnSent = (_, datagram) => sent.Add(Opened(client, datagram));

            // A sleeping device costs nothing.
            Assert.Equal(0, keys.Asked);
            if (first == First.ClientSpeaks)
            {
                after.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [1]));
            }
            else
            {
                Assert.False(loaded.Send([1]));
            }

            Assert.Equal((loaded, DtlsSessionEndReason.Withdrawn), Assert.Single(after.Closed));
            Assert.Equal((0, 1), (after.Received, keys.Asked));

            // The client may come back at once.
            Assert.All(sent, type => Assert.Equal(ContentType.Alert, type), throwIfEmpty: first == First.ServerSends);
            Assert.False(loaded.Send([2]));
        }
    }

    [Theory]
    [InlineData(First.ClientSpeaks)]
    [InlineData(First.ServerSends)]
    public async Task A_loaded_session_whose_key_is_unchanged_continues_and_the_key_store_is_queried_once(First first)
    {
        foreach (bool isFile in (bool[])[false, true])
        {
            (MemorySessionBackup backup, RecordLayer client) = await StoppedAsync(isFile);
            Keys keys = new("secretPSK");
            using SessionRig after = new(backupOptions: BackupOptionsOf(backup, isFile), store: keys);
            await after.Server.SessionBackup!.StartAsync(default);
            DtlsSession loaded = Assert.Single(after.Opened);
            for (byte i = 0; i < 3; i++)
            {
                if (first == First.ClientSpeaks)
                {
                    Assert.True(after.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [i])));
                    Assert.Equal(i + 1, after.Received);
                }

                Assert.True(loaded.Send([i]));
                Assert.Equal(i + 1, after.Sent);
            }

            Assert.Equal(1, keys.Asked);
            Assert.Empty(after.Closed);
        }
    }

    [Fact]
    public async Task A_slow_key_store_delays_records_of_a_loaded_session_and_blocks_no_thread()
    {
        (MemorySessionBackup backup, RecordLayer client) = await StoppedAsync(isFile: true);
        TaskCompletionSource gate = new();
        Keys keys = new("secretPSK") { Gate = gate.Task };
        using SessionRig after = new(backupOptions: BackupOptionsOf(backup, isFile: true), store: keys);
        await after.Server.SessionBackup!.StartAsync(default);
        List<byte> received = [];
        after.OnReceived = content => received.Add(content[0]);
        Assert.True(after.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [1])));
        Assert.True(after.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [2])));
        Assert.False(Assert.Single(after.Opened).Send([3]));
        Assert.Equal((0, 0, 1), (after.Received, after.Sent, keys.Asked));

        MemorySessionBackup.Complete(gate.SetResult);

        Assert.Equal([1, 2], received);
        Assert.Equal(1, after.Sent);
        Assert.Empty(after.Closed);
    }

    [Fact]
    public async Task A_key_store_that_fails_ends_no_session_and_is_queried_again()
    {
        (MemorySessionBackup backup, RecordLayer client) = await StoppedAsync(isFile: true);
        Keys keys = new("secretPSK") { Gate = Task.FromException(new TimeZoneNotFoundException("The database is away.")) };
        using SessionRig after = new(backupOptions: BackupOptionsOf(backup, isFile: true), store: keys);
        await after.Server.SessionBackup!.StartAsync(default);
        Assert.True(after.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [1])));
        Assert.IsType<TimeZoneNotFoundException>(Assert.Single(after.FailedChecks).Exception.InnerException);
        Assert.Equal((0, 1), (after.Received, keys.Asked));

        keys.Gate = null;
        Assert.True(after.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [2])));

        Assert.Equal((2, 2), (after.Received, keys.Asked));
        Assert.Empty(after.Closed);
    }

    [Fact]
    public async Task A_query_of_a_key_store_that_does_not_answer_is_abandoned()
    {
        (MemorySessionBackup backup, RecordLayer client) = await StoppedAsync(isFile: true);
        Keys keys = new("secretPSK") { Gate = new TaskCompletionSource().Task };
        using SessionRig after = new(backupOptions: BackupOptionsOf(backup, isFile: true), store: keys);
        await after.Server.SessionBackup!.StartAsync(default);
        Assert.True(after.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [1])));

        MemorySessionBackup.Complete(() => after.Clock.Advance(new DtlsServerLimits().HandshakeTimeout));

        Assert.Single(after.FailedChecks);
        Assert.Empty(after.Closed);
    }

    [Fact]
    public async Task The_number_of_concurrent_key_checks_is_limited_and_all_sessions_are_checked_in_the_end()
    {
        const int Sessions = LoadedSessionCredentialCheck.MaxChecks + 10;
        MemorySessionBackup backup = new();
        RecordLayer[] clients;
        using (SessionRig before = new(backupOptions: BackupOptionsOf(backup, isFile: true)))
        {
            clients = [.. Enumerable.Range(1, Sessions).Select(host => before.Open(host).Client)];
            await before.Server.SessionBackup!.StopAsync();
        }

        TaskCompletionSource gate = new();
        Keys keys = new("secretPSK") { Gate = gate.Task };
        using SessionRig after = new(backupOptions: BackupOptionsOf(backup, isFile: true), store: keys);
        Assert.Equal(Sessions, await after.Server.SessionBackup!.StartAsync(default));
        for (int i = 0; i < Sessions; i++)
        {
            Assert.True(after.Server.Receive(ServerBench.Path(i + 1), SessionRig.Record(clients[i], [1])));
        }

        Assert.Equal((0, LoadedSessionCredentialCheck.MaxChecks), (after.Received, keys.Asked));

        // Those that waited for a place go on at another thread.
        MemorySessionBackup.Complete(gate.SetResult);
        await Eventually.IsTrueAsync(() => after.Received == Sessions);

        Assert.Equal(Sessions, keys.Asked);
        Assert.Empty(after.Closed);
    }

    private static CoapDtlsSessionBackupOptions BackupOptionsOf(MemorySessionBackup backup, bool isFile) =>
        new(backup, MemorySessionBackup.Key) { IsForStopsOnly = isFile };

    private static async Task<(MemorySessionBackup Backup, RecordLayer Client)> StoppedAsync(bool isFile)
    {
        MemorySessionBackup backup = new();
        using SessionRig before = new(backupOptions: BackupOptionsOf(backup, isFile));
        (_, RecordLayer client) = before.Open(1);
        await before.Server.SessionBackup!.StopAsync();
        return (backup, client);
    }

    private static ContentType Opened(RecordLayer client, byte[] datagram)
    {
        Assert.True(RecordHeader.TryRead(datagram, 0, out RecordHeader header));
        Assert.Equal(RecordOpenResult.Opened, client.Open(header, datagram, out ContentType type, out _, out _));
        return type;
    }

    private sealed class Keys(string key) : ICoapPskStore
    {
        private int _asked;

        public int Asked => Volatile.Read(ref _asked);

        public Task? Gate { get; set; }

        public async ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _asked);
            await (Gate ?? Task.CompletedTask).ConfigureAwait(false);
            return Encoding.UTF8.GetBytes(key);
        }
    }
}
