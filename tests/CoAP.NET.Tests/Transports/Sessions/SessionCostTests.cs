namespace CoAP.NET.Tests.Transports.Sessions;

// What sessions cost beside UDP.
public sealed class SessionCostTests : SessionTest
{
    [Fact]
    public async Task A_plain_request_allocates_no_more_than_over_UDP()
    {
        CoapResult kept = CoapResults.Text("21.5");
        Server.MapGet("/t", () => kept);
        Endpoint.AddTransport(Transport);
        await StartSessionsAsync();
        Transport.Discards = true;
        DirectSession session = Sessions.Accept(Peer);
        session.Discards = true;
        byte[] request = Wire.Hex("41010001a1b174");
        int next = 0;
        long overUdp = Measure(() =>
        {
            request[2] = (byte)(next >> 8);
            request[3] = (byte)next++;
            Transport.Receive(CoapAddress.FromIPv4(0xc0000201, 40_000), request);
        });
        long sent = session.Sent;
        long overSession = Measure(() =>
        {
            request[2] = (byte)(next >> 8);
            request[3] = (byte)next++;
            session.Receive(request);
        });
        Assert.Equal(20_000, session.Sent - sent);
        Assert.InRange(overSession, 1, overUdp);
    }

    [Fact]
    public async Task An_idle_session_takes_little_memory_in_the_mesh()
    {
        await StartSessionsAsync();
        Sessions.Accept(Peer);
        DirectSession[] sessions = [.. Enumerable.Range(0, 1000)
            .Select(i => new DirectSession(Sessions, CoapAddress.FromIPv4(0xcb007100, (ushort)(1024 + i)), DirectSessionTransport.Local,
                isInitiator: false))];
        long before = GC.GetAllocatedBytesForCurrentThread();
        foreach (DirectSession session in sessions)
        {
            Assert.True(Sessions.Context.Opened(session));
        }

        // With what the tables of the endpoint grew by.
        Assert.InRange((GC.GetAllocatedBytesForCurrentThread() - before) / sessions.Length, 1, 1024);
        Assert.Equal(0, sessions[0].Channel!.Shard.Wheel.Count);
    }

    private static long Measure(Action run)
    {
        for (int i = 0; i < 10_000; i++)
        {
            run();
        }

        const int Count = 10_000 / Allocations.Runs;
        return Allocations.Least(() =>
        {
            for (int i = 0; i < Count; i++)
            {
                run();
            }
        }) / Count;
    }
}
