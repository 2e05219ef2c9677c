namespace CoAP.NET.Dtls.Tests.SessionBackups;

/// <summary>Messages to clients whose sessions were loaded and have no confirmed numbers yet.</summary>
public sealed class EarlyMessageTests
{
    [Fact]
    public async Task Messages_before_the_record_numbers_are_confirmed_are_sent_afterwards_in_order()
    {
        using Loading run = await Loading.BeginAsync(sessions: 2);
        int[] lengths = [1, 100, 10];
        foreach (int length in lengths)
        {
            Assert.False(run.Session(1).Send(new byte[length]));
        }

        Assert.Equal((0, 3), (run.Rig.Sent, run.Early.Count));
        List<int> sent = [];
        run.Rig.OnSent = (_, datagram) => sent.Add(datagram.Length - run.Session(1).SentOverhead);
        run.Confirm();
        Assert.Equal(lengths, sent);
        Assert.Equal((0, 0), (run.Early.Count, run.Rig.Server.Counters.EarlyRecordsDropped));
        Assert.True(run.Session(1).Send([1]));
    }

    [Fact]
    public async Task The_messages_held_for_each_session_and_for_all_sessions_are_limited()
    {
        const int Large = 16_000;
        const int Sessions = (UnconfirmedSessionSendQueue.MaxBytes / Large) + 1;
        using Loading run = await Loading.BeginAsync(Sessions);
        for (int i = 0; i < HeldSessionMessage.MaxOfSession + 3; i++)
        {
            Assert.False(run.Session(1).Send([(byte)i]));
        }

        Assert.Equal((HeldSessionMessage.MaxOfSession, 3), (run.Early.Count, run.Rig.Server.Counters.EarlyRecordsDropped));
        for (int host = 2; host <= Sessions; host++)
        {
            Assert.False(run.Session(host).Send(new byte[Large]));
        }

        int held = run.Early.Count;
        Assert.InRange(held, Sessions * 9 / 10, Sessions + HeldSessionMessage.MaxOfSession - 1);
        Assert.False(run.Session(2).Send(new byte[Large]));
        Assert.Equal(held, run.Early.Count);
        run.Confirm();
        Assert.Equal((held, 0), (run.Rig.Sent, run.Early.Count));

        // What was held counts no more.
        Assert.True(run.Session(2).Send(new byte[Large]));
    }

    [Fact]
    public async Task A_late_confirmation_gives_no_record_numbers_to_a_session_that_was_handed_over()
    {
        using Loading run = await Loading.BeginAsync(sessions: 1);
        Assert.False(run.Session(1).Send([1]));
        DtlsSessionWithBackup session = (DtlsSessionWithBackup)run.Session(1);
        using StateWriter writer = new();
        Assert.True(session.TryWrite(writer, isLast: true, [], out ulong asked, out _));

        session.OnConfirmed(asked + RecordLayer.NumbersOfReserve);
        Assert.False(session.Send([2]));

        Assert.Equal((0, 2), (run.Rig.Sent, run.Early.Count));
        Assert.False(session.TryWrite(writer, isLast: false, [], out _, out _));
        session.End(DtlsSessionEndReason.Saved, tells: false);
        Assert.Equal((0, 0, 2), (run.Rig.Sent, run.Early.Count, run.Rig.Server.Counters.EarlyRecordsDropped));
    }

    [Fact]
    public async Task The_held_messages_of_a_refused_session_are_dropped()
    {
        using Loading run = await Loading.BeginAsync(sessions: 1, isRefused: true);
        Assert.False(run.Session(1).Send([1]));
        run.Confirm();
        Assert.Equal(DtlsSessionEndReason.TakenOver, Assert.Single(run.Rig.Closed).Reason);
        Assert.Equal((0, 0, 1), (run.Rig.Sent, run.Early.Count, run.Rig.Server.Counters.EarlyRecordsDropped));
    }

    /// <summary>Sessions that were loaded, and a store that has confirmed nothing yet.</summary>
    private sealed class Loading(SessionRig rig, TaskCompletionSource kept) : IDisposable
    {
        public SessionRig Rig => rig;

        public UnconfirmedSessionSendQueue Early => rig.Server.SessionBackup!.UnconfirmedSessionSendQueue;

        public static async Task<Loading> BeginAsync(int sessions, bool isRefused = false)
        {
            MemorySessionBackup backup = new();
            using SessionRig before = new(backupOptions: backup.Options());
            for (int host = 1; host <= sessions; host++)
            {
                before.Open(host);
            }

            MemorySessionBackup left = backup.AfterCrash();
            SessionRig rig = new(clock: before.Clock, backupOptions: left.Options());
            Assert.Equal(sessions, await rig.Server.SessionBackup!.StartAsync(default));
            TaskCompletionSource kept = new();
            left.BeforeSaving = async changes =>
            {
                await kept.Task.ConfigureAwait(false);
                foreach (CoapDtlsSessionChange change in changes.Where(_ => isRefused))
                {
                    change.Refuse();
                }
            };
            return new Loading(rig, kept);
        }

        public DtlsSession Session(int host) => rig.Opened.Single(session => session.Path == ServerBench.Path(host));

        public void Confirm() => MemorySessionBackup.Complete(kept.SetResult);

        public void Dispose() => rig.Dispose();
    }
}
