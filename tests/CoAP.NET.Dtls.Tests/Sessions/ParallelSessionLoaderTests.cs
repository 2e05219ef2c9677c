namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>How the sessions of a start come into a server.</summary>
public sealed class ParallelSessionLoaderTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(500)]
    [InlineData(501)]
    [InlineData(5_250)]
    public void Sessions_are_decrypted_in_parallel_and_added_in_order_by_a_single_thread_at_a_time(int count)
    {
        DtlsSession[] sessions = [.. Enumerable.Range(0, count).Select(i => SessionIndexTests.Session((ulong)i))];
        ConcurrentDictionary<DtlsSession, bool> opened = new();
        List<DtlsSession> added = [];
        int adding = 0;

        new ParallelSessionLoader(sessions, session => Assert.True(opened.TryAdd(session, true)), session =>
        {
            Assert.Equal(1, Interlocked.Increment(ref adding));
            Assert.True(opened.ContainsKey(session));
            added.Add(session);
            Interlocked.Decrement(ref adding);
        }).Run();

        Assert.Equal(sessions, added);
        Assert.Equal(count, opened.Count);
    }
}
