namespace CoAP.NET.Dtls.Tests.SessionBackups;

/// <summary>
/// What must never happen however a server ends: read from the wire. COAP_TEST_DTLS_CRASHES says how many runs (default 100),
/// COAP_TEST_SEED with which they begin.
/// </summary>
public sealed class CrashTests
{
    private const int Steps = 60;

    [Fact]
    public async Task A_record_number_is_never_reused_across_crashes_at_any_point()
    {
        int sent = 0;
        for (int seed = Campaign.Seed; seed < Campaign.Seed + Campaign.Crashes; seed++)
        {
            CrashRun run = await new CrashRun(seed).RunAsync(Steps);
            Assert.Null(run.Problem);
            sent += run.SentAfterCrash;
        }

        // It did try: sessions lived on.
        Assert.True(sent > 100 * Campaign.Crashes, $"{sent} records were sent after crashes");
    }

    [Fact]
    public async Task A_store_that_loses_confirmed_changes_is_detected()
    {
        int found = 0;
        for (int seed = 1; seed <= 20; seed++)
        {
            found += (await new CrashRun(seed, confirmsTooEarly: true).RunAsync(Steps)).Problem is null ? 0 : 1;
        }

        Assert.True(found > 5, $"{found} of 20");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Records_received_over_5_s_before_a_crash_are_refused_unless_the_store_lost_the_progress(bool losesHeard)
    {
        MemorySessionBackup backup = new();
        using SessionRig before = new(backupOptions: backup.Options());
        (_, RecordLayer client) = before.Open(1);
        backup.Loses = losesHeard ? batch => batch.Any(change => change.Kind == CoapDtlsSessionChangeKind.Heard) : null;
        byte[][] recorded = [.. Enumerable.Range(0, 100).Select(i => SessionRig.Record(client, [(byte)i]))];
        foreach (byte[] record in recorded)
        {
            Assert.True(before.Server.Receive(ServerBench.Path(1), [.. record]));
        }

        before.Clock.Advance(FromSeconds(5));
        before.Server.Tick();
        using SessionRig after = new(clock: before.Clock, backupOptions: backup.AfterCrash().Options());
        Assert.Equal(1, await after.Server.SessionBackup!.StartAsync(default));
        foreach (byte[] record in recorded)
        {
            after.Server.Receive(ServerBench.Path(1), [.. record]);
        }

        Assert.Equal(losesHeard ? recorded.Length : 0, after.Received);
    }
}
