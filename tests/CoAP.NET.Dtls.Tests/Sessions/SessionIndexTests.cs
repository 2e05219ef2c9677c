namespace CoAP.NET.Dtls.Tests.Sessions;

public class SessionIndexTests
{
    [Theory]
    [InlineData(0xffff_ffff)]
    [InlineData(3)]
    public void The_index_equals_a_dictionary_after_random_additions_removals_and_reservations(uint mask)
    {
        // With a mask of two bits nearly all fall upon each other.
        Index index = new(mask);
        Dictionary<ulong, DtlsSession> expected = [];
        Random random = new(17);
        int range = mask == 3 ? 60 : 3_000;
        for (int i = 0; i < 40_000; i++)
        {
            // Grows, and shrinks again, several times.
            bool adds = random.Next(100) < ((i / 8_000) % 2 == 0 ? 80 : 20);
            ulong key = (ulong)random.Next(range);
            if (adds)
            {
                DtlsSession session = Session(key);
                Assert.Equal(expected.TryAdd(key, session), index.TryAdd(key, session));
            }
            else if (expected.Remove(key, out DtlsSession? session))
            {
                Assert.True(index.Remove(key, session));
                Assert.False(index.Remove(key, session));
            }

            if (i % 3_000 == 0)
            {
                index.Reserve(i / 30);
            }

            Assert.Same(expected.GetValueOrDefault(key), index.Find(key));
            Assert.Equal(expected.Count, index.Count);
        }

        for (ulong key = 0; key < (ulong)range; key++)
        {
            Assert.Same(expected.GetValueOrDefault(key), index.Find(key));
        }
    }

    [Fact]
    public void Another_session_with_the_same_key_is_not_removed()
    {
        Index index = new(uint.MaxValue);
        DtlsSession session = Session(5);
        Assert.True(index.TryAdd(5, session));

        Assert.False(index.TryAdd(5, Session(5)));
        Assert.False(index.Remove(5, Session(5)));

        Assert.Same(session, index.Find(5));
    }

    [Fact]
    public async Task A_session_is_found_at_all_times_while_others_are_added_and_removed()
    {
        Index index = new(uint.MaxValue);
        DtlsSession[] staying = [.. Enumerable.Range(0, 64).Select(i => Session((ulong)i))];
        Array.ForEach(staying, session => index.TryAdd(BinaryPrimitives.ReadUInt64BigEndian(session.OwnCid), session));
        using CancellationTokenSource done = new();
        Task<long> reader = Task.Factory.StartNew(
            () =>
            {
                long looks = 0;
                while (!done.IsCancellationRequested || looks == 0)
                {
                    for (int i = 0; i < staying.Length; i++, looks++)
                    {
                        Assert.Same(staying[i], index.Find((ulong)i));
                    }
                }

                return looks;
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);

        for (int round = 0; round < 200; round++)
        {
            DtlsSession[] others = [.. Enumerable.Range(1_000, 200).Select(i => Session((ulong)i))];
            Assert.All(others, session => Assert.True(index.TryAdd(BinaryPrimitives.ReadUInt64BigEndian(session.OwnCid), session)));
            Assert.All(others, session => Assert.True(index.Remove(BinaryPrimitives.ReadUInt64BigEndian(session.OwnCid), session)));
        }

        await done.CancelAsync();
        Assert.True(await reader > 0);
    }

    /// <summary>A session that is found by a Connection ID.</summary>
    /// <param name="cid">The Connection ID.</param>
    internal static DtlsSession Session(ulong cid)
    {
        byte[] own = new byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(own, cid);
        RecordLayer records = new(CipherSuite.All[0], SessionRig.Keys(0), isServer: true, own, []);
        return new DtlsSession(new HandshakeResult(records, [], 0, null, null), default, new BenchSink((_, _) => { }),
            TimeProvider.System);
    }

    private sealed class Index(uint mask) : SessionIndex<ulong>
    {
        protected override ulong KeyOf(DtlsSession session) => BinaryPrimitives.ReadUInt64BigEndian(session.OwnCid);

        protected override uint Hash(in ulong key) => (uint)key & mask;
    }
}
