namespace CoAP.NET.Dtls.Tests.SessionBackups;

/// <summary>The queue of changes for a backup of sessions that fails.</summary>
public sealed class BackupQueueTests
{
    [Fact]
    public async Task The_backup_queue_waits_after_a_failure_unless_it_is_drained()
    {
        int calls = 0;
        MemorySessionBackup backup = new()
        {
            BeforeSaving = _ => ++calls == 1 ? ValueTask.FromException(new IOException("no room")) : ValueTask.CompletedTask,
        };
        VirtualClock clock = new();
        using BackupQueue queue = new(backup, static _ => null, static work => work(), clock, mostEnded: 10);
        queue.Add(new CoapDtlsSessionChange(CoapDtlsSessionChangeKind.Ended, new byte[8], default, clock.GetUtcNow()));
        Assert.Equal(1, calls);
        queue.Go();
        Assert.Equal(1, calls);

        Assert.Null(await queue.DrainAsync().WaitAsync(TimeSpan.FromMinutes(2)));
        Assert.Equal(2, calls);
    }
}
