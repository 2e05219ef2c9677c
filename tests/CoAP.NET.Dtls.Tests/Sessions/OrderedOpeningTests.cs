namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>How the sessions of a start come into a server.</summary>
public sealed class OrderedOpeningTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(500)]
    [InlineData(501)]
    [InlineData(5_250)]
    public void Each_session_is_opened_before_it_is_added_and_they_are_added_in_their_order_by_one_thread_at_a_time(int count)
    {
        DtlsSession[] sessions = [.. Enumerable.Range(0, count).Select(i => SessionIndexTests.Session((ulong)i))];
        ConcurrentDictionary<DtlsSession, bool> opened = new();
        List<DtlsSession> added = [];
        int adding = 0;

        new OrderedOpening(sessions, session => Assert.True(opened.TryAdd(session, true)), session =>
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
